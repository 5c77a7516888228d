/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

export interface EmptyStateProps {
  readonly icon?: ComponentChildren;
  readonly title: string;
  readonly text?: string;
  /** Links and buttons with which the list gets its first entry. */
  readonly children?: ComponentChildren;
}

/** Renders what is in place of an empty list. */
export function EmptyState({ icon, title, text, children }: EmptyStateProps) {
  return (
    <section class="card empty">
      {icon === undefined ? null : <span class="badge wait">{icon}</span>}
      <h2>{title}</h2>
      {text === undefined ? null : <p class="quiet">{text}</p>}
      {children === undefined ? null : <p class="choices">{children}</p>}
    </section>
  );
}
