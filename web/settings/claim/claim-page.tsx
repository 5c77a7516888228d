/** @jsxImportSource preact */

import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { CLAIM_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

export interface ClaimPageProps {
  /** The entered value, if it was refused. */
  readonly entered?: string | undefined;
  readonly problem?: { readonly field: "link" | "token"; readonly text: string } | undefined;
  /** The path of the claimed share. */
  readonly claimedPath?: string | undefined;
}

/** Renders the form that moves an anonymous upload into the account. */
export function renderClaimPage(page: PageContext, { entered, problem, claimedPath }: ClaimPageProps): string {
  const { usage: texts } = page.texts;
  return renderSettings(page, {
    section: "claim",
    intro: texts.claimIntro,
    done: claimedPath === undefined ? undefined : texts.claimed,
    children: (
      <>
        {claimedPath === undefined ? null : (
          <p>
            <a class="button small" href={claimedPath}>
              {texts.show}
            </a>
          </p>
        )}
        {/* The script lists here what this device sent without an account. */}
        <div id="device-shares" />
        <section class="card panel">
          <details id="by-token" open={problem !== undefined}>
            <summary>{texts.byToken}</summary>
            <PageForm action={CLAIM_PATH} submit={texts.submit} problem={problem?.text}>
              <TextField
                name="link"
                label={texts.link}
                hint={texts.linkHint}
                type="text"
                autocomplete="off"
                maxLength={2048}
                value={entered}
                isWrong={problem?.field === "link"}
              />
              <TextField
                name="token"
                label={texts.token}
                hint={texts.tokenHint}
                type="text"
                autocomplete="off"
                maxLength={200}
                isWrong={problem?.field === "token"}
              />
            </PageForm>
          </details>
        </section>
      </>
    ),
  });
}
