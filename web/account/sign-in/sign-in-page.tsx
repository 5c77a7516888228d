/** @jsxImportSource preact */
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { PasskeyForm } from "../passkeys/passkey-form.tsx";
import { FORGOT_PATH, PASSKEY_SIGN_IN_PATH, PROVIDER_PATH, SIGN_IN_PATH, SIGN_UP_PATH } from "../paths.ts";
import { ProviderForm } from "../providers/provider-form.tsx";

export interface SignInPageProps {
  /** The entered name, if it was refused. */
  readonly login?: string | undefined;
  readonly problem?: string | undefined;
  /** The reason why a passkey was refused. */
  readonly passkeyProblem?: string | undefined;
  /** The path of the next page. */
  readonly next?: string | undefined;
  readonly canSignUp: boolean;
}

/** Renders the page on which people sign in. */
export function renderSignInPage(page: PageContext, { login, problem, passkeyProblem, next, canSignUp }: SignInPageProps): string {
  const texts = page.texts.account;
  return renderDocument(page, {
    title: texts.signIn,
    main: { "data-state": "sign-in" },
    children: (
      <section class="card">
        <h1>{texts.signIn}</h1>
        <PageForm action={SIGN_IN_PATH} submit={texts.signIn} problem={problem}>
          {next === undefined ? null : <input type="hidden" name="next" value={next} />}
          <TextField name="login" label={texts.login} type="text" autocomplete="username webauthn" maxLength={254} value={login} />
          <TextField
            name="password"
            label={texts.password}
            type="password"
            autocomplete="current-password"
            maxLength={128}
            isWrong={problem !== undefined}
          />
        </PageForm>
        <p class="quiet">
          <a href={FORGOT_PATH}>{page.texts.accountLinks.forgot}</a>
        </p>
        <PasskeyForm
          page={page}
          use="sign-in"
          action={PASSKEY_SIGN_IN_PATH}
          submit={page.texts.passkeys.signIn}
          fields={{ next }}
          problem={passkeyProblem}
          isAlternative
        />
        <ProviderForm page={page} action={PROVIDER_PATH} fields={{ next }} />
        {canSignUp ? (
          <p class="quiet">
            {texts.noAccount} <a href={SIGN_UP_PATH}>{texts.signUp}</a>
          </p>
        ) : null}
      </section>
    ),
  });
}
