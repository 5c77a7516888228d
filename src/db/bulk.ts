import { type Insertable, type RawBuilder, sql } from "kysely";
import type { Db, Schema } from "./database.ts";

/** Returns the right side of an `in`: one parameter for any number of values. */
export function inJson(values: readonly string[]): RawBuilder<string> {
  const [first, second] = values;
  if (first !== undefined && second === undefined) return sql<string>`(${first})`;
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** Inserts rows with the same columns by one statement with one parameter. */
export async function insertMany<T extends keyof Schema>(db: Db, table: T, rows: readonly Insertable<Schema[T]>[]): Promise<void> {
  const [first, second] = rows;
  if (!first) return;
  // One row is the common case (a download of one file), in which JSON would take a fifth of the time.
  if (!second) {
    await db.insertInto(table).values(first).execute();
    return;
  }
  const columns = Object.keys(first);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(columns.map((column) => sql`value ->> ${column}`));
  await sql`INSERT INTO ${sql.table(table)} (${names}) SELECT ${values} FROM json_each(${JSON.stringify(rows)})`.execute(db);
}
