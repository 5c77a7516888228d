/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { programName } from "../../account/program-name.ts";
import { formatDate } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Ago, Ask, Panel } from "../../site/panel.tsx";
import { Unverified } from "../account-address.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { auditLogOf, USERS_PATH, userPath } from "../paths.ts";
import { ShownLink } from "../shown-link.tsx";
import { AccessChange, TierChange, UsernameChange, type UserProblem, type UserView } from "./user-changes.tsx";

export interface UserPageProps {
  readonly user: UserView;
  readonly nowMs: number;
  readonly done?: string | undefined;
  /** The reason why the last form changed nothing, or the problem of one of its fields. */
  readonly problem?: string | UserProblem | undefined;
  /** The new link that sets a password. */
  readonly resetLink?: { readonly url: string; readonly expiresAt: string } | undefined;
}

/** Renders one account. */
export function renderUserPage(page: PageContext, { user, nowMs, done, problem, resetLink }: UserPageProps): string {
  const refused = typeof problem === "object" ? problem : undefined;
  return renderAdmin(page, {
    section: "users",
    title: user.name,
    back: { path: USERS_PATH, text: page.texts.admin.users },
    done,
    problem: typeof problem === "string" ? problem : undefined,
    children: (
      <>
        {resetLink === undefined ? null : <ShownLink page={page} label={page.texts.admin.resetLink} link={resetLink} />}
        <Facts page={page} user={user} nowMs={nowMs} />
        {user.role === "agent" ? null : <SigningIn page={page} user={user} />}
        <UsernameChange page={page} user={user} problem={refused} />
        <TierChange page={page} user={user} problem={refused} />
        <Keys page={page} user={user} />
        <AccessChange page={page} user={user} />
      </>
    ),
  });
}

interface PartProps {
  readonly page: PageContext;
  readonly user: UserView;
}

function Facts({ page, user, nowMs }: PartProps & { readonly nowMs: number }) {
  const { texts, language } = page;
  const { admin, adminUser } = texts;
  const number = (count: number): string => count.toLocaleString(language);
  const facts: readonly (readonly [string, string])[] = [
    [admin.role, admin.roles[user.role]],
    ...(user.role === "agent" ? [] : [[adminUser.twoStep, user.hasTwoFactor ? adminUser.on : adminUser.off] as const]),
    [admin.stored, `${formatSize(user.storage.usedBytes, language)} / ${formatSize(user.storage.allowedBytes, language)}`],
    [admin.files, number(user.storage.files)],
    [admin.shares, number(user.shares)],
    [admin.webhooks, number(user.webhooks)],
  ];
  return (
    <section class="card panel">
      <p class="quiet">
        {user.email}
        <Unverified page={page} account={user} />
        {user.disabledAt === null ? null : <span class="admin-label danger-text">{admin.disabled}</span>}
      </p>
      {user.emailVerified ? null : <p>{adminUser.unverifiedText}</p>}
      <dl class="admin-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>{admin.created}</dt>
          <dd>
            <Ago page={page} time={user.createdAt} nowMs={nowMs} />
          </dd>
        </div>
      </dl>
      <p class="admin-links">
        <a href={auditLogOf("subject", user.id)}>{admin.userLog}</a>
        <a href={auditLogOf("actor", user.id)}>{admin.userActions}</a>
      </p>
    </section>
  );
}

function SigningIn({ page, user }: PartProps) {
  const { admin, adminUser, account } = page.texts;
  return (
    <Panel title={admin.sessions} text={user.sessions.length === 0 ? admin.noSessions : undefined}>
      {user.sessions.length === 0 ? null : (
        <ul class="rows">
          {user.sessions.map((session) => (
            <li key={session.id} class="row">
              <p>
                {programName(session.userAgent)}
                <span class="quiet block">
                  {account.lastUsed}: {formatDate(Date.parse(session.lastUsedAt), page)}
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
      <div class="choices">
        <Ask
          label={admin.signOutEverywhere}
          path={userPath(user.id)}
          fields={{ action: "sign-out" }}
          text={admin.signOutText}
          confirm={admin.signOutEverywhere}
        />
        <Ask
          label={admin.makeResetLink}
          path={userPath(user.id)}
          fields={{ action: "reset-link" }}
          text={admin.resetLinkText}
          confirm={admin.makeResetLink}
        />
        {user.hasTwoFactor ? (
          <Ask
            label={adminUser.resetTwoStep}
            path={userPath(user.id)}
            fields={{ action: "reset-two-step" }}
            text={adminUser.resetTwoStepText}
            confirm={adminUser.resetTwoStep}
            tone="danger"
          />
        ) : null}
      </div>
    </Panel>
  );
}

function Keys({ page, user }: PartProps) {
  const { admin } = page.texts;
  return (
    <Panel title={admin.keys} text={user.keys.length === 0 ? admin.noKeys : undefined}>
      {user.keys.length === 0 ? null : (
        <ul class="rows">
          {user.keys.map((key) => (
            <li key={key.id} class="row">
              <p>
                <bdi>{key.label ?? key.prefix}</bdi>
                {key.isAdminKey ? <span class="admin-label">{admin.roles.admin}</span> : null}
                <span class="quiet block">
                  {key.prefix} · {key.scope}
                  {key.lastUsedAt === null ? "" : ` · ${formatDate(Date.parse(key.lastUsedAt), page)}`}
                </span>
              </p>
              <form method="post" action={userPath(user.id)}>
                <input type="hidden" name="action" value="revoke-key" />
                <input type="hidden" name="key" value={key.id} />
                <button class="button small danger-text" type="submit" aria-label={`${admin.revoke}: ${key.label ?? key.prefix}`}>
                  {admin.revoke}
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
