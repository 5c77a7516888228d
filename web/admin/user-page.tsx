/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/format-size.ts";
import { programName } from "../account/program-name.ts";
import { formatDate } from "../format.ts";
import type { PageContext } from "../page-context.ts";
import { Ask, Panel } from "../settings/panel.tsx";
import { renderAdmin } from "./admin-layout.tsx";
import { AUDIT_LOG_PATH, userPath } from "./paths.ts";
import { ShownLink } from "./shown-link.tsx";

export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly username: string | null;
  readonly role: "user" | "admin" | "agent";
  readonly tier: "free" | "pro";
  readonly proUntil: string | null;
  readonly disabledAt: string | null;
  readonly createdAt: string;
  readonly version: number;
  readonly storage: { readonly usedBytes: number; readonly allowedBytes: number; readonly files: number };
  readonly shares: number;
  readonly webhooks: number;
  readonly sessions: readonly { readonly id: string; readonly userAgent: string; readonly lastUsedAt: string }[];
  readonly keys: readonly {
    readonly id: string;
    readonly prefix: string;
    readonly label: string | null;
    readonly scope: string;
    readonly isAdminKey: boolean;
    readonly lastUsedAt: string | null;
  }[];
}

export interface UserPageProps {
  readonly user: UserView;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
  /** A link that sets a password, which was just made. */
  readonly resetLink?: { readonly url: string; readonly expiresAt: string } | undefined;
}

/** Renders one account. */
export function renderUserPage(page: PageContext, { user, done, problem, resetLink }: UserPageProps): string {
  return renderAdmin(page, {
    section: "users",
    title: user.name,
    done,
    problem,
    children: (
      <>
        <Facts page={page} user={user} />
        {user.role === "agent" ? null : <SigningIn page={page} user={user} resetLink={resetLink} />}
        <Tier page={page} user={user} />
        <Keys page={page} user={user} />
        <Access page={page} user={user} />
      </>
    ),
  });
}

interface PartProps {
  readonly page: PageContext;
  readonly user: UserView;
}

function Facts({ page: { texts, language }, user }: PartProps) {
  const { admin } = texts;
  const number = (count: number): string => count.toLocaleString(language);
  const facts: readonly (readonly [string, string])[] = [
    [admin.role, admin.roles[user.role]],
    [admin.username, user.username ?? "–"],
    [admin.stored, `${formatSize(user.storage.usedBytes, language)} / ${formatSize(user.storage.allowedBytes, language)}`],
    [admin.files, number(user.storage.files)],
    [admin.shares, number(user.shares)],
    [admin.webhooks, number(user.webhooks)],
    [admin.created, formatDate(Date.parse(user.createdAt), language)],
  ];
  return (
    <section class="card panel">
      <p class="quiet">
        {user.email}
        {user.disabledAt === null ? null : <span class="admin-label danger-text">{admin.disabled}</span>}
      </p>
      <dl class="admin-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href={`${AUDIT_LOG_PATH}?subject=${encodeURIComponent(user.id)}`}>{admin.userLog}</a>
      </p>
    </section>
  );
}

function SigningIn({ page, user, resetLink }: PartProps & Pick<UserPageProps, "resetLink">) {
  const { admin, account } = page.texts;
  return (
    <Panel title={admin.sessions} text={user.sessions.length === 0 ? admin.noSessions : undefined}>
      {user.sessions.length === 0 ? null : (
        <ul class="rows">
          {user.sessions.map((session) => (
            <li key={session.id} class="row">
              <p>
                {programName(session.userAgent)}
                <span class="quiet block">
                  {account.lastUsed}: {formatDate(Date.parse(session.lastUsedAt), page.language)}
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {resetLink === undefined ? null : <ShownLink page={page} label={admin.resetLink} link={resetLink} />}
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
      </div>
    </Panel>
  );
}

function Tier({ page: { texts, language }, user }: PartProps) {
  const { admin } = texts;
  const current =
    user.tier === "pro" && user.proUntil !== null
      ? admin.proUntil(formatDate(Date.parse(user.proUntil), language))
      : admin.currentTier(admin.tiers[user.tier]);
  return (
    <Panel title={admin.tier} text={current}>
      <form class="form" method="post" action={userPath(user.id)}>
        <input type="hidden" name="action" value="tier" />
        <input type="hidden" name="version" value={user.version} />
        <fieldset class="choices">
          <legend class="unseen">{admin.tier}</legend>
          {(["free", "pro"] as const).map((tier) => (
            <label key={tier} class="check">
              <input type="radio" name="tier" value={tier} checked={tier === user.tier} />
              <span>{admin.tiers[tier]}</span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>{admin.until}</span>
          <span class="quiet" id="until-hint">
            {admin.untilHint}
          </span>
          <input
            type="text"
            name="until"
            maxLength={40}
            autocomplete="off"
            aria-describedby="until-hint"
            value={user.tier === "pro" && user.proUntil !== null ? user.proUntil : ""}
          />
        </label>
        <button class="button small" type="submit">
          {admin.save}
        </button>
      </form>
    </Panel>
  );
}

function Keys({ page: { texts, language }, user }: PartProps) {
  const { admin } = texts;
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
                  {key.lastUsedAt === null ? "" : ` · ${formatDate(Date.parse(key.lastUsedAt), language)}`}
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

function Access({ page: { texts }, user }: PartProps) {
  const { admin } = texts;
  const version = String(user.version);
  const path = userPath(user.id);
  return (
    <Panel title={admin.access} tone="danger">
      <div class="choices">
        {user.role === "agent" ? null : user.role === "admin" ? (
          <Ask
            label={admin.demote}
            path={path}
            fields={{ action: "demote", version }}
            text={admin.demoteText}
            confirm={admin.demote}
            tone="danger"
          />
        ) : (
          <Ask label={admin.promote} path={path} fields={{ action: "promote", version }} text={admin.promoteText} confirm={admin.promote} />
        )}
        {user.disabledAt === null ? (
          <Ask
            label={admin.disable}
            path={path}
            fields={{ action: "disable", version }}
            text={admin.disableText}
            confirm={admin.disable}
            tone="danger"
          />
        ) : (
          <Ask label={admin.enable} path={path} fields={{ action: "enable", version }} text={admin.enableText} confirm={admin.enable} />
        )}
      </div>
    </Panel>
  );
}
