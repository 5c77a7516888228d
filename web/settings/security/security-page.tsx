/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { programName } from "../../account/program-name.ts";
import { formatDate } from "../../site/format.ts";
import { CheckIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { PASSKEYS_PATH, SESSIONS_PATH, TWO_STEP_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";
import { ApplicationsCard, type ApplicationView } from "./applications-card.tsx";
import { ConnectionsCard, type ConnectionView } from "./connections-card.tsx";
import { PasswordCard, type PasswordProblem } from "./password-card.tsx";

export type SessionView = Output<"listSessions">[number];

export interface SecurityPageProps {
  readonly sessions: readonly SessionView[];
  readonly hasTwoStep: boolean;
  readonly passkeyCount: number;
  readonly hasPassword: boolean;
  /** Whether the session has a proof that is recent enough. */
  readonly isProved: boolean;
  readonly connections: readonly ConnectionView[];
  readonly applications: readonly ApplicationView[];
  readonly connectionProblem?: string | undefined;
  /** The change by the last form. */
  readonly done?: string | undefined;
  readonly passwordProblem?: PasswordProblem | undefined;
}

/** Renders the account's ways to sign in, and its sessions. */
export function renderSecurityPage(
  page: PageContext,
  {
    sessions,
    connections,
    applications,
    connectionProblem,
    hasTwoStep,
    passkeyCount,
    hasPassword,
    isProved,
    done,
    passwordProblem,
  }: SecurityPageProps,
): string {
  const { account: texts, factors, passkeys } = page.texts;
  return renderSettings(page, {
    section: "security",
    done,
    children: (
      <>
        <Panel title={passkeys.title} text={passkeys.intro}>
          <div class="row">
            <Status isOn={passkeyCount > 0} text={passkeys.count(passkeyCount)} />
            <OpenLink path={PASSKEYS_PATH} text={passkeyCount > 0 ? factors.manage : factors.setUp} about={passkeys.title} />
          </div>
        </Panel>
        <Panel title={factors.twoStep} text={factors.twoStepText}>
          <div class="row">
            <Status isOn={hasTwoStep} text={hasTwoStep ? factors.on : factors.off} />
            <OpenLink path={TWO_STEP_PATH} text={hasTwoStep ? factors.manage : factors.setUp} about={factors.twoStep} />
          </div>
        </Panel>
        <Panel title={texts.sessions}>
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
        </Panel>
        <PasswordCard page={page} hasPassword={hasPassword} isProved={isProved} problem={passwordProblem} />
        <ConnectionsCard page={page} connections={connections} problem={connectionProblem} />
        <ApplicationsCard page={page} applications={applications} />
      </>
    ),
  });
}

function OpenLink({ path, text, about }: { readonly path: string; readonly text: string; readonly about: string }) {
  return (
    <a class="button small" href={path} aria-label={`${text}: ${about}`}>
      {text}
    </a>
  );
}

function Status({ isOn, text }: { readonly isOn: boolean; readonly text: string }) {
  return (
    <p class={isOn ? "status good" : "status"}>
      {isOn ? <CheckIcon /> : null}
      {text}
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
          {session.isCurrent ? texts.thisSession : `${texts.lastUsed}: ${formatDate(Date.parse(session.lastUsedAt), page)}`}
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
