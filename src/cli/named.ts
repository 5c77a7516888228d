import type { Ctx } from "../context.ts";
import { findReports } from "../service/reports/queries.ts";
import { findFileWithShare } from "../service/shares/queries.ts";
import { toId } from "./terminal/text.ts";

/**
 * The report that its ID names, or the first open one of the share that a short ID or link names, which stands for `all` of the share. Of a name that is
 * unknown or whose reports are all resolved, an ID that operations refuse.
 */
export async function nameReport(ctx: Pick<Ctx, "db">, name: string): Promise<{ readonly id: string; readonly all: boolean }> {
  const named = toId(name);
  const reports = await findReports(ctx.db, named);
  const { id = named } = reports.find(({ resolved_at }) => resolved_at === null) ?? reports[0] ?? {};
  return { id, all: id !== named };
}

/** Whether an ID is that of a file; otherwise it may be the short ID of a share. */
export const isFile = async ({ db }: Pick<Ctx, "db">, id: string): Promise<boolean> => (await findFileWithShare(db, id)) !== undefined;
