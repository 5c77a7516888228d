import Libsql from "libsql";
import LibsqlOffLoop from "libsql/promise";
import { InstallationError } from "../errors.ts";
import { readOpenFileLimits } from "../lib/system/open-files.ts";

/**
 * The only module that depends on internals of libsql's driver:
 * - Its synchronous and asynchronous interfaces are classes around the same native handle. `execOffLoop` calls the asynchronous `exec` on a
 * synchronous connection, so that a commit waits for the disk on another thread.
 * - It loads its native addon by a computed name, which Bun cannot embed in an executable. `embedAddon` makes the name literal, for
 * `scripts/build`.
 * `checkDriver` checks the first, and the shape of rows that `connection.ts` relies on, at start; `embedAddon` checks the second.
 */
export { Libsql, LibsqlOffLoop };

/** Runs statements on another thread. No other call may be made on the connection until it resolves. */
export const execOffLoop: (this: Libsql.Database, sql: string) => Promise<void> = LibsqlOffLoop.prototype.exec;

let hasPassed = false;

/** Throws if the driver does not work as filehost uses it. Runs once per process, on a database in memory. */
export async function checkDriver(exec = execOffLoop): Promise<void> {
  if (hasPassed && exec === execOffLoop) return;
  checkOpenFiles();
  const database = new Libsql(":memory:");
  try {
    database.exec("CREATE TABLE t (n INTEGER, s TEXT); BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'a')");
    const committed: unknown = exec.call(database, "COMMIT");
    expect(committed instanceof Promise, "a commit is not asynchronous");
    await committed;
    expect(!database.inTransaction, "a commit on another thread does not end the transaction");
    const statement = database.prepare("SELECT n, s FROM t").raw(true);
    expect(
      statement
        .columns()
        .map(({ name }) => name)
        .join() === "n,s",
      "a statement does not name its columns",
    );
    expect(JSON.stringify(statement.all()) === '[[1,"a"]]', "rows are not lists of values");
  } catch (error) {
    throw new Error(
      "The installed libsql driver does not work as filehost uses it (src/db/libsql.ts). Install the version in package.json.",
      {
        cause: error,
      },
    );
  } finally {
    database.close();
  }
  hasPassed = true;
}

/** Minimum number of open files: the driver ends the process when it cannot open a file. */
const MIN_OPEN_FILES = 24;

/** Throws InstallationError if this process may open too few files for the driver. */
function checkOpenFiles(): void {
  const { soft = Number.POSITIVE_INFINITY } = readOpenFileLimits() ?? {};
  if (soft < MIN_OPEN_FILES)
    throw new InstallationError(
      `This process may open only ${soft} files, which is too few. Raise the limit, such as with ulimit -n 1024.`,
    );
}

function expect(condition: boolean, problem: string): void {
  if (!condition) throw new Error(problem);
}

/** Makes the addon's name literal in the driver's `source`: the export `addon` of `@libsql/{addon}`. Throws if the source is not as expected. */
export function embedAddon(source: string, addon: string): string {
  const literal = source
    .replace(/^const .* = require\("(@neon-rs\/load|detect-libc)"\);\n/gm, "")
    .replace(/^(if \(0\)|function requireNative\(\)) \{[\s\S]*?\n\}\n/gm, "")
    .replace("= requireNative();", `= require("@libsql/${addon}").addon;`);
  if (literal.includes("requireNative") || literal.includes("@neon-rs") || !literal.includes(`require("@libsql/${addon}")`))
    throw new Error("libsql is not as this build knows it: it must require its addon by a literal name.");
  return literal;
}
