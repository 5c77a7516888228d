/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/format-size.ts";
import { AccountForm, TextField } from "../account/account-form.tsx";
import { formatDate } from "../format.ts";
import type { PageContext } from "../page-context.ts";
import { Pages, renderAdmin } from "./admin-layout.tsx";
import { USERS_PATH, userPath } from "./paths.ts";

export const USER_FILTERS = ["people", "administrators", "agents", "disabled"] as const;

export type UserFilter = (typeof USER_FILTERS)[number];

export interface UserRowView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin" | "agent";
  readonly tier: "free" | "pro";
  readonly disabledAt: string | null;
  readonly createdAt: string;
  readonly usedBytes: number;
}

export interface UsersPageProps {
  readonly users: readonly UserRowView[];
  readonly filter: UserFilter;
  readonly search: string;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
  /** What was entered for a new account, and why it is refused. */
  readonly problem?: { readonly text: string; readonly email: string; readonly name: string } | undefined;
}

/** Renders one page of the accounts. */
export function renderUsersPage(page: PageContext, props: UsersPageProps): string {
  const { admin } = page.texts;
  const { users, filter, search, nextCursor, isLaterPage } = props;
  return renderAdmin(page, {
    section: "users",
    children: (
      <>
        <form class="admin-search" method="get" action={USERS_PATH}>
          <input type="hidden" name="filter" value={filter} />
          <input type="search" name="q" value={search} maxLength={254} aria-label={admin.searchUsers} placeholder={admin.searchUsers} />
          <button class="button small" type="submit">
            {admin.find}
          </button>
        </form>
        <nav class="tabs" aria-label={admin.users}>
          {USER_FILTERS.map((name) => (
            <a key={name} href={listPath(name, search)} aria-current={name === filter ? "page" : undefined}>
              {admin.filters[name]}
            </a>
          ))}
        </nav>
        {users.length === 0 ? (
          <p class="card quiet">{admin.noUsers}</p>
        ) : (
          <ul class="card admin-list">
            {users.map((user) => (
              <UserItem key={user.id} page={page} user={user} />
            ))}
          </ul>
        )}
        <Pages page={page} path={listPath(filter, search)} nextCursor={nextCursor} isLaterPage={isLaterPage} />
        <NewUser page={page} {...props} />
      </>
    ),
  });
}

function listPath(filter: UserFilter, search: string): string {
  const query = new URLSearchParams({ filter, ...(search && { q: search }) });
  return `${USERS_PATH}?${query}`;
}

function UserItem({ page: { texts, language }, user }: { readonly page: PageContext; readonly user: UserRowView }) {
  const { admin } = texts;
  const facts = [
    admin.tiers[user.tier],
    formatSize(user.usedBytes, language),
    admin.since(formatDate(Date.parse(user.createdAt), language)),
  ];
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
      </a>
      <p class="quiet">{user.email}</p>
    </li>
  );
}

function NewUser({ page: { texts }, problem }: UsersPageProps & { readonly page: PageContext }) {
  const { admin, account } = texts;
  return (
    <details class="ask" open={problem !== undefined}>
      <summary class="button small">{admin.newUser}</summary>
      <div class="ask-body">
        <p class="quiet">{admin.newUserText}</p>
        <AccountForm action={USERS_PATH} submit={admin.create} problem={problem?.text}>
          <TextField
            name="email"
            label={account.email}
            type="email"
            autocomplete="off"
            maxLength={254}
            value={problem?.email}
            isWrong={problem !== undefined}
          />
          <TextField name="name" label={admin.name} type="text" autocomplete="off" maxLength={100} value={problem?.name} />
        </AccountForm>
      </div>
    </details>
  );
}
