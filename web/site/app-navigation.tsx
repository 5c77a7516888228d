/** @jsxImportSource preact */
import { FORGOT_PATH, SIGN_IN_PATH, SIGN_UP_PATH } from "../account/paths.ts";
import { ADMIN_PATH } from "../admin/paths.ts";
import { FILES_PATH } from "../files/file-views.ts";
import { NOTICES_PATH } from "../notices/paths.ts";
import { REQUESTS_PATH } from "../requests/paths.ts";
import { SHARES_PATH } from "../shares/paths.ts";
import type { Texts } from "../texts/catalogue.ts";
import { AccountMenu } from "./account-menu.tsx";
import { BellIcon, CheckIcon, FolderIcon, InboxIcon, LinkIcon, UploadIcon } from "./icons.tsx";
import type { PageContext } from "./page-context.ts";

interface AppLink {
  readonly path: string;
  readonly toText: (texts: Texts) => string;
  /** The icon in the bar of phones. */
  readonly Icon: typeof FolderIcon;
  readonly isForAdministrators?: true;
}

/** The pages of a signed-in account, in the order of the navigation. */
const APP_LINKS: readonly AppLink[] = [
  { path: "/", toText: (texts) => texts.layout.send, Icon: UploadIcon },
  { path: FILES_PATH, toText: (texts) => texts.files.title, Icon: FolderIcon },
  { path: REQUESTS_PATH, toText: (texts) => texts.requests.title, Icon: InboxIcon },
  { path: SHARES_PATH, toText: (texts) => texts.shares.title, Icon: LinkIcon },
  { path: ADMIN_PATH, toText: (texts) => texts.admin.link, Icon: CheckIcon, isForAdministrators: true },
];

/** Renders the navigation of all pages. On phones, the links to pages are a bar with icons at the bottom. */
export function AppNavigation({ page }: { readonly page: PageContext }) {
  const { person, path, texts } = page;
  // The pages for signing in and up lead to each other themselves.
  if (person === undefined && [SIGN_IN_PATH, SIGN_UP_PATH, FORGOT_PATH].includes(path)) return null;
  if (person === undefined)
    return (
      <nav aria-label={texts.account.account}>
        <a class="account" href={SIGN_IN_PATH}>
          {texts.account.signIn}
        </a>
      </nav>
    );
  return (
    <nav class="app-navigation" aria-label={texts.account.account}>
      <div class="app-links">
        {APP_LINKS.filter(({ isForAdministrators }) => !isForAdministrators || person.isAdministrator).map(
          ({ path: linkPath, toText, Icon }) => (
            <a key={linkPath} href={linkPath} aria-current={isWithin(path, linkPath) ? "page" : undefined}>
              <Icon />
              {toText(texts)}
            </a>
          ),
        )}
      </div>
      <NoticesLink page={page} unread={person.unreadNotices ?? 0} />
      <AccountMenu page={page} person={person} />
    </nav>
  );
}

/** Renders the link to the notices, with the number of unread ones, up to 99. */
function NoticesLink({ page: { path, texts }, unread }: { readonly page: PageContext; readonly unread: number }) {
  const count = unread > 99 ? "99+" : String(unread);
  return (
    <a
      class="bell"
      href={NOTICES_PATH}
      aria-label={unread === 0 ? texts.notices.title : texts.notices.unreadCount(count)}
      aria-current={isWithin(path, NOTICES_PATH) ? "page" : undefined}
    >
      <BellIcon />
      {unread === 0 ? null : <span class="bell-count">{count}</span>}
    </a>
  );
}

const isWithin = (path: string, parent: string): boolean => path === parent || (parent !== "/" && path.startsWith(`${parent}/`));
