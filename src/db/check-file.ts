import LibsqlOffLoop from "libsql/promise";
import { codeOf, isBusy } from "./faults.ts";

/** `unfinished`: it took too long, or another process repairs the file just now. */
export type FileCheck = { readonly kind: "whole" | "unfinished" } | { readonly kind: "damaged"; readonly what: string };

/** Looks through the structure of an existing database file on another thread, for `limitMs` at most; writers go on meanwhile. */
export async function checkFile(path: string, limitMs: number): Promise<FileCheck> {
  const database = new LibsqlOffLoop(path, {});
  const until = performance.now() + limitMs;
  // More than once, since one that comes between two calls ends neither.
  const timer = setInterval(() => performance.now() >= until && database.interrupt(), Math.min(limitMs, 50));
  try {
    const statement = await database.prepare("PRAGMA quick_check(1)");
    const [row] = await statement.pluck(true).all([]);
    return row === "ok" ? { kind: "whole" } : { kind: "damaged", what: String(row) };
  } catch (error) {
    if (codeOf(error) === "SQLITE_INTERRUPT" || isBusy(error)) return { kind: "unfinished" };
    if (codeOf(error).startsWith("SQLITE_CORRUPT"))
      return { kind: "damaged", what: error instanceof Error ? error.message : String(error) };
    throw error;
  } finally {
    clearInterval(timer);
    database.close();
  }
}
