import type { Texts } from "../texts/catalogue.ts";
import type { Language } from "../texts/languages.ts";
import type { NoticeChoices } from "./notify-select.tsx";

/** The context in which every page is rendered. */
export interface PageContext {
  readonly language: Language;
  /** The time zone of the signed-in person's device, as the IANA names it; otherwise UTC, and scripts show the times of recipients in their zone. */
  readonly timeZone: string;
  readonly texts: Texts;
  /** The query of the page's URL, which the links to other languages keep. */
  readonly query: string;
  /** The path of the page's URL. */
  readonly path: string;
  /** A text that only this rendering of the page has. A form that makes something sends it as its idempotency key. */
  readonly formKey: string;
  readonly site: Site;
  /** The signed-in person. */
  readonly person?: Person | undefined;
  /** The number of open items for an administrator, on pages of the administration. 100 stands for 100 or more. */
  readonly adminCounts?: { readonly openReports: number; readonly failedJobs: number } | undefined;
}

/** The person whose browser shows the page. */
export interface Person {
  readonly name: string;
  /** The username, if the account has a public page. */
  readonly username?: string | null | undefined;
  /** The ID by which the browser distinguishes its accounts. */
  readonly accountId?: string | undefined;
  /** Whether the navigation contains the administration. */
  readonly isAdministrator?: boolean | undefined;
  /** The person's address, if it needs to be verified. */
  readonly unverifiedEmail?: string | undefined;
  /** The number of unread notices. 100 stands for 100 or more. */
  readonly unreadNotices?: number | undefined;
  /** Which notices the account gets of shares and requests without their own choice. */
  readonly notices?: NoticeChoices | undefined;
  /** The used and the allowed storage of the account. */
  readonly storage?: { readonly usedBytes: number; readonly allowedBytes: number } | undefined;
}

/** An icon of a web application's manifest. */
export interface AppIcon {
  /** The path of the image. */
  readonly src: string;
  readonly type: string;
  /** The size: `192x192`, or `any` for an SVG. */
  readonly sizes: string;
  readonly purpose?: "maskable";
}

/** The site as its administrator presents it (pages, "Branding"). */
export interface Site {
  readonly name: string;
  /** The URL of the site without a trailing slash. */
  readonly url: string;
  /** Whether the administrator has set the URL. Otherwise it works only on the server's machine. */
  readonly hasOwnUrl: boolean;
  /** The name of the OpenID Connect provider with which people sign in. */
  readonly provider?: string | undefined;
  /** Whether accounts can sell their shares. */
  readonly hasSelling?: boolean | undefined;
  /** The path of the administrator's logo. */
  readonly logoPath?: string;
  /** The administrator's logo as the icon of the installed site, if its format allows it. */
  readonly appIcon?: AppIcon;
  /** The path of a style sheet with the administrator's accent. */
  readonly accentPath?: string;
  readonly termsUrl?: string;
  readonly privacyUrl?: string;
  readonly imprintUrl?: string;
  /** The contact for reports of abuse: a URL, or an email address as `mailto:…`. */
  readonly abuseUrl?: string;
}
