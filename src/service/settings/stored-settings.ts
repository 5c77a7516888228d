import type { Db, TransactionDb } from "../../db/database.ts";
import type { RunTimeSettingRow } from "../../db/tables/servers.ts";

/** Returns a number that each change of a setting increases; 0 before the first change. */
export async function readRevision(db: Db): Promise<number> {
  const row = await db
    .selectFrom("run_time_settings")
    .select(({ fn }) => fn.max<number | null>("revision").as("revision"))
    .executeTakeFirst();
  return row?.revision ?? 0;
}

/** Lists all settings that were ever changed. The value is null for a setting that is back at its default. */
export const listStored = (db: Db): Promise<RunTimeSettingRow[]> => db.selectFrom("run_time_settings").selectAll().execute();

export const saveStored = async (db: TransactionDb, row: RunTimeSettingRow): Promise<void> => {
  const { name, ...values } = row;
  await db
    .insertInto("run_time_settings")
    .values(row)
    .onConflict((conflict) => conflict.column("name").doUpdateSet(values))
    .execute();
};
