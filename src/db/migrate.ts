import { AppError, InstallationError } from "../errors.ts";

/** One step of the schema. `name` begins with its number. Each of `statements` is a single statement. */
export interface Migration {
  readonly name: string;
  /**
   * The names of earlier migrations that together created the same schema, in order. A database with all of them counts as one with this migration.
   */
  readonly replaces?: readonly string[];
  readonly statements: readonly string[];
}

export type RunSql = (sql: string, parameters?: readonly unknown[]) => Promise<readonly unknown[]>;

/** The table of applied migrations. */
export const CREATE_MIGRATIONS =
  "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at INTEGER NOT NULL)";

/** The reason why a database's schema is too old for this program, and advice. */
export interface OldSchema {
  readonly problem: string;
  readonly fix: string;
}

const TOO_OLD = "The database has the schema of an earlier version, which this version does not upgrade.";

/** The case of a database with the first of the replaced migrations, but not all. */
const INCOMPLETE: OldSchema = {
  problem: TOO_OLD,
  fix: "Start commit 87371cde with it once, which upgrades it, and then this version.",
};

/** The case of a database that was created before the first of the replaced migrations. */
const FORMER: OldSchema = {
  problem: TOO_OLD,
  fix: "Open it with commit cbceac3, the last that does, or set FILEHOST_DATA to a new folder, with S3 also FILEHOST_S3_PREFIX to a new prefix. Files of the former database stay in its store.",
};

/** The first migration of a database that is older than the replaced ones. */
const FORMER_MIGRATION = "0001-foundation";

/** A database that can be migrated. */
export interface MigrationTarget {
  readonly read: RunSql;
  /** Runs `work` in one write transaction, which excludes migrations by other processes. `runAll` runs statements without parameters. */
  exclusively(work: (run: RunSql, runAll: (statements: readonly string[]) => void) => Promise<void>): Promise<void>;
  /** Copies the database. Called in that transaction before the first statement of an upgrade, never for a new database. */
  saveCopy?(label: string): Promise<void>;
}

/** The actions of a start on the migrations of a database. */
export interface MigrationPlan {
  /** The migration that replaces all migrations of the database. */
  readonly adopted: Migration | undefined;
  /** The migrations to apply, and the number of the first one. */
  readonly pending: readonly Migration[];
  readonly nextNumber: number;
}

/** Returns whether a start changes nothing. */
export const isUpToDate = ({ adopted, pending }: MigrationPlan): boolean => adopted === undefined && pending.length === 0;

/**
 * Applies pending migrations, all or none, and returns their names. Of several processes that start together, one applies them. Rejects with
 * UNAVAILABLE and changes nothing if the database is too old or has a migration that this program does not know.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[]): Promise<readonly string[]> {
  if (isUpToDate(planMigrations(await readApplied(target.read, migrations), migrations))) return [];
  let applied: readonly string[] = [];
  await target.exclusively(async (run, runAll) => {
    const before = await readApplied(run, migrations);
    const { adopted, pending } = planMigrations(before, migrations);
    const last = pending.at(-1);
    if (last && before.length > 0) await target.saveCopy?.(`before-${last.name}`);
    if (adopted) for (const { sql, args } of adoption(adopted)) await run(sql, args);
    if (!last) return;
    await run(CREATE_MIGRATIONS);
    for (const { name, statements } of pending) {
      try {
        runAll(statements);
        await run("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", [name, Date.now()]);
      } catch (error) {
        throw migrationFailed(name, error);
      }
    }
    const dangling = await run("PRAGMA foreign_key_check");
    if (dangling.length > 0) throw new Error(`The migration would leave ${dangling.length} references to rows that do not exist`);
    applied = pending.map(({ name }) => name);
  });
  return applied;
}

/** Returns the statements that replace the names of earlier migrations by their replacement. They may run twice. */
export function adoption({ name, replaces = [] }: Migration): readonly { readonly sql: string; readonly args: (string | number)[] }[] {
  return [
    { sql: "DELETE FROM migrations WHERE name IN (SELECT value FROM json_each(?))", args: [JSON.stringify(replaces)] },
    { sql: "INSERT OR IGNORE INTO migrations (number, name, applied_at) VALUES (1, ?, ?)", args: [name, Date.now()] },
  ];
}

/** Returns the error for a migration that failed. */
export function migrationFailed(name: string, cause: unknown): Error {
  return new Error(`Migration ${name} failed; the database is as it was before`, { cause });
}

/** Returns the names of the applied migrations, in order. Throws InstallationError for a database of another program, or one that lacks a table. */
export async function readApplied(run: RunSql, migrations: readonly Migration[]): Promise<readonly string[]> {
  const listTables = async (): Promise<readonly string[]> => (await run("SELECT name FROM sqlite_master WHERE type = 'table'")).map(nameOf);
  const tables = await listTables();
  if (!tables.includes("migrations")) {
    if (tables.every(isOfServer)) return [];
    throw ofAnotherProgram();
  }
  const columns = (await run("SELECT name FROM pragma_table_info('migrations')")).map(nameOf);
  if (["number", "name", "applied_at"].some((column) => !columns.includes(column))) throw ofAnotherProgram();
  const applied = (await run("SELECT name FROM migrations ORDER BY number")).map(nameOf);
  const expected = tablesOf(applied, migrations);
  if (expected.every((table) => tables.includes(table))) return applied;
  // Another process may have created them since they were listed.
  const current = await listTables();
  const missing = expected.find((table) => !current.includes(table));
  if (missing === undefined) return applied;
  throw new InstallationError(`The database is damaged: it has no table ${missing}. Restore it from a backup, with its file store.`);
}

/** Returns the tables that migrations have created. */
function tablesOf(applied: readonly string[], migrations: readonly Migration[]): readonly string[] {
  const done = migrations.filter(
    ({ name, replaces = [] }) => applied.includes(name) || (replaces.length > 0 && isBeginning(replaces, applied)),
  );
  const tables = new Set<string>();
  for (const statement of done.flatMap(({ statements }) => statements)) {
    const [, change, table = ""] = /^\s*(CREATE|DROP|ALTER) TABLE (?:IF (?:NOT )?EXISTS )?"?(\w+)/i.exec(statement) ?? [];
    const [, newName] = /^\s*ALTER TABLE \S+ RENAME TO "?(\w+)/i.exec(statement) ?? [];
    if (change === "CREATE") tables.add(table);
    else if (change === "DROP" || newName !== undefined) tables.delete(table);
    if (newName !== undefined) tables.add(newName);
  }
  return [...tables];
}

/** Returns whether SQLite, a libSQL server or a tool that replicates databases creates tables with this name. */
const isOfServer = (table: string): boolean => /^(sqlite_|libsql_|_)/.test(table);

const ofAnotherProgram = (): InstallationError =>
  new InstallationError(
    "The database has the tables of another program. Set FILEHOST_DATA or FILEHOST_DB_URL to a database that only filehost uses.",
  );

function nameOf(row: unknown): string {
  if (typeof row === "object" && row !== null && "name" in row && typeof row.name === "string") return row.name;
  throw ofAnotherProgram();
}

/** Plans the migrations of a database that has `applied`. Throws UNAVAILABLE if the database is too old or too new. */
export function planMigrations(applied: readonly string[], migrations: readonly Migration[]): MigrationPlan {
  const [first] = migrations;
  const replaced = first?.replaces ?? [];
  const adopted = replaced.length > 0 && isBeginning(replaced, applied) ? first : undefined;
  const done = adopted ? [adopted.name, ...applied.slice(replaced.length)] : applied;
  const unknown = done.find((name, index) => migrations[index]?.name !== name);
  if (unknown === undefined) return { adopted, pending: migrations.slice(done.length), nextNumber: done.length + 1 };
  const old = findOldSchema(applied, migrations);
  if (old) throw new AppError("UNAVAILABLE", `${old.problem} ${old.fix}`);
  throw new AppError(
    "UNAVAILABLE",
    `The database has the migration ${unknown}, which this version of filehost does not have at that position. ` +
      "Start the newer version that used it, or restore the copy made before the upgrade.",
  );
}

/** Returns the reason why a database's schema is too old for `migrations`; undefined if it is not. */
export function findOldSchema(applied: readonly string[], [first]: readonly Migration[]): OldSchema | undefined {
  if (applied[0] === FORMER_MIGRATION) return FORMER;
  const replaced = first?.replaces ?? [];
  return applied.length > 0 && applied.length < replaced.length && isBeginning(applied, replaced) ? INCOMPLETE : undefined;
}

const isBeginning = (part: readonly string[], whole: readonly string[]): boolean => part.every((name, index) => name === whole[index]);
