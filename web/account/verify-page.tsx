/** @jsxImportSource preact */
import { TickIcon } from "../icons.tsx";
import { renderDocument } from "../layout.tsx";
import type { PageContext } from "../page-context.ts";
import { AccountForm } from "./account-form.tsx";
import { VERIFY_PATH } from "./paths.ts";

export interface VerifyPageProps {
  /** The address that is not verified yet. */
  readonly email: string;
  /** What the last form did. */
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders where the link that verifies an address was sent, and until when what is limited. */
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
        {done === undefined ? null : (
          <p class="done" role="status">
            <TickIcon />
            {done}
          </p>
        )}
        <AccountForm action={VERIFY_PATH} submit={texts.sendAgain} problem={problem} />
        <p class="quiet">
          {texts.notArrived} <a href="/">{texts.goOn}</a>
        </p>
      </section>
    ),
  });
}

/** Renders the page of the link, which mail programs open on their own: only its button verifies. */
export function renderVerificationLink(page: PageContext, { path }: { readonly path: string }): string {
  const texts = page.texts.accountLinks;
  return renderDocument(page, {
    title: texts.verify,
    main: { "data-state": "verify-link" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.verify}</h1>
          <p class="quiet">{texts.verifyText(page.site.name)}</p>
        </div>
        <AccountForm action={path} submit={texts.verify} problem={undefined} />
      </section>
    ),
  });
}
