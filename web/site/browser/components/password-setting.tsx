/** @jsxImportSource preact */
/** The setting that protects a share with a password of its sender. */
import { SHARE_PASSWORD_FIELD } from "../../../../src/contract/unlock-code.ts";

export interface PasswordSettingProps {
  readonly id: string;
  readonly describedBy: string;
  readonly submitLabel: string;
  /** The class of the row with the field and its button. */
  readonly rowClass: string;
  /** Protects the share. Resolves to whether the password was saved. */
  onSave(password: string): Promise<boolean>;
}

/**
 * Renders the field and its button. The password is shown while it is written, because its sender passes it on and a typing error would close the
 * share to everybody. It is saved by the button and not when the field is left, because that would end earlier links. The field is emptied once it is
 * saved: the server cannot show the password again.
 */
export function PasswordSetting({ id, describedBy, submitLabel, rowClass, onSave }: PasswordSettingProps) {
  const save = async (form: HTMLFormElement): Promise<void> => {
    const password = new FormData(form).get("password");
    if (typeof password === "string" && (await onSave(password))) form.reset();
  };
  return (
    <form
      class={rowClass}
      // Without its script, the form must not put the password into the address.
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        void save(event.currentTarget);
      }}
    >
      <input
        id={id}
        name="password"
        type="text"
        required
        {...SHARE_PASSWORD_FIELD}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellcheck={false}
        aria-describedby={describedBy}
      />
      <button class="button small" type="submit">
        {submitLabel}
      </button>
    </form>
  );
}
