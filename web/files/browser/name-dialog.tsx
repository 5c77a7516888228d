/** @jsxImportSource preact */
import { useLayoutEffect, useRef } from "preact/hooks";
import { files as texts } from "#texts/files";
import { FormDialog } from "../../site/browser/components/form-dialog.tsx";
import { splitName } from "../../site/format.ts";

export interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly submit: string;
  readonly name: string;
  /** A sentence about the effect of the name. */
  readonly note?: string | undefined;
  /** Saves the name. Rejects with an error whose message is a sentence. */
  onSubmit(name: string): Promise<void>;
  onClose(): void;
}

/** Renders a dialog that asks for a name. In a file's name, the part before the extension is selected. */
export function NameDialog({ title, label, submit, name, note, onSubmit, onClose }: NameDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(0, splitName(name).stem.length);
  }, []);
  const save = async (): Promise<void> => {
    const value = field.current?.value.trim() ?? "";
    if (value === "") return;
    if (value !== name) await onSubmit(value);
    onClose();
  };
  return (
    <FormDialog title={title} submit={submit} cancel={texts.cancel} onSubmit={save} onClose={onClose}>
      <label class="field">
        {label}
        <input
          ref={field}
          type="text"
          name="name"
          defaultValue={name}
          maxLength={200}
          required
          autoComplete="off"
          dir="auto"
          spellcheck={false}
        />
      </label>
      {note === undefined ? null : <p class="quiet">{note}</p>}
    </FormDialog>
  );
}
