import { sql } from "kysely";
import type { Db, Schema } from "./database.ts";

/** A column of times that the server waits for. Each is written as the current time plus at most `longestMs`. */
export interface TimeColumn {
  readonly table: keyof Schema;
  readonly column: string;
  readonly longestMs: number;
  /** The correction of an impossible time: the current time plus this. */
  readonly toMs: number;
  /** Limits the change to rows with this value in this column. */
  readonly where?: { readonly column: string; readonly value: string };
}

/** Corrects the times that are later than `latestMs` plus their longest term. Resolves to the number of changed rows. */
export async function correctFutureTimes(db: Db, columns: readonly TimeColumn[], latestMs: number): Promise<number> {
  let corrected = 0;
  for (const { table, column, longestMs, toMs, where } of columns) {
    const condition = where === undefined ? sql`` : sql`AND ${sql.ref(where.column)} = ${where.value}`;
    const { numAffectedRows = 0n } =
      await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${latestMs + toMs} WHERE ${sql.ref(column)} > ${latestMs + longestMs} ${condition}`.execute(
        db,
      );
    corrected += Number(numAffectedRows);
  }
  return corrected;
}
