/** @jsxImportSource preact */
import { useLayoutEffect, useRef } from "preact/hooks";
import { sending as texts } from "#texts/sending";

export interface CancelDialogProps {
  readonly isOpen: boolean;
  /** The effect of cancelling. */
  readonly text: string;
  onKeep(): void;
  onCancel(): void;
}

/** Renders the question before an upload is cancelled (pages, "Cancelling asks if something would be lost"). */
export function CancelDialog({ isOpen, text, onKeep, onCancel }: CancelDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const discard = (event: MouseEvent): void => {
    // The dialog opens under the pointer, so the second click of a double click on Cancel is ignored.
    if (event.detail <= 1) onCancel();
  };
  // Handles the Escape key. The event of closing would come later, when the dialog may be open again.
  const keep = (event: Event): void => {
    event.preventDefault();
    onKeep();
  };
  return (
    <dialog
      ref={dialog}
      class="card"
      id="confirm"
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onCancel={keep}
      onClose={() => dialog.current?.open || onKeep()}
    >
      <h2 id="confirm-title">{texts.confirmTitle}</h2>
      <p id="confirm-text">{text}</p>
      <p class="choices">
        <button class="button" type="button" id="keep" onClick={onKeep}>
          {texts.confirmKeep}
        </button>
        <button class="button danger" type="button" id="discard" onClick={discard}>
          {texts.confirmCancel}
        </button>
      </p>
    </dialog>
  );
}
