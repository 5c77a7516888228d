/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

export interface LabelledSecretProps {
  /** The ID of the element that contains the secret. */
  readonly id: string;
  readonly label: string;
  /** A remark after the label. */
  readonly note?: string | undefined;
  readonly value: string;
  /** The button that copies the secret. */
  readonly children: ComponentChildren;
}

export const LabelledSecret = ({ id, label, note, value, children }: LabelledSecretProps) => (
  <div class="secret">
    <p>
      {label}
      {note === undefined ? null : <span class="quiet"> {note}</span>}
    </p>
    <div class="copyable">
      <code id={id}>{value}</code>
      {children}
    </div>
  </div>
);
