import type { TransactionCtx } from "../../context.ts";
import type { ReportRow } from "../../db/tables/moderation.ts";
import { AppError } from "../../errors.ts";
import { type AuditOrigin, recordAudit, toAuthor } from "../audit-log/record-audit.ts";
import { markResolved } from "./queries.ts";

const MAX_NOTE_CHARACTERS = 1000;

export interface ResolvedReports {
  readonly shortId: string;
  readonly resolved: readonly string[];
}

export interface Resolution {
  readonly note?: string | undefined;
  readonly outcome: NonNullable<ReportRow["outcome"]>;
}

/** Throws VALIDATION_FAILED for a note that is too long. */
function checkNote(note: string | undefined): void {
  if (note !== undefined && [...note].length > MAX_NOTE_CHARACTERS)
    throw new AppError("VALIDATION_FAILED", `The note is too long. Use at most ${MAX_NOTE_CHARACTERS} characters.`);
}

/** Resolves the open ones of a share's reports, in a transaction. Throws VALIDATION_FAILED for a long note. */
export async function closeReports(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  reports: readonly ReportRow[],
  { note, outcome }: Resolution,
): Promise<ResolvedReports> {
  checkNote(note);
  const shortId = reports[0]?.short_id ?? "";
  const resolved = await markResolved(
    ctx.db,
    reports.map(({ id }) => id),
    { resolved_at: ctx.now(), resolution: note || null, outcome, resolved_by: toAuthor(origin) },
  );
  const details = { share: shortId, outcome };
  for (const id of resolved) await recordAudit(ctx, origin, { action: "report.resolved", subject: id, account: null, details });
  return { shortId, resolved };
}
