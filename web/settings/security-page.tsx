/** @jsxImportSource preact */
import { PASSWORD } from "../../src/contract/scalars.ts";
import { AccountForm, TextField } from "../account/account-form.tsx";
import { programName } from "../account/program-name.ts";
import { formatDate } from "../format.ts";
import { CheckIcon } from "../icons.tsx";
import type { PageContext } from "../page-context.ts";
import { ConnectionsCard, type ConnectionView } from "./connections-card.tsx";
import { Panel } from "./panel.tsx";
import { PASSWORD_PATH, SESSIONS_PATH, TWO_STEP_PATH } from "./paths.ts";
import { renderSettings } from "./settings-layout.tsx";

export interface SessionView {
  readonly id: string;
  readonly userAgent: string;
  readonly lastUsedAt: string;
  readonly isCurrent: boolean;
}

export interface SecurityPageProps {
  readonly sessions: readonly SessionView[];
  readonly hasTwoStep: boolean;
  readonly connections: readonly ConnectionView[];
  readonly connectionProblem?: string | undefined;
  /** What the last form changed. */
  readonly done?: string | undefined;
  readonly passwordProblem?: { readonly field: "currentPassword" | "newPassword"; readonly text: string } | undefined;
}

/** Renders how the account signs in, and where it is signed in. */
export function renderSecurityPage(
  page: PageContext,
  { sessions, connections, connectionProblem, hasTwoStep, done, passwordProblem }: SecurityPageProps,
): string {
  const { account: texts, factors } = page.texts;
  return renderSettings(page, {
    section: "security",
    done,
    children: (
      <>
        <Panel title={factors.twoStep} text={factors.twoStepText}>
          <div class="row">
            <Status page={page} isOn={hasTwoStep} />
            <a class="button small" href={TWO_STEP_PATH}>
              {hasTwoStep ? factors.manage : factors.setUp}
            </a>
          </div>
        </Panel>
        <section class="card">
          <h2>{texts.sessions}</h2>
          <ul class="rows">
            {sessions.map((session) => (
              <SessionRow key={session.id} page={page} session={session} />
            ))}
          </ul>
          {sessions.length < 2 ? null : (
            <form method="post" action={SESSIONS_PATH}>
              <button class="button small" type="submit">
                {texts.endOthers}
              </button>
            </form>
          )}
        </section>
        <section class="card">
          <h2>{texts.changePassword}</h2>
          <AccountForm action={PASSWORD_PATH} submit={texts.changePassword} problem={passwordProblem?.text}>
            <TextField
              name="currentPassword"
              label={texts.currentPassword}
              type="password"
              autocomplete="current-password"
              maxLength={PASSWORD.maxLength}
              isWrong={passwordProblem?.field === "currentPassword"}
            />
            <TextField
              name="newPassword"
              label={texts.newPassword}
              type="password"
              autocomplete="new-password"
              hint={texts.newPasswordHint(PASSWORD.minLength)}
              minLength={PASSWORD.minLength}
              maxLength={PASSWORD.maxLength}
              isWrong={passwordProblem?.field === "newPassword"}
            />
          </AccountForm>
        </section>
        <ConnectionsCard page={page} connections={connections} problem={connectionProblem} />
      </>
    ),
  });
}

function Status({ page: { texts }, isOn }: { readonly page: PageContext; readonly isOn: boolean }) {
  return (
    <p class={isOn ? "status good" : "status"}>
      {isOn ? <CheckIcon /> : null}
      {isOn ? texts.factors.on : texts.factors.off}
    </p>
  );
}

function SessionRow({ page, session }: { readonly page: PageContext; readonly session: SessionView }) {
  const texts = page.texts.account;
  const name = programName(session.userAgent);
  return (
    <li class="row">
      <p class="name">
        {name}
        <span class="quiet block">
          {session.isCurrent ? texts.thisSession : `${texts.lastUsed}: ${formatDate(Date.parse(session.lastUsedAt), page.language)}`}
        </span>
      </p>
      {session.isCurrent ? null : (
        <form method="post" action={SESSIONS_PATH}>
          <input type="hidden" name="id" value={session.id} />
          <button class="button small" type="submit" aria-label={`${texts.end}: ${name}`}>
            {texts.end}
          </button>
        </form>
      )}
    </li>
  );
}
