import type { Texts } from "../texts/catalogue.ts";
import type { Language } from "../texts/languages.ts";

/** What every page is rendered with. */
export interface PageContext {
  readonly language: Language;
  readonly texts: Texts;
  /** The query of the page's URL, which the links to other languages keep. */
  readonly query: string;
  /** The path of the page's URL. */
  readonly path: string;
  readonly site: Site;
  /** Who is signed in. */
  readonly person?: Person | undefined;
  /** What waits for an administrator, on pages of the administration. 100 stands for more. */
  readonly adminCounts?: { readonly openReports: number; readonly failedJobs: number } | undefined;
}

/** The person whose browser shows the page. */
export interface Person {
  readonly name: string;
  /** By which their browser tells its accounts apart. */
  readonly accountId?: string | undefined;
  /** Whether the navigation leads to the administration. */
  readonly isAdministrator?: boolean | undefined;
  /** The person's address, if it needs to be verified. */
  readonly unverifiedEmail?: string | undefined;
  /** 100 stands for more. */
  readonly unreadNotices?: number | undefined;
}

/** An icon of a web application's manifest. */
export interface AppIcon {
  /** Path of the image. */
  readonly src: string;
  readonly type: string;
  /** `192x192`, or `any` for an SVG. */
  readonly sizes: string;
  readonly purpose?: "maskable";
}

/** The site as its administrator presents it (pages, "Branding"). */
export interface Site {
  readonly name: string;
  /** URL of the site without a slash at the end. */
  readonly url: string;
  /** Whether the administrator has set the URL; otherwise it works only on the server's machine. */
  readonly hasOwnUrl: boolean;
  /** Name of the OpenID Connect provider with which people sign in. */
  readonly provider?: string | undefined;
  /** Whether accounts can sell what they share. */
  readonly hasSelling?: boolean | undefined;
  /** Path of the administrator's logo. */
  readonly logoPath?: string;
  /** The administrator's logo as the icon of the installed site, if it can be one. */
  readonly appIcon?: AppIcon;
  /** Path of a style sheet with the administrator's accent. */
  readonly accentPath?: string;
  readonly termsUrl?: string;
  readonly privacyUrl?: string;
  readonly imprintUrl?: string;
  /** Where to report abuse: a URL, or an email address as `mailto:…`. */
  readonly abuseUrl?: string;
}
