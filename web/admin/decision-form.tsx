/** @jsxImportSource preact */
import { REPORT_REASONS, type ReportReason } from "../../src/contract/scalars.ts";
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

interface ReasonProps {
  readonly texts: Texts;
  /** The reason that is chosen at first; without one, none is. */
  readonly chosen?: ReportReason;
}

/** Renders the choice of the reason that a takedown gives to recipients, who otherwise do not know what to do. */
export function PublicReasonField({ texts: { moderation, report }, chosen }: ReasonProps) {
  return (
    <label class="field">
      <span>{moderation.publicReason}</span>
      <select name="publicReason" required>
        <option value="">{moderation.unchosenPublicReason}</option>
        {REPORT_REASONS.map((reason) => (
          <option key={reason} value={reason} selected={reason === chosen}>
            {report.reasons[reason]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Returns the chosen reason of a form with `PublicReasonField`; undefined if none is. */
export const readPublicReason = (form: URLSearchParams): ReportReason | undefined =>
  REPORT_REASONS.find((reason) => reason === form.get("publicReason"));

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
