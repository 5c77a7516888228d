/** @jsxImportSource preact */
import { PASSWORD } from "../../../src/contract/scalars.ts";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";

export interface NewPasswordPageProps {
  /** The path of this page. */
  readonly path: string;
  /** Whether the reset also ends sessions, keys and applications of the account. */
  readonly isTakeOver?: boolean | undefined;
  readonly problem?: string | undefined;
}

/** Renders the page of a link that sets a new password. */
export function renderNewPasswordPage(page: PageContext, { path, isTakeOver, problem }: NewPasswordPageProps): string {
  const { account, accountLinks: texts } = page.texts;
  return renderDocument(page, {
    title: texts.choosePassword,
    main: { "data-state": "reset" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.choosePassword}</h1>
          <p class="quiet">{texts.choosePasswordText}</p>
          {isTakeOver ? <p>{texts.choosePasswordEnds}</p> : null}
        </div>
        <PageForm action={path} submit={texts.savePassword} problem={problem}>
          <TextField
            name="newPassword"
            label={account.newPassword}
            type="password"
            autocomplete="new-password"
            hint={account.newPasswordHint(PASSWORD.minLength)}
            minLength={PASSWORD.minLength}
            maxLength={PASSWORD.maxLength}
            isWrong={problem !== undefined}
          />
        </PageForm>
      </section>
    ),
  });
}
