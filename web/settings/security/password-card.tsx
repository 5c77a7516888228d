/** @jsxImportSource preact */
import { PASSWORD } from "../../../src/contract/scalars.ts";
import { PROVE_PATH } from "../../account/paths.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Panel } from "../../site/panel.tsx";
import { PASSWORD_PATH, SECURITY_PATH } from "../paths.ts";

/** The reason why the entered password is refused. */
export interface PasswordProblem {
  readonly field: "currentPassword" | "newPassword";
  readonly text: string;
}

export interface PasswordCardProps {
  readonly page: PageContext;
  readonly hasPassword: boolean;
  /** Whether the session has a proof that is recent enough. */
  readonly isProved: boolean;
  readonly problem: PasswordProblem | undefined;
}

/** Renders the password of the account. It is changed with the current password, and set for the first time after a proof. */
export function PasswordCard({ page, hasPassword, isProved, problem }: PasswordCardProps) {
  const texts = page.texts.account;
  if (!hasPassword && !isProved)
    return (
      <Panel title={texts.setPassword} text={texts.setPasswordText}>
        <a class="button small" href={`${PROVE_PATH}?next=${encodeURIComponent(SECURITY_PATH)}`}>
          {texts.setPassword}
        </a>
      </Panel>
    );
  const title = hasPassword ? texts.changePassword : texts.setPassword;
  return (
    <Panel title={title} text={hasPassword ? undefined : texts.setPasswordText}>
      <PageForm action={PASSWORD_PATH} submit={title} problem={problem?.text}>
        {hasPassword ? (
          <TextField
            name="currentPassword"
            label={texts.currentPassword}
            type="password"
            autocomplete="current-password"
            maxLength={PASSWORD.maxLength}
            isWrong={problem?.field === "currentPassword"}
          />
        ) : null}
        <TextField
          name="newPassword"
          label={texts.newPassword}
          type="password"
          autocomplete="new-password"
          hint={texts.newPasswordHint(PASSWORD.minLength)}
          minLength={PASSWORD.minLength}
          maxLength={PASSWORD.maxLength}
          isWrong={problem?.field === "newPassword"}
        />
      </PageForm>
    </Panel>
  );
}
