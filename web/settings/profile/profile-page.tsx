/** @jsxImportSource preact */

import { SIGN_OUT_PATH } from "../../account/paths.ts";
import { publicPagePath } from "../../public-page/paths.ts";
import { initialOf, visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Ask, Panel } from "../../site/panel.tsx";
import { EmailPanel, type EmailView } from "../email/email-page.tsx";
import { DELETE_ACCOUNT_PATH, PROFILE_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

export interface ProfilePageProps {
  readonly name: string;
  /** Whether recipients of the account's shares see the name. */
  readonly showName: boolean;
  readonly email: EmailView;
  readonly username: string | null;
  /** The number of times that the username may be changed in 30 days. */
  readonly maxUsernameChanges: number;
  /** The change by the last form. */
  readonly done?: string | undefined;
  readonly problem?: ProfileProblem | undefined;
}

/** The entered value that was refused, and the reason. */
export interface ProfileProblem {
  readonly field: "name" | "username" | "email";
  readonly text: string;
  readonly entered: string;
}

/** Renders the profile of the account. */
export function renderProfilePage(page: PageContext, props: ProfilePageProps): string {
  return renderSettings(page, {
    section: "profile",
    done: props.done,
    children: (
      <>
        <NamePanel page={page} profile={props} />
        <EmailPanel page={page} email={props.email} problem={props.problem?.field === "email" ? props.problem.text : undefined} />
        <UsernamePanel page={page} profile={props} />
        <Panel title={page.texts.removal.title} text={page.texts.removal.teaser} tone="danger">
          <a class="button small danger-text" href={DELETE_ACCOUNT_PATH}>
            {page.texts.removal.open}
          </a>
        </Panel>
      </>
    ),
  });
}

interface PanelProps {
  readonly page: PageContext;
  readonly profile: ProfilePageProps;
}

function NamePanel({ page, profile: { name, showName, email, problem } }: PanelProps) {
  const { account, profile: texts } = page.texts;
  const isWrong = problem?.field === "name";
  return (
    <section class="card panel">
      <div class="identity">
        <span class="avatar" aria-hidden="true">
          {initialOf(visibleText(name))}
        </span>
        <div class="identity-text">
          <h2>
            <bdi>{visibleText(name)}</bdi>
          </h2>
          <p class="quiet">{email.email}</p>
        </div>
        <form method="post" action={SIGN_OUT_PATH} data-sign-out>
          <button class="button small" type="submit">
            {account.signOut}
          </button>
        </form>
      </div>
      <PageForm action={PROFILE_PATH} submit={texts.save} problem={isWrong ? problem.text : undefined} savesChanges={!isWrong}>
        <input type="hidden" name="action" value="name" />
        <TextField
          name="name"
          label={account.name}
          type="text"
          autocomplete="name"
          hint={texts.nameHint}
          maxLength={100}
          value={isWrong ? problem.entered : name}
          isWrong={isWrong}
        />
        <label class="check">
          <input type="checkbox" name="showName" value="true" checked={showName} />
          {texts.showName}
        </label>
      </PageForm>
    </section>
  );
}

function UsernamePanel({ page, profile: { username, maxUsernameChanges, problem } }: PanelProps) {
  const { profile: texts } = page.texts;
  const isWrong = problem?.field === "username";
  return (
    <Panel title={texts.username} text={texts.usernameText}>
      {username === null ? null : (
        <p>
          <a href={publicPagePath(username)}>{texts.toPublicPage}</a> <span class="quiet">{publicPagePath(username)}</span>
        </p>
      )}
      <PageForm
        action={PROFILE_PATH}
        submit={username === null ? texts.claim : texts.change}
        problem={isWrong ? problem.text : undefined}
        savesChanges={!isWrong && username !== null}
      >
        <input type="hidden" name="action" value="username" />
        <TextField
          name="username"
          label={texts.usernameLabel}
          type="text"
          autocomplete="off"
          hint={texts.usernameHint(maxUsernameChanges)}
          minLength={3}
          maxLength={30}
          value={isWrong ? problem.entered : (username ?? "")}
          isWrong={isWrong}
        />
      </PageForm>
      {username === null ? null : (
        <Ask
          label={texts.remove}
          path={PROFILE_PATH}
          fields={{ action: "remove-username" }}
          text={texts.removeText(username)}
          confirm={texts.remove}
          tone="danger"
        />
      )}
    </Panel>
  );
}
