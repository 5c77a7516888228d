import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { DailyFigureRow } from "../../db/tables/figures.ts";
import { DAY_MS } from "../../lib/text/duration.ts";

/** Days for which the figures are kept. */
const KEPT_DAYS = 400;

/** Returns the day of a time in UTC, as days since 1970. */
export const toDay = (timeMs: number): number => Math.floor(timeMs / DAY_MS);

/** Counts a complete upload in the transaction that publishes its file. */
export const countUpload = async ({ db, now }: Pick<TransactionCtx, "db" | "now">): Promise<void> => {
  await countUploadQuery.run(db, { day: toDay(now()) });
};

/** Counts downloads in the transaction that authorizes them. */
export const countDownloaded = async ({ db, now }: Pick<TransactionCtx, "db" | "now">, count: number): Promise<void> => {
  await countDownloadsQuery.run(db, { day: toDay(now()), count });
};

const countUploadQuery = preparedQuery((db, { day }: { day: number }) =>
  db
    .insertInto("daily_figures")
    .values({ day, uploads: 1 })
    .onConflict((conflict) => conflict.column("day").doUpdateSet({ uploads: sql`daily_figures.uploads + 1` })),
);

const countDownloadsQuery = preparedQuery((db, { day, count }: { day: number; count: number }) =>
  db
    .insertInto("daily_figures")
    .values({ day, downloads: count })
    .onConflict((conflict) => conflict.column("day").doUpdateSet({ downloads: sql`daily_figures.downloads + excluded.downloads` })),
);

export interface Measured {
  readonly usedBytes: number;
  readonly failures: number;
}

/** Saves measured numbers for the present day: the last storage, and the most failures. Deletes the figures of old days. */
export async function saveMeasured(
  { db, now }: { readonly db: TransactionDb; readonly now: Ctx["now"] },
  { usedBytes, failures }: Measured,
): Promise<void> {
  const day = toDay(now());
  await db
    .insertInto("daily_figures")
    .values({ day, used_bytes: usedBytes, failures })
    .onConflict((conflict) =>
      conflict.column("day").doUpdateSet({
        used_bytes: sql`excluded.used_bytes`,
        failures: sql`max(excluded.failures, coalesce(daily_figures.failures, 0))`,
      }),
    )
    .execute();
  await db
    .deleteFrom("daily_figures")
    .where("day", "<", day - KEPT_DAYS)
    .execute();
}

/** Lists the figures of a day and later ones, in order. */
export const listDays = (db: Db, firstDay: number): Promise<DailyFigureRow[]> =>
  db.selectFrom("daily_figures").selectAll().where("day", ">=", firstDay).orderBy("day").execute();
