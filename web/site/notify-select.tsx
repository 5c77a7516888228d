/** @jsxImportSource preact */
import type { NotifyTexts } from "./texts/en.ts";

export interface NotifySelectProps {
  readonly texts: NotifyTexts;
  readonly id: string;
  /** The setting of the share; null for the account's settings (notices, "Kinds"). */
  readonly notify: boolean | null;
  readonly describedBy: string;
  onChange?(notify: boolean | null): void;
}

/** Renders the choice of the notices that the owner of a share gets about it. In a form, it is the publish field `notify`, empty for null. */
export function NotifySelect({ texts, id, notify, describedBy, onChange }: NotifySelectProps) {
  const chosen = String(notify ?? "");
  return (
    <select
      id={id}
      name="notify"
      // In a form, a value here would reset the reader's choice at the next rendering.
      value={onChange && chosen}
      aria-describedby={describedBy}
      onChange={onChange && (({ currentTarget: { value } }) => onChange(value === "" ? null : value === "true"))}
    >
      {(["", "true", "false"] as const).map((value) => (
        <option key={value} value={value} selected={value === chosen}>
          {texts.choices[value]}
        </option>
      ))}
    </select>
  );
}
