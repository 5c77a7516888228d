import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { listDays, type Measured, saveMeasured, toDay } from "../figures/daily-figures.ts";
import { countFailures } from "./count-failures.ts";
import type { Overview } from "./overview-contract.ts";

/** The number of days in the charts of administrators. */
const SHOWN_DAYS = 30;

/** Records the present storage and failures for the charts of administrators (administration, "Overview"). */
export async function recordFigures(ctx: Ctx): Promise<void> {
  const [{ usedBytes }, failures] = await Promise.all([sumStorage(ctx.db), countFailures(ctx.db)]);
  await ctx.transaction((ctx) => saveMeasured(ctx, { usedBytes, failures: sumFailures(failures) }));
}

/** Lists the last 30 days. Today has the measured numbers, which may be newer than the recorded ones. */
export async function listHistory({ db, now }: Pick<Ctx, "db" | "now">, measured: Measured): Promise<Overview["days"]> {
  const today = toDay(now());
  const first = today - SHOWN_DAYS + 1;
  const rows = new Map((await listDays(db, first)).map((row) => [row.day, row]));
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const day = first + index;
    const row = rows.get(day);
    const isToday = day === today;
    return {
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      usedBytes: isToday ? measured.usedBytes : (row?.used_bytes ?? null),
      uploads: row?.uploads ?? 0,
      downloads: row?.downloads ?? 0,
      failures: isToday ? Math.max(measured.failures, row?.failures ?? 0) : (row?.failures ?? null),
    };
  });
}

/** Adds up what may need an administrator because it failed. */
export const sumFailures = ({ failedJobs, failedScans }: Pick<Overview["failures"], "failedJobs" | "failedScans">): number =>
  failedJobs.reduce((sum, { count }) => sum + count, failedScans);

const sumStorage = (db: Db): Promise<{ readonly usedBytes: number }> =>
  db
    .selectFrom("quotas")
    .select(({ fn }) => fn.coalesce(fn.sum<number>("used_bytes"), sql<number>`0`).as("usedBytes"))
    .executeTakeFirstOrThrow();
