/** @jsxImportSource preact */
/** The setting that protects a share with a password of its sender. */
import { SHARE_PASSWORD } from "../../../../src/contract/unlock-code.ts";

export interface PasswordSettingProps {
  readonly id: string;
  readonly describedBy: string;
  readonly submitLabel: string;
  /** The class of the row with the field and its button. */
  readonly rowClass: string;
  /** Protects the share. The field is emptied, because the server cannot show the password again. */
  onSave(password: string): void;
}

/** Renders the field and its button. A password is saved by the button and not when the field is left, because that would end earlier links. */
export function PasswordSetting({ id, describedBy, submitLabel, rowClass, onSave }: PasswordSettingProps) {
  return (
    <form
      class={rowClass}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const password = new FormData(form).get("password");
        if (typeof password === "string") onSave(password);
        form.reset();
      }}
    >
      <input
        id={id}
        name="password"
        type="password"
        required
        {...SHARE_PASSWORD}
        autoComplete="new-password"
        aria-describedby={describedBy}
      />
      <button class="button small" type="submit">
        {submitLabel}
      </button>
    </form>
  );
}
