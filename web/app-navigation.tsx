/** @jsxImportSource preact */
import { SIGN_IN_PATH } from "./account/paths.ts";
import { FILES_PATH } from "./files/file-views.ts";
import type { PageContext } from "./page-context.ts";
import { PROFILE_PATH } from "./settings/paths.ts";
import { SHARES_PATH } from "./shares/paths.ts";
import type { Texts } from "./texts/catalogue.ts";

interface AppLink {
  readonly path: string;
  readonly toText: (texts: Texts) => string;
}

/** The pages of who is signed in, in the order of the navigation. */
const APP_LINKS: readonly AppLink[] = [
  { path: "/", toText: (texts) => texts.layout.send },
  { path: FILES_PATH, toText: (texts) => texts.files.title },
  { path: SHARES_PATH, toText: (texts) => texts.shares.title },
];

/** The navigation of all pages: on phones a bar at the bottom. */
export function AppNavigation({ page: { person, path, texts } }: { readonly page: PageContext }) {
  if (person === undefined)
    return (
      <nav aria-label={texts.account.account}>
        <a class="account" href={SIGN_IN_PATH}>
          {texts.account.signIn}
        </a>
      </nav>
    );
  return (
    <nav class="app-links" aria-label={texts.account.account}>
      {APP_LINKS.map((link) => (
        <a key={link.path} href={link.path} aria-current={isWithin(path, link.path) ? "page" : undefined}>
          {link.toText(texts)}
        </a>
      ))}
      <a class="account" href={PROFILE_PATH} aria-current={isWithin(path, PROFILE_PATH) ? "page" : undefined}>
        {person.name}
      </a>
    </nav>
  );
}

const isWithin = (path: string, parent: string): boolean => path === parent || (parent !== "/" && path.startsWith(`${parent}/`));
