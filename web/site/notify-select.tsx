/** @jsxImportSource preact */
import type { NotifyTexts } from "./texts/en.ts";

export interface NotifySelectProps {
  readonly texts: NotifyTexts;
  readonly id: string;
  /** Null: as the account's settings say (notices, "Kinds"). */
  readonly notify: boolean | null;
  readonly describedBy: string;
  onChange?(notify: boolean | null): void;
}

/** Which notices the owner of a share gets about it. As a field of a form it is the publish field `notify`, empty for null. */
export function NotifySelect({ texts, id, notify, describedBy, onChange }: NotifySelectProps) {
  const chosen = String(notify ?? "");
  return (
    <select
      id={id}
      name="notify"
      // Without it, what was chosen in a form outlives the next rendering.
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
