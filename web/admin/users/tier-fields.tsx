/** @jsxImportSource preact */
import { TextField } from "../../site/page-form.tsx";
import type { Texts } from "../../texts/catalogue.ts";

export interface TierFieldsProps {
  readonly texts: Texts;
  readonly tier: "free" | "pro";
  /** The entered or current end of Pro. */
  readonly until: string;
  readonly isWrong?: boolean;
}

/** Renders the fields for the tier of an account, and the end of Pro. */
export function TierFields({ texts: { admin }, tier: current, until, isWrong }: TierFieldsProps) {
  return (
    <>
      <fieldset class="choices">
        <legend class="unseen">{admin.tier}</legend>
        {(["free", "pro"] as const).map((tier) => (
          <label key={tier} class="check">
            <input type="radio" name="tier" value={tier} checked={tier === current} />
            <span>{admin.tiers[tier]}</span>
          </label>
        ))}
      </fieldset>
      <TextField
        name="until"
        label={admin.until}
        type="text"
        autocomplete="off"
        hint={admin.untilHint}
        maxLength={40}
        value={until}
        isOptional
        isWrong={isWrong}
      />
    </>
  );
}
