/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PageContext } from "../../site/page-context.ts";

export interface ProviderFormProps {
  readonly page: PageContext;
  /** Path that it is sent to. */
  readonly action: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** Why what was entered is refused. */
  readonly problem?: string | undefined;
  readonly children?: ComponentChildren;
}

/** The way to sign in at the site's OpenID Connect provider, below the form with a password; nothing if there is none. */
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
