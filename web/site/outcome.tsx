/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { TickIcon } from "./icons.tsx";

interface OutcomeProps {
  readonly children: ComponentChildren;
}

/** What the last form changed. It gets the focus, so that screen readers read it and Tab continues there, not at the start of the page. */
export function Done({ children }: OutcomeProps) {
  return (
    <p class="done" role="status" tabIndex={-1} autofocus>
      <TickIcon />
      {children}
    </p>
  );
}

/** Why the last form changed nothing, if no field is wrong: a wrong field gets the focus itself. */
export function Problem({ children }: OutcomeProps) {
  return (
    <p class="problem" role="alert" tabIndex={-1} autofocus>
      {children}
    </p>
  );
}
