/** @jsxImportSource preact */
import { PASSWORD } from "../../../src/contract/scalars.ts";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { PROVIDER_PATH, SIGN_IN_PATH } from "../paths.ts";
import { ProviderForm } from "../providers/provider-form.tsx";
import type { AccountTexts } from "../texts/en.ts";

export type SignUpField = "email" | "name" | "password";

export interface SignUpPageProps {
  /** The path of this page. */
  readonly path: string;
  readonly entered?: { readonly email?: string | undefined; readonly name?: string | undefined };
  readonly problem?: { readonly field: SignUpField | undefined; readonly text: string } | undefined;
  /** The reason why nobody can sign up here. */
  readonly closed?: keyof AccountTexts["closed"] | undefined;
  /** The invite of the page. */
  readonly invite?: { readonly role: "user" | "admin"; readonly email: string | null; readonly token: string } | undefined;
}

/** Renders the page on which people create an account. */
export function renderSignUpPage(page: PageContext, { path, entered = {}, problem, closed, invite }: SignUpPageProps): string {
  const texts = page.texts.account;
  const invitedEmail = invite?.email ?? undefined;
  const isClosed = closed !== undefined;
  const [title, intro] = isClosed
    ? [texts.closed[closed].title, texts.closed[closed].text]
    : invite === undefined
      ? [texts.signUp, texts.signUpIntro]
      : invite.role === "admin"
        ? [texts.invitedAdmin, texts.invitedAdminText]
        : [texts.invited, texts.invitedText];
  return renderDocument(page, {
    title,
    main: { "data-state": "sign-up" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{title}</h1>
          <p class="quiet">{intro}</p>
        </div>
        {isClosed ? null : (
          <PageForm action={path} submit={texts.signUp} problem={problem?.text}>
            <TextField
              name="name"
              label={texts.name}
              type="text"
              autocomplete="name"
              hint={texts.nameHint}
              maxLength={100}
              value={entered.name}
              isFirst={invitedEmail !== undefined && problem === undefined}
              isWrong={problem?.field === "name"}
            />
            <TextField
              name="email"
              label={texts.email}
              type="email"
              autocomplete="email"
              hint={invitedEmail === undefined ? undefined : texts.invitedEmail}
              maxLength={254}
              value={invitedEmail ?? entered.email}
              readOnly={invitedEmail !== undefined}
              isWrong={problem?.field === "email"}
            />
            <TextField
              name="password"
              label={texts.password}
              type="password"
              autocomplete="new-password"
              hint={texts.newPasswordHint(PASSWORD.minLength)}
              minLength={PASSWORD.minLength}
              maxLength={PASSWORD.maxLength}
              isWrong={problem?.field === "password"}
            />
          </PageForm>
        )}
        {isClosed ? null : <ProviderForm page={page} action={PROVIDER_PATH} fields={{ invite: invite?.token }} />}
        <p class="quiet">
          {texts.haveAccount} <a href={SIGN_IN_PATH}>{texts.signIn}</a>
        </p>
      </section>
    ),
  });
}
