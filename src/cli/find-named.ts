import type { Ctx } from "../context.ts";
import { findReports } from "../service/reports/queries.ts";
import { findFileWithShare } from "../service/shares/queries.ts";
import { toId } from "./terminal/text.ts";

/**
 * Finds the report with this ID, or the first open report of the share that a short ID or link names, which represents `all` reports of the share.
 * For an unknown name, or if all reports are resolved, returns an ID that operations refuse.
 */
export async function nameReport(ctx: Pick<Ctx, "db">, name: string): Promise<{ readonly id: string; readonly all: boolean }> {
  const named = toId(name);
  const reports = await findReports(ctx.db, named);
  const { id = named } = reports.find(({ resolved_at }) => resolved_at === null) ?? reports[0] ?? {};
  return { id, all: id !== named };
}

/** Whether an ID belongs to a file; otherwise it may be the short ID of a share. */
export const isFile = async ({ db }: Pick<Ctx, "db">, id: string): Promise<boolean> => (await findFileWithShare(db, id)) !== undefined;
