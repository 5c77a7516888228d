/** @jsxImportSource preact */
import type { PageContext } from "../page-context.ts";

export interface ProviderFormProps {
  readonly page: PageContext;
  /** Path that it is sent to. */
  readonly action: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
}

/** The way to sign in at the site's OpenID Connect provider, below the form with a password; nothing if there is none. */
export function ProviderForm({ page: { site, texts }, action, fields = {} }: ProviderFormProps) {
  if (site.provider === undefined) return null;
  return (
    <>
      <p class="or">{texts.provider.or}</p>
      <form class="form" method="post" action={action}>
        {Object.entries(fields).map(([name, value]) =>
          value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />,
        )}
        <button class="button plain" type="submit">
          {texts.provider.continueWith(site.provider)}
        </button>
      </form>
    </>
  );
}
