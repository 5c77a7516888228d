/** @jsxImportSource preact */

export interface CodeFieldProps {
  readonly label: string;
  /** Whether a recovery code, which has letters, is accepted as well. */
  readonly acceptsRecovery?: boolean;
  readonly isWrong?: boolean;
  readonly autofocus?: boolean;
}

/** Renders the field for the six digits of an authenticator app. Phones show a keypad of digits, and offer a code that they know. */
export function CodeField({ label, acceptsRecovery = false, isWrong = false, autofocus = false }: CodeFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class={acceptsRecovery ? "code digits wide-code" : "code digits"}
        name="code"
        type="text"
        required
        inputmode={acceptsRecovery ? "text" : "numeric"}
        autocapitalize="characters"
        autocomplete="one-time-code"
        maxLength={acceptsRecovery ? 20 : 10}
        spellcheck={false}
        autofocus={isWrong || autofocus}
        aria-invalid={isWrong ? "true" : undefined}
        aria-describedby={isWrong ? "problem" : undefined}
      />
    </label>
  );
}
