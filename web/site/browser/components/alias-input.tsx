/** @jsxImportSource preact */
import { ALIAS_LENGTH, readAlias } from "../../../../src/contract/alias-form.ts";

export interface AliasInputProps {
  readonly id: string;
  readonly describedBy: string;
  /** The present alias; null without one. */
  readonly alias: string | null;
  /** Saves an alias, or null to remove it. */
  onSave(alias: string | null): void;
  /** Reports a text that is no alias. */
  onWrong(): void;
}

/** Renders the field of a share's alias (sharing, "Aliases"). */
export function AliasInput({ id, describedBy, alias, onSave, onWrong }: AliasInputProps) {
  const save = (text: string): void => {
    const chosen = readAlias(text.trim());
    if (chosen !== undefined) onSave(chosen);
    else if (text.trim() === "") onSave(null);
    else onWrong();
  };
  return (
    <input
      id={id}
      type="text"
      maxLength={ALIAS_LENGTH.max}
      autoComplete="off"
      autoCapitalize="none"
      spellcheck={false}
      dir="ltr"
      aria-describedby={describedBy}
      defaultValue={alias ?? ""}
      onChange={({ currentTarget }) => save(currentTarget.value)}
    />
  );
}
