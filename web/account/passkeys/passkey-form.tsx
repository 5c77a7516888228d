/** @jsxImportSource preact */
import { PasskeyIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import type { PasskeyUse } from "./passkey-use.ts";

export interface PasskeyFormProps {
  readonly page: PageContext;
  readonly use: PasskeyUse;
  /** The path to which the form is sent. */
  readonly action: string;
  readonly submit: string;
  /** The names and values of hidden fields. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** Whether the form is an alternative to the form above it. */
  readonly isAlternative?: boolean;
  readonly problem?: string | undefined;
}

/** Renders a button that asks the browser for a passkey. It is hidden until a script finds that the browser can use one here. */
export function PasskeyForm({ page: { texts }, use, action, submit, fields = {}, isAlternative = false, problem }: PasskeyFormProps) {
  return (
    <div class="passkey" hidden>
      {isAlternative ? <p class="or">{texts.passkeys.or}</p> : null}
      <form class="form" method="post" action={action} data-passkey={use}>
        <p class="problem" role="alert" hidden={problem === undefined}>
          {problem}
        </p>
        {Object.entries(fields).map(([name, value]) =>
          value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />,
        )}
        <input type="hidden" name="credential" />
        <button class={isAlternative ? "button plain" : "button"} type="submit">
          <PasskeyIcon />
          {submit}
        </button>
      </form>
    </div>
  );
}
