/** @jsxImportSource preact */
import { PASSWORD } from "../../../src/contract/scalars.ts";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { CodeField } from "../code-field.tsx";
import { PasskeyForm } from "../passkeys/passkey-form.tsx";
import { FORGOT_PATH, PASSKEY_PROOF_PATH, PROVE_PATH, PROVIDER_PROOF_PATH } from "../paths.ts";
import { ProviderForm } from "../providers/provider-form.tsx";

export interface ProvePageProps {
  readonly problem?: string | undefined;
  /** The reason why a passkey was refused. */
  readonly passkeyProblem?: string | undefined;
  readonly hasPassword: boolean;
  readonly hasPasskeys: boolean;
  /** Whether the account has two-step sign-in. */
  readonly needsCode: boolean;
  /** Whether the account can sign in at the provider instead of with a password. */
  readonly isConnected: boolean;
  /** Whether the sign-in at the provider needs the code as well. */
  readonly needsProviderCode: boolean;
  /** The reason why a code was refused before the redirect to the provider. */
  readonly providerProblem?: string | undefined;
  /** Whether a link that sets a password can be mailed, for an account without another proof. */
  readonly hasMail: boolean;
  /** The path of the next page. */
  readonly next: string;
}

/** Renders the page on which the signed-in person proves their identity. */
export function renderProvePage(page: PageContext, props: ProvePageProps): string {
  const { problem, passkeyProblem, providerProblem, hasPassword, hasPasskeys, needsCode, isConnected, needsProviderCode, next } = props;
  const { account, factors, passkeys } = page.texts;
  const isPasswordAlone = hasPassword && !hasPasskeys;
  const hasNone = !(hasPassword || hasPasskeys || isConnected);
  const title = isPasswordAlone ? factors.prove : passkeys.proveTitle;
  return renderDocument(page, {
    title,
    styles: ["dashboard"],
    main: { "data-state": "prove" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{title}</h1>
          <p class="quiet">{isPasswordAlone ? factors.proveWhy : passkeys.proveWhy}</p>
        </div>
        {hasNone ? <NoWay page={page} hasMail={props.hasMail} /> : null}
        {hasPassword ? (
          <PageForm action={PROVE_PATH} submit={factors.goOn} problem={problem}>
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
          </PageForm>
        ) : null}
        {hasPasskeys ? (
          <PasskeyForm
            page={page}
            use="prove"
            action={PASSKEY_PROOF_PATH}
            submit={passkeys.proveWith}
            fields={{ next }}
            problem={passkeyProblem}
            isAlternative={hasPassword}
          />
        ) : null}
        {isConnected ? (
          <ProviderForm page={page} action={PROVIDER_PROOF_PATH} fields={{ next }} problem={providerProblem}>
            {needsProviderCode ? <CodeField label={factors.anyCode} acceptsRecovery isWrong={providerProblem !== undefined} /> : null}
          </ProviderForm>
        ) : null}
      </section>
    ),
  });
}

/** Renders the advice for an account without a password, a passkey or a provider that works here. */
function NoWay({ page, hasMail }: { readonly page: PageContext; readonly hasMail: boolean }) {
  const { accountLinks, factors } = page.texts;
  return (
    <>
      <p>
        {factors.noWay} {hasMail ? null : accountLinks.forgottenNoMail}
      </p>
      {hasMail ? (
        <p class="actions">
          <a class="button" href={FORGOT_PATH}>
            {factors.noWayLink}
          </a>
        </p>
      ) : null}
    </>
  );
}
