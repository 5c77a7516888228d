/** @jsxImportSource preact */
import type { ComponentChildren, Ref } from "preact";

export interface ToolProps {
  readonly id?: string;
  readonly class?: string;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly label: string;
  /** Whether the panel of the button is open; undefined for a button without a panel. */
  readonly isOpen?: boolean;
  /** The ID of the panel. */
  readonly controls?: string;
  readonly isDisabled?: boolean;
  onClick(): void;
  readonly children: ComponentChildren;
}

/** Renders a button of the sender's bar: an icon and a word. */
export function Tool({ buttonRef, id, class: name = "", label, isOpen, controls, isDisabled, onClick, children }: ToolProps) {
  return (
    <button
      ref={buttonRef}
      id={id}
      class={`button small sender-tool ${name}`}
      type="button"
      title={label}
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      disabled={isDisabled}
      onClick={onClick}
    >
      {children}
      <span class="sender-word">{label}</span>
    </button>
  );
}
