/** @jsxImportSource preact */
import { PASSWORD } from "../../../src/contract/scalars.ts";
import { renderDocument } from "../../site/layout.tsx";
import { Done } from "../../site/outcome.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { SIGN_IN_PATH, VERIFY_PATH } from "../paths.ts";

export interface VerifyPageProps {
  /** The address that is not verified yet. */
  readonly email: string;
  /** The result of the last form. */
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders the page that says where the verification link was sent, and what is limited until then. */
export function renderVerifyPage(page: PageContext, { email, done, problem }: VerifyPageProps): string {
  const texts = page.texts.accountLinks;
  return renderDocument(page, {
    title: texts.checkMail,
    styles: ["dashboard"],
    main: { "data-state": "verify" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.checkMail}</h1>
          <p>{texts.sentTo(email)}</p>
          <p class="quiet">{texts.untilVerified}</p>
        </div>
        {done === undefined ? null : <Done>{done}</Done>}
        <PageForm action={VERIFY_PATH} submit={texts.sendAgain} tone="plain" problem={problem} isOfForm />
        <p class="quiet">
          {texts.notArrived} <a href="/">{texts.goOn}</a>
        </p>
      </section>
    ),
  });
}

export interface VerificationLinkProps {
  readonly path: string;
  /** The address of the account, for a browser that is not signed in to it. */
  readonly email?: string | undefined;
  readonly problem?: string | undefined;
}

/**
 * Renders the page of the link. Mail programs open links automatically, so only the button verifies, and only for a person who is signed in to the
 * account or knows its password.
 */
export function renderVerificationLink(page: PageContext, { path, email, problem }: VerificationLinkProps): string {
  const texts = page.texts.accountLinks;
  const { account } = page.texts;
  return renderDocument(page, {
    title: texts.verify,
    main: { "data-state": "verify-link" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.verify}</h1>
          <p class="quiet">{texts.verifyText(page.site.name)}</p>
        </div>
        {email === undefined ? (
          <PageForm action={path} submit={texts.verify} problem={problem} isOfForm />
        ) : (
          <>
            <PageForm action={path} submit={texts.verify} problem={problem}>
              <TextField name="login" label={account.email} type="email" autocomplete="username" maxLength={254} value={email} readOnly />
              <TextField
                name="password"
                label={account.password}
                hint={texts.passwordOfAccount}
                type="password"
                autocomplete="current-password"
                maxLength={PASSWORD.maxLength}
                isWrong={problem !== undefined}
              />
            </PageForm>
            <p class="quiet">
              <a href={`${SIGN_IN_PATH}?next=${encodeURIComponent(path)}`}>{texts.otherWay}</a>
            </p>
            <p class="quiet">{texts.notYours}</p>
          </>
        )}
      </section>
    ),
  });
}
