/** @jsxImportSource preact */
import { PASSWORD } from "../../src/contract/scalars.ts";
import { renderDocument } from "../layout.tsx";
import type { PageContext } from "../page-context.ts";
import { AccountForm, TextField } from "./account-form.tsx";
import { CodeField } from "./code-field.tsx";
import { PROVE_PATH, PROVIDER_PROOF_PATH } from "./paths.ts";
import { ProviderForm } from "./provider-form.tsx";

export interface ProvePageProps {
  readonly problem?: string | undefined;
  /** Whether the account has two-step sign-in. */
  readonly needsCode: boolean;
  /** Whether the account can sign in at the provider instead. */
  readonly isConnected: boolean;
  /** Path to go to afterwards. */
  readonly next: string;
}

/** Renders the page on which who is signed in proves it. */
export function renderProvePage(page: PageContext, { problem, needsCode, isConnected, next }: ProvePageProps): string {
  const { account, factors } = page.texts;
  return renderDocument(page, {
    title: factors.prove,
    styles: ["dashboard"],
    main: { "data-state": "prove" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{factors.prove}</h1>
          <p class="quiet">{factors.proveWhy}</p>
        </div>
        <AccountForm action={PROVE_PATH} submit={factors.goOn} problem={problem}>
          <input type="hidden" name="next" value={next} />
          <TextField
            name="password"
            label={account.password}
            type="password"
            autocomplete="current-password"
            maxLength={PASSWORD.maxLength}
            isWrong={problem !== undefined}
          />
          {needsCode ? <CodeField label={factors.anyCode} acceptsRecovery /> : null}
        </AccountForm>
        {isConnected ? <ProviderForm page={page} action={PROVIDER_PROOF_PATH} fields={{ next }} /> : null}
      </section>
    ),
  });
}
