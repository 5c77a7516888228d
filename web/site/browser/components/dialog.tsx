/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { returnFocus } from "./return-focus.ts";

export interface DialogProps {
  readonly title: string;
  readonly class?: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Renders a modal dialog, which is open while it is rendered. Afterwards, the focus returns to the previous element. */
export function Dialog({ title, class: name = "", onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      returnFocus(before);
    };
  }, []);
  const closeOutside = (event: MouseEvent): void => {
    if (event.target === dialog.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too.
    <dialog
      ref={dialog}
      class={`card ${name}`}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={closeOutside}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
