/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PageContext } from "../../site/page-context.ts";

export interface ProviderFormProps {
  readonly page: PageContext;
  /** The path to which the form is sent. */
  readonly action: string;
  /** The names and values of hidden fields. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** The reason why the entered values were refused. */
  readonly problem?: string | undefined;
  readonly children?: ComponentChildren;
}

/** Renders the button that signs in at the site's OpenID Connect provider, below the form with a password; nothing if there is no provider. */
export function ProviderForm({ page: { site, texts }, action, fields = {}, problem, children }: ProviderFormProps) {
  if (site.provider === undefined) return null;
  return (
    <>
      <p class="or">{texts.provider.or}</p>
      <form class="form" method="post" action={action}>
        {problem === undefined ? null : (
          <p class="problem" id="problem" role="alert">
            {problem}
          </p>
        )}
        {Object.entries(fields).map(([name, value]) =>
          value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />,
        )}
        {children}
        <button class="button plain" type="submit">
          {texts.provider.continueWith(site.provider)}
        </button>
      </form>
    </>
  );
}
