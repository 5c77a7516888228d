/** @jsxImportSource preact */
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { FORGOT_PATH, SIGN_IN_PATH } from "../paths.ts";

export interface ForgottenPageProps {
  readonly email?: string | undefined;
  readonly problem?: string | undefined;
  /** Whether the server sends mail. Without mail, only the administrator can make a link. */
  readonly hasMail: boolean;
}

/** Renders the page on which people request a link that sets a new password. */
export function renderForgottenPage(page: PageContext, { email, problem, hasMail }: ForgottenPageProps): string {
  const { account, accountLinks: texts } = page.texts;
  return renderDocument(page, {
    title: texts.forgotten,
    main: { "data-state": "forgot" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.forgotten}</h1>
          <p class="quiet">{hasMail ? texts.forgottenText : texts.forgottenNoMail}</p>
        </div>
        {hasMail ? (
          <PageForm action={FORGOT_PATH} submit={texts.sendLink} problem={problem}>
            <TextField
              name="email"
              label={account.email}
              type="email"
              autocomplete="username"
              maxLength={254}
              value={email}
              isWrong={problem !== undefined}
            />
          </PageForm>
        ) : page.site.abuseUrl === undefined ? null : (
          <a class="button plain" href={page.site.abuseUrl} rel="noopener">
            {page.texts.messages.contact}
          </a>
        )}
        <p class="quiet">
          <a href={SIGN_IN_PATH}>{texts.backToSignIn}</a>
        </p>
      </section>
    ),
  });
}

/** Renders the confirmation of a request for a link. It is the same for every address. */
export function renderLinkSentPage(page: PageContext, { email }: { readonly email: string }): string {
  const texts = page.texts.accountLinks;
  return renderDocument(page, {
    title: texts.checkMail,
    main: { "data-state": "forgot-sent" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.checkMail}</h1>
          <p>{texts.resetSent(email)}</p>
          <p class="quiet">{texts.resetSentNote}</p>
        </div>
        <p class="quiet">
          {texts.notArrived} <a href={FORGOT_PATH}>{texts.tryAgain}</a>
        </p>
      </section>
    ),
  });
}
