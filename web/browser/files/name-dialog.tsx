/** @jsxImportSource preact */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files.ts";
import { splitName } from "../../format.ts";
import { Dialog } from "../components/dialog.tsx";

export interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly submit: string;
  readonly name: string;
  /** Rejects with an error whose message is a sentence. */
  onSubmit(name: string): Promise<void>;
  onClose(): void;
}

/** Asks for a name. Of a file's name, the part before the extension is selected. */
export function NameDialog({ title, label, submit, name, onSubmit, onClose }: NameDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const [isSaving, setSaving] = useState(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(0, splitName(name).stem.length);
  }, []);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const value = field.current?.value.trim() ?? "";
    if (value === "" || isSaving) return;
    if (value === name) return onClose();
    setSaving(true);
    try {
      await onSubmit(value);
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setSaving(false);
    }
  };
  return (
    <Dialog title={title} class="files-dialog" onClose={onClose}>
      <form class="files-form" onSubmit={(event) => void save(event)}>
        <label class="field">
          {label}
          <input ref={field} type="text" defaultValue={name} maxLength={200} required autoComplete="off" dir="auto" spellcheck={false} />
        </label>
        {problem === "" ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="files-actions">
          <button class="button" type="submit" disabled={isSaving}>
            {submit}
          </button>
          <button class="button plain" type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
