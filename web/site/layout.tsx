/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { VERIFY_PATH } from "../account/paths.ts";
import { LANGUAGE_NAMES, LANGUAGE_PARAMETER, LANGUAGES, type Language } from "../texts/languages.ts";
import { AppNavigation } from "./app-navigation.tsx";
import { type AssetName, assetPath, type ScriptName, scriptPath } from "./assets.ts";
import { LogoIcon } from "./icons.tsx";
import { MANIFEST_PATH } from "./installed-site.ts";
import { listNoticeChoices } from "./notify-select.tsx";
import type { PageContext, Site } from "./page-context.ts";

export interface LayoutProps {
  /** The title of the window, without the product's name. */
  readonly title: string;
  /** One line for link previews in chats. Without it, chats show no preview. */
  readonly description?: string;
  /** The URL of the picture of link previews. */
  readonly cardImage?: string;
  readonly scripts?: readonly ScriptName[];
  /** The script that runs before the page is shown. */
  readonly firstScript?: AssetName;
  /** Style sheets in addition to the style sheet of all pages. */
  readonly styles?: readonly AssetName[];
  /** The seconds after which the page without JavaScript reloads itself, or loads `path`. */
  readonly refresh?: { readonly seconds: number; readonly path?: string };
  /** `data-…` attributes of `<main>`, for the scripts. */
  readonly main?: Readonly<Record<`data-${string}`, string>>;
  /** The version, which the start page shows in place of the link to itself. */
  readonly version?: string;
  /** The width: `medium` for previews, `wide` for lists, `full` for photos; default: `narrow`. */
  readonly width?: "narrow" | "medium" | "wide" | "full";
  readonly children: ComponentChildren;
  /** Elements below <main>, which are kept when a script replaces <main>. */
  readonly aside?: ComponentChildren;
}

/** The page colors of `style.css`, for the browser's user interface. */
export const THEME_COLORS = { light: "#f5f4f0", dark: "#121514" } as const;

/** Renders an HTML document without inline styles or scripts, for a Content-Security-Policy that allows only scripts and styles of `/assets/`. */
export function renderDocument(page: PageContext, props: LayoutProps): string {
  return `<!doctype html>${renderToString(<Document page={page} {...props} />)}`;
}

function Document({
  page,
  title,
  description,
  cardImage,
  scripts = ["page"],
  firstScript,
  styles = [],
  refresh,
  main,
  version,
  width = "narrow",
  children,
  aside,
}: LayoutProps & { readonly page: PageContext }) {
  const { language, texts, site } = page;
  const touchIcon = toTouchIcon(site);
  const fullTitle = `${title} – ${site.name}`;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{fullTitle}</title>
        <meta name="robots" content="noindex, nofollow" />
        {/* `no-referrer` is not used, because browsers would send the forms of this site with `Origin: null`. */}
        <meta name="referrer" content="same-origin" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content={THEME_COLORS.light} />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content={THEME_COLORS.dark} />
        {description === undefined ? null : <CardTags siteName={site.name} title={title} description={description} image={cardImage} />}
        <link rel="icon" href={site.logoPath ?? assetPath("icon")} />
        <link rel="manifest" href={MANIFEST_PATH} />
        {touchIcon === undefined ? null : <link rel="apple-touch-icon" href={touchIcon} />}
        {firstScript === undefined ? null : <script src={assetPath(firstScript)} />}
        {["style" as const, ...(page.person === undefined ? [] : ["signedIn" as const]), ...styles].map((name) => (
          <link key={name} rel="stylesheet" href={assetPath(name)} />
        ))}
        {site.accentPath === undefined ? null : <link rel="stylesheet" href={site.accentPath} />}
        {scripts.map((name) => (
          <script key={name} type="module" src={scriptPath(name, language)} />
        ))}
        {refresh === undefined ? null : (
          <noscript>
            <meta
              http-equiv="refresh"
              content={refresh.path === undefined ? String(refresh.seconds) : `${refresh.seconds}; url=${refresh.path}`}
            />
          </noscript>
        )}
      </head>
      <body
        class={page.person === undefined ? width : `${width} signed-in`}
        data-account={page.person?.accountId}
        data-notices={page.person?.notices && listNoticeChoices(page.person.notices)}
        data-site={site.url}
        data-default-site={site.hasOwnUrl ? undefined : ""}
      >
        <a class="skip" href="#main">
          {texts.layout.skip}
        </a>
        <header class="bar">
          <a class="brand" href="/">
            {site.logoPath === undefined ? <LogoIcon /> : <img class="logo" src={site.logoPath} alt="" />}
            {site.name}
          </a>
          <AppNavigation page={page} />
        </header>
        <VerifyBanner page={page} />
        {/* The script inserts the sender's bar here. */}
        <div id="sent" />
        <main id="main" tabIndex={-1} {...main}>
          {children}
        </main>
        {aside}
        <p id="announcer" class="unseen" role="status" aria-live="polite" />
        <footer class="foot">
          {version === undefined && page.person ? null : (
            <p>{version === undefined ? <a href="/">{texts.layout.shareYourOwn}</a> : `filehost ${version}`}</p>
          )}
          <LegalLinks page={page} />
          <LanguageLinks page={page} />
        </footer>
      </body>
    </html>
  );
}

/** Renders the banner that asks to verify the address, on all pages except the page that verifies it. */
function VerifyBanner({ page: { person, path, texts } }: { readonly page: PageContext }) {
  if (person?.unverifiedEmail === undefined || path.startsWith(VERIFY_PATH)) return null;
  return (
    <aside class="banner" aria-label={texts.accountLinks.verify}>
      {texts.accountLinks.unverified(person.unverifiedEmail)} <a href={VERIFY_PATH}>{texts.accountLinks.unverifiedMore}</a>
    </aside>
  );
}

interface CardProps {
  readonly siteName: string;
  readonly title: string;
  readonly description: string;
  readonly image: string | undefined;
}

/** Renders a card of Open Graph, which messengers show for a link. */
function CardTags({ siteName, title, description, image }: CardProps) {
  return (
    <>
      <meta name="description" property="og:description" content={description} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={siteName} />
      <meta property="og:title" content={title} />
      <meta name="twitter:card" content={image === undefined ? "summary" : "summary_large_image"} />
      {image === undefined ? null : <meta property="og:image" content={image} />}
    </>
  );
}

/** Returns the icon of the installed site for systems that do not read the manifest's icon and accept no SVG. */
function toTouchIcon({ logoPath, appIcon }: Site): string | undefined {
  if (appIcon?.type === "image/png") return appIcon.src;
  return logoPath === undefined || appIcon === undefined ? assetPath("touchIcon") : undefined;
}

/** Renders links to the administrator's legal pages. */
function LegalLinks({ page: { site, texts } }: { readonly page: PageContext }) {
  const links = [
    { url: site.termsUrl, text: texts.layout.terms },
    { url: site.privacyUrl, text: texts.layout.privacy },
    { url: site.imprintUrl, text: texts.layout.imprint },
    { url: site.abuseUrl, text: texts.layout.abuse },
  ].filter(({ url }) => url !== undefined);
  if (links.length === 0) return null;
  return (
    <ul>
      {links.map(({ url, text }) => (
        <li key={text}>
          <a href={url} rel="noopener">
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Renders links to the current page in the other languages. */
function LanguageLinks({ page: { language, query, texts } }: { readonly page: PageContext }) {
  const toHref = (other: Language): string => {
    const parameters = new URLSearchParams(query);
    parameters.set(LANGUAGE_PARAMETER, other);
    return `?${parameters}`;
  };
  return (
    <nav aria-label={texts.layout.language}>
      <ul>
        {LANGUAGES.map((other) => (
          <li key={other}>
            <a href={toHref(other)} lang={other} hreflang={other} rel="nofollow" aria-current={other === language ? "true" : undefined}>
              {LANGUAGE_NAMES[other]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
