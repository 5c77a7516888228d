/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { SIGN_OUT_PATH } from "../account/paths.ts";
import { DOCS_PATH } from "../docs/paths.ts";
import { publicPagePath } from "../public-page/paths.ts";
import { PROFILE_PATH, USAGE_PATH } from "../settings/paths.ts";
import { initialOf, visibleText } from "./format.ts";
import type { PageContext, Person } from "./page-context.ts";

export interface AccountMenuProps {
  readonly page: PageContext;
  readonly person: Person;
}

/** Renders the menu of the signed-in account: its name, its used storage, and the links to its settings and to signing out. */
export function AccountMenu({ page, person }: AccountMenuProps) {
  const { path, texts } = page;
  const name = visibleText(person.name);
  return (
    <details class="menu-opener account-menu" id="account-menu">
      <summary>
        <span class="avatar" aria-hidden="true">
          {initialOf(name)}
        </span>
        <span class="account-name">
          <bdi>{name}</bdi>
        </span>
      </summary>
      <div class="menu">
        <p class="menu-title">
          <bdi>{name}</bdi>
        </p>
        <StorageLink page={page} storage={person.storage} />
        <a class="menu-item" href={PROFILE_PATH} aria-current={path === PROFILE_PATH ? "page" : undefined}>
          {texts.settings.settings}
        </a>
        {person.username === undefined || person.username === null ? null : (
          <a class="menu-item" href={publicPagePath(person.username)}>
            {texts.layout.publicPage}
          </a>
        )}
        <a class="menu-item" href={DOCS_PATH} aria-current={path === DOCS_PATH ? "page" : undefined}>
          {texts.layout.help}
        </a>
        <form method="post" action={SIGN_OUT_PATH} data-sign-out>
          <button class="menu-item separated" type="submit">
            {texts.account.signOut}
          </button>
        </form>
      </div>
    </details>
  );
}

interface StorageLinkProps {
  readonly page: PageContext;
  readonly storage: Person["storage"];
}

/** Renders the used storage in words and as a bar, with a link to the page of usage. */
function StorageLink({ page: { language, path, texts }, storage }: StorageLinkProps) {
  if (storage === undefined) return null;
  const { usedBytes, allowedBytes } = storage;
  return (
    <a class="menu-item account-storage" href={USAGE_PATH} aria-current={path === USAGE_PATH ? "page" : undefined}>
      <span>{texts.usage.storage}</span>{" "}
      <span class="quiet">{texts.usage.storageText(formatSize(usedBytes, language), formatSize(allowedBytes, language))}</span>
      <progress value={Math.min(usedBytes, allowedBytes)} max={Math.max(1, allowedBytes)} aria-hidden="true" />
    </a>
  );
}
