/** @jsxImportSource preact */
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { CodeField } from "../code-field.tsx";
import { SIGN_IN_CODE_PATH, SIGN_IN_PATH } from "../paths.ts";

export interface CodePageProps {
  readonly problem?: { readonly kind: "app" | "recovery"; readonly text: string } | undefined;
  /** The path of the next page. */
  readonly next?: string | undefined;
}

/** Renders the second step of signing in. */
export function renderCodePage(page: PageContext, { problem, next }: CodePageProps): string {
  const { factors: texts, account } = page.texts;
  const isRecovery = problem?.kind === "recovery";
  const goingOn = next === undefined ? null : <input type="hidden" name="next" value={next} />;
  return renderDocument(page, {
    title: texts.enterCode,
    styles: ["dashboard"],
    main: { "data-state": "sign-in-code" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.enterCode}</h1>
          <p class="quiet">{texts.enterCodeText}</p>
        </div>
        <PageForm action={SIGN_IN_CODE_PATH} submit={account.signIn} problem={isRecovery ? undefined : problem?.text}>
          {goingOn}
          <CodeField label={texts.appCode} isWrong={problem?.kind === "app"} autofocus={!isRecovery} />
        </PageForm>
        <details id="recovery" open={isRecovery}>
          <summary>{texts.lostApp}</summary>
          <PageForm action={SIGN_IN_CODE_PATH} submit={account.signIn} problem={isRecovery ? problem.text : undefined}>
            {goingOn}
            <input type="hidden" name="kind" value="recovery" />
            <TextField
              name="code"
              label={texts.recoveryCode}
              type="text"
              autocomplete="off"
              hint={texts.recoveryCodeHint}
              maxLength={50}
              isWrong={isRecovery}
            />
          </PageForm>
        </details>
        <p class="quiet">
          <a href={SIGN_IN_PATH}>{texts.startAgain}</a>
        </p>
      </section>
    ),
  });
}
