/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Panel } from "../../site/panel.tsx";
import { DELETE_ACCOUNT_PATH, PROFILE_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

export interface DeleteAccountPageProps {
  readonly email: string;
  readonly files: number;
  readonly usedBytes: number;
  readonly keys: number;
  readonly webhooks: number;
  /** Whether the account has a subscription that takes payments. */
  readonly hasSubscription: boolean;
  /** The number of people who have not downloaded what they bought from the account. */
  readonly buyers: number;
  /** The reason why the deletion was refused. */
  readonly problem?: string | undefined;
}

/** Renders the data that the deletion of the account deletes, and asks for confirmation. */
export function renderDeleteAccountPage(page: PageContext, props: DeleteAccountPageProps): string {
  const { email, files, usedBytes, keys, webhooks, hasSubscription, buyers, problem } = props;
  const { removal: texts } = page.texts;
  return renderSettings(page, {
    section: "profile",
    title: texts.title,
    back: { path: PROFILE_PATH, text: page.texts.settings.profile },
    intro: texts.teaser,
    children: (
      <>
        <Panel title={texts.heading}>
          <div>
            <p>{texts.now}</p>
            <ul class="bullets">
              <li>{files === 0 ? texts.noFiles : texts.links(files, formatSize(usedBytes, page.language))}</li>
              <li>{texts.programs(keys, webhooks)}</li>
              <li>{texts.signIn}</li>
              {hasSubscription ? <li>{texts.subscription}</li> : null}
              {buyers === 0 ? null : <li>{texts.buyers(buyers)}</li>}
            </ul>
          </div>
          <p class="quiet">
            {texts.later} {texts.uploads}
          </p>
        </Panel>
        <Panel title={texts.stays} text={texts.staysText} />
        <Panel title={texts.title} text={texts.yours(email)} tone="danger">
          <PageForm action={DELETE_ACCOUNT_PATH} submit={texts.confirm} problem={problem} tone="danger">
            <TextField name="confirm" label={texts.label} type="text" autocomplete="off" maxLength={254} isWrong={problem !== undefined} />
            {buyers === 0 ? null : <input type="hidden" name="force" value="true" />}
          </PageForm>
        </Panel>
      </>
    ),
  });
}

/** Renders the page after the deletion, for a reader who no longer has an account. */
export function renderAccountDeletedPage(page: PageContext): string {
  const { removal: texts } = page.texts;
  return renderDocument(page, {
    title: texts.done,
    main: { "data-state": "account-deleted" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.done}</h1>
          <p class="quiet">{texts.doneText}</p>
        </div>
        <p class="actions">
          <a class="button plain" href="/">
            {page.texts.messages.start}
          </a>
        </p>
      </section>
    ),
  });
}
