/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { returnFocus } from "./return-focus.ts";

export interface DialogProps {
  readonly title: string;
  readonly id?: string;
  /** Runs when the dialog is to be closed by Escape or a press beside it. */
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Renders a modal dialog, which is open while it is rendered. Afterwards, the focus returns to the previous element. */
export function Dialog({ title, id, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isRendered = useRef(true);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      isRendered.current = false;
      dialog.current?.close();
      returnFocus(before);
    };
  }, []);
  const closeOutside = (event: MouseEvent): void => {
    // The second click of a double click on what has opened the dialog does not close it.
    if (event.target === dialog.current && event.detail <= 1) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too.
    <dialog
      ref={dialog}
      id={id}
      class="card"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Browsers close a dialog without a question when Escape is pressed twice.
      onClose={() => isRendered.current && onClose()}
      onClick={closeOutside}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
