import { openConnection } from "./connection.ts";
import { whileBusy } from "./faults.ts";
import { type DatabaseState, readState } from "./inspect.ts";
import type { RunSql } from "./migrate.ts";

export interface FileState extends DatabaseState {
  /** What is wrong with the file's structure, nothing where `checkedTables` are all well. */
  readonly damage: readonly string[];
  readonly checkedTables: number;
  readonly tables: number;
}

/**
 * Looks at an existing file, which it neither migrates nor writes to; tables are looked through one by one until `checkMs` have passed.
 * Throws the driver's errors as they are.
 */
export async function inspectFile(path: string, { checkMs }: { readonly checkMs: number }): Promise<FileState> {
  const connection = openConnection(path);
  try {
    connection.exec("PRAGMA query_only = ON");
    const read: RunSql = async (sql, parameters) => (await whileBusy(() => connection.run(sql, parameters))).rows;
    const state = await readState(read);
    const tables = (await read("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name")).map(
      textOf("name"),
    );
    const until = performance.now() + checkMs;
    const damage: string[] = [];
    let checkedTables = 0;
    for (const table of tables) {
      if (performance.now() >= until || damage.length > 0) break;
      const told = (await read(`PRAGMA quick_check('${table.replaceAll("'", "''")}')`)).map(textOf("quick_check"));
      damage.push(...told.filter((line) => line !== "ok"));
      checkedTables++;
    }
    return { ...state, damage, checkedTables, tables: tables.length };
  } finally {
    connection.close();
  }
}

const textOf =
  (column: string) =>
  (row: unknown): string =>
    typeof row === "object" && row !== null && column in row ? String((row as Record<string, unknown>)[column]) : "";
