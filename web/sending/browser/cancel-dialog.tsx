/** @jsxImportSource preact */
import { sending as texts } from "#texts/sending";
import { Dialog } from "../../site/browser/components/dialog.tsx";

export interface CancelDialogProps {
  /** The effect of cancelling. */
  readonly text: string;
  onKeep(): void;
  onCancel(): void;
}

/** Renders the question before an upload is cancelled (pages, "Cancelling asks if something would be lost"). */
export function CancelDialog({ text, onKeep, onCancel }: CancelDialogProps) {
  const discard = (event: MouseEvent): void => {
    // The dialog opens under the pointer, so the second click of a double click on Cancel is ignored.
    if (event.detail <= 1) onCancel();
  };
  return (
    <Dialog title={texts.confirmTitle} id="confirm" onClose={onKeep}>
      <p>{text}</p>
      <p class="choices">
        <button class="button danger" type="button" onClick={discard}>
          {texts.confirmCancel}
        </button>
        {/* biome-ignore lint/a11y/noAutofocus: the first button would have the focus otherwise. */}
        <button class="button plain" type="button" id="keep" autoFocus onClick={onKeep}>
          {texts.confirmKeep}
        </button>
      </p>
    </Dialog>
  );
}
