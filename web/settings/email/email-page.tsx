/** @jsxImportSource preact */

import { formatDate } from "../../site/format.ts";
import { renderDocument } from "../../site/layout.tsx";
import { Problem } from "../../site/outcome.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Panel } from "../../site/panel.tsx";
import { EMAIL_PATH, PROFILE_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

/** The ID of the address's heading in the profile. */
export const EMAIL_PANEL = "address";

export interface EmailView {
  readonly email: string;
  /** Whether a link that proves the address is offered. */
  readonly canProve: boolean;
  /** The change that waits for its confirmation. */
  readonly pending: { readonly email: string; readonly expiresAt: string } | null;
}

interface EmailPanelProps {
  readonly page: PageContext;
  readonly email: EmailView;
  /** The reason why no link was mailed. */
  readonly problem?: string | undefined;
}

/** Renders the address of the account, with its pending change. */
export function EmailPanel({ page, email: { email, canProve, pending }, problem }: EmailPanelProps) {
  const texts = page.texts.address;
  return (
    <Panel id={EMAIL_PANEL} title={texts.title} text={<bdi>{email}</bdi>}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {canProve ? <EmailItem name={texts.unproved} text={texts.unprovedText} action="prove-email" submit={texts.submit} /> : null}
      {pending === null ? null : (
        <EmailItem
          name={texts.pending(pending.email)}
          text={texts.pendingText(formatDate(Date.parse(pending.expiresAt), page))}
          action="cancel-email"
          submit={texts.cancel}
        />
      )}
      <a class="button small" href={EMAIL_PATH}>
        {texts.change}
      </a>
    </Panel>
  );
}

interface EmailItemProps {
  readonly name: string;
  readonly text: string;
  readonly action: string;
  readonly submit: string;
}

/** Renders a fact about the address, with its button. */
function EmailItem({ name, text, action, submit }: EmailItemProps) {
  return (
    <div>
      <div class="item">
        <p class="item-head">
          <span class="item-name">{name}</span>
          <span class="quiet">{text}</span>
        </p>
        <form method="post" action={PROFILE_PATH}>
          <input type="hidden" name="action" value={action} />
          <button class="button small" type="submit">
            {submit}
          </button>
        </form>
      </div>
    </div>
  );
}

export interface EmailPageProps {
  readonly email: string;
  /** Whether a link is mailed to the new address. */
  readonly isMailed: boolean;
  /** The reason why the entered address is refused. */
  readonly problem?: { readonly text: string; readonly entered: string } | undefined;
}

/** Renders the page on which the address of the account is changed. */
export function renderEmailPage(page: PageContext, { email, isMailed, problem }: EmailPageProps): string {
  const { address: texts, settings } = page.texts;
  return renderSettings(page, {
    section: "profile",
    title: texts.change,
    back: { path: PROFILE_PATH, text: settings.profile },
    children: (
      <Panel title={texts.title} text={<bdi>{email}</bdi>}>
        <PageForm action={EMAIL_PATH} submit={isMailed ? texts.submit : texts.save} problem={problem?.text}>
          <TextField
            name="newEmail"
            label={texts.newAddress}
            type="email"
            autocomplete="email"
            hint={isMailed ? texts.byMail : texts.atOnce}
            maxLength={254}
            value={problem?.entered}
            isWrong={problem !== undefined}
          />
        </PageForm>
      </Panel>
    ),
  });
}

/** Renders the page of the link. Mail programs open links automatically, so only the button changes the address. */
export function renderEmailLink(page: PageContext, { path, email }: { readonly path: string; readonly email: string }): string {
  const texts = page.texts.address;
  return renderDocument(page, {
    title: texts.confirmTitle,
    main: { "data-state": "email-link" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.confirmTitle}</h1>
          <p>{texts.confirmText(email)}</p>
        </div>
        <PageForm action={path} submit={texts.confirm} problem={undefined} />
      </section>
    ),
  });
}
