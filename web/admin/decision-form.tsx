/** @jsxImportSource preact */
import { Ask, type AskProps } from "../site/panel.tsx";
import type { Texts } from "../texts/catalogue.ts";

interface DecisionProps extends Omit<AskProps, "confirm"> {
  readonly texts: Texts;
}

/** Renders the form of an administrator's decision, with a note. */
export function DecisionQuestion({ texts, children, ...question }: DecisionProps) {
  return (
    <Ask {...question} confirm={question.label}>
      {children}
      <NoteField texts={texts} />
    </Ask>
  );
}

/** Renders the check box for adding a takedown to the blocklist. */
export function BlockField({ texts: { moderation } }: { readonly texts: Texts }) {
  return (
    <label class="check">
      <input type="checkbox" name="block" value="true" />
      <span>{moderation.block}</span>
      <span class="quiet">{moderation.blockText}</span>
    </label>
  );
}

export function NoteField({ texts: { moderation } }: { readonly texts: Texts }) {
  return (
    <label class="field">
      <span>
        {moderation.note} <span class="quiet">{moderation.optional}</span>
      </span>
      <input type="text" name="note" maxLength={1000} autocomplete="off" />
    </label>
  );
}
