/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { USER_FILTERS } from "../../../src/service/administration/users-contract.ts";
import type { Output } from "../../../src/service/contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { formatMonth } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Tabs } from "../../site/tabs.tsx";
import { Unverified } from "../account-address.tsx";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { USERS_PATH, userPath } from "../paths.ts";
import { TitleAction } from "../title-action.tsx";
import { TierFields } from "./tier-fields.tsx";

export type UserFilter = (typeof USER_FILTERS)[number];

export type UserRowView = Output<"searchUsers">["data"][number];

export interface UsersPageProps {
  readonly users: readonly UserRowView[];
  readonly filter: UserFilter;
  readonly search: string;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
  /** The result of the last form. */
  readonly done?: string | undefined;
  /** The entered values of a new account that were refused, with the reason. */
  readonly problem?: NewUserProblem | undefined;
}

export const NEW_USER_FIELDS = ["email", "name", "username", "until"] as const;

export interface NewUserProblem {
  readonly text: string;
  readonly field?: (typeof NEW_USER_FIELDS)[number] | undefined;
  readonly entered: Readonly<Record<(typeof NEW_USER_FIELDS)[number], string>> & {
    readonly tier: "free" | "pro";
    readonly isAdmin: boolean;
  };
}

/** Renders one page of the accounts. */
export function renderUsersPage(page: PageContext, props: UsersPageProps): string {
  const { admin } = page.texts;
  const { users, filter, search, nextCursor, isLaterPage, done } = props;
  return renderAdmin(page, {
    section: "users",
    done,
    action: <NewUser page={page} {...props} />,
    children: (
      <>
        <form class="admin-search" method="get" action={USERS_PATH}>
          <input type="hidden" name="filter" value={filter} />
          <input type="search" name="q" value={search} maxLength={254} aria-label={admin.searchUsers} placeholder={admin.searchUsers} />
          <button class="button small" type="submit">
            {admin.find}
          </button>
        </form>
        <Tabs
          label={admin.users}
          tabs={USER_FILTERS.map((name) => ({ href: listPath(name, search), text: admin.filters[name], isCurrent: name === filter }))}
        />
        {users.length === 0 ? (
          <EmptyState title={admin.noUsers} />
        ) : (
          <ul class="card admin-list">
            {users.map((user) => (
              <UserItem key={user.id} page={page} user={user} />
            ))}
          </ul>
        )}
        <NextPages page={page} path={listPath(filter, search)} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

function listPath(filter: UserFilter, search: string): string {
  const query = new URLSearchParams({ filter, ...(search && { q: search }) });
  return `${USERS_PATH}?${query}`;
}

function UserItem({ page, user }: { readonly page: PageContext; readonly user: UserRowView }) {
  const { texts, language } = page;
  const { admin } = texts;
  const facts = [admin.tiers[user.tier], formatSize(user.usedBytes, language), admin.since(formatMonth(Date.parse(user.createdAt), page))];
  return (
    <li class="admin-entry">
      <a class="admin-user" href={userPath(user.id)}>
        <span>
          <strong>
            <bdi>{user.name}</bdi>
          </strong>
          {user.role === "user" ? null : <span class="admin-label">{admin.roles[user.role]}</span>}
          {user.disabledAt === null ? null : <span class="admin-label danger-text">{admin.disabled}</span>}
        </span>
        <span class="quiet">{facts.join(" · ")}</span>
        <span class="quiet admin-user-address">
          {user.email}
          <Unverified page={page} account={user} />
        </span>
      </a>
    </li>
  );
}

function NewUser({ page: { texts }, problem }: UsersPageProps & { readonly page: PageContext }) {
  const { admin, adminUser, account } = texts;
  const entered = problem?.entered;
  const fieldOf = (name: (typeof NEW_USER_FIELDS)[number]) =>
    ({ name, type: "text", autocomplete: "off", value: entered?.[name] ?? "", isWrong: problem?.field === name }) as const;
  return (
    <TitleAction label={admin.newUser} isOpen={problem !== undefined}>
      <p class="quiet">{admin.newUserText}</p>
      <PageForm action={USERS_PATH} submit={admin.create} problem={problem?.text} isOfForm={problem?.field === undefined}>
        <TextField {...fieldOf("email")} label={account.email} type="email" maxLength={254} />
        <TextField {...fieldOf("name")} label={admin.name} maxLength={100} />
        <TextField {...fieldOf("username")} label={admin.username} hint={adminUser.optionalUsername} maxLength={30} isOptional />
        <TierFields texts={texts} tier={entered?.tier ?? "free"} until={entered?.until ?? ""} isWrong={problem?.field === "until"} />
        <label class="check">
          <input type="checkbox" name="admin" value="true" checked={entered?.isAdmin === true} />
          <span>{admin.inviteAdmin}</span>
        </label>
      </PageForm>
    </TitleAction>
  );
}
