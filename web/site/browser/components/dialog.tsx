/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { CrossIcon } from "../../icons.tsx";
import { returnFocus } from "./return-focus.ts";

export interface DialogProps {
  readonly title: string;
  readonly id?: string;
  /** The label of a button beside the title that closes the dialog. Without it, the content has such a button. */
  readonly closeLabel?: string;
  /** Runs when the dialog is to be closed by Escape or a press beside it. */
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Renders a modal dialog, which is open while it is rendered. Afterwards, the focus returns to the previous element. */
export function Dialog({ title, id, closeLabel, onClose, children }: DialogProps) {
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
  const heading = <h2 id="dialog-title">{title}</h2>;
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
      {closeLabel === undefined ? (
        heading
      ) : (
        <div class="dialog-head">
          {heading}
          <button class="dialog-close" type="button" aria-label={closeLabel} title={closeLabel} onClick={onClose}>
            <CrossIcon />
          </button>
        </div>
      )}
      {children}
    </dialog>
  );
}
