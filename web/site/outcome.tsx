/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { TickIcon } from "./icons.tsx";

interface OutcomeProps {
  readonly children: ComponentChildren;
}

/**
 * Renders the change by the last form. The message gets the focus, so that screen readers read it and Tab continues there, not at the start of the
 * page.
 */
export function Done({ children }: OutcomeProps) {
  return (
    <p class="done" role="status" tabIndex={-1} autofocus>
      <TickIcon />
      {children}
    </p>
  );
}

/** Renders the reason why the last form changed nothing, if no field is wrong. A wrong field would get the focus itself. */
export function Problem({ children }: OutcomeProps) {
  return (
    <p class="problem" role="alert" tabIndex={-1} autofocus>
      {children}
    </p>
  );
}
