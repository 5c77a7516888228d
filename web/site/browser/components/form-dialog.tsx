/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";

export interface FormDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly cancel: string;
  /** `danger` if the change cannot be undone. */
  readonly tone?: "danger";
  /** Whether there is nothing to submit yet. */
  readonly isDisabled?: boolean;
  /** A problem outside the form. */
  readonly problem?: string;
  /** Submits the form. Runs once at a time; rejects with an error whose message is a sentence, which is shown. */
  onSubmit(): Promise<void>;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Renders a dialog with fields, the problem of the last try, and a button that submits. */
export function FormDialog({
  title,
  submit,
  cancel,
  tone,
  isDisabled = false,
  problem = "",
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const [refusal, setRefusal] = useState("");
  const [isSaving, setSaving] = useState(false);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSaving) return;
    setSaving(true);
    setRefusal("");
    try {
      await onSubmit();
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    } finally {
      setSaving(false);
    }
  };
  const shown = refusal || problem;
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void save(event)}>
        {children}
        {shown === "" ? null : (
          <p class="problem" role="alert">
            {shown}
          </p>
        )}
        <div class="choices">
          <button class={tone === undefined ? "button" : `button ${tone}`} type="submit" disabled={isSaving || isDisabled}>
            {submit}
          </button>
          <button class="button plain" type="button" onClick={onClose}>
            {cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
