/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

export interface TitleActionProps {
  readonly label: string;
  readonly isOpen: boolean;
  /** The form that the button opens. */
  readonly children: ComponentChildren;
}

/** Renders the button beside the title of a list, which opens the form for a new entry below the title. */
export const TitleAction = ({ label, isOpen, children }: TitleActionProps) => (
  <details class="ask title-action" open={isOpen}>
    <summary class="button">{label}</summary>
    <div class="ask-body">{children}</div>
  </details>
);
