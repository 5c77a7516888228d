import { AppError, InstallationError } from "../errors.ts";

/** One step of the schema. `name` begins with its number. Each of `statements` is a single statement. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

export type RunSql = (sql: string, parameters?: readonly unknown[]) => Promise<readonly unknown[]>;

/** The table of applied migrations. */
export const CREATE_MIGRATIONS =
  "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at INTEGER NOT NULL)";

/** The problem of a database that the former migrations built, and its fix. */
export const FORMER_SCHEMA = {
  problem: "The database has the schema of an earlier version, which this version does not upgrade.",
  fix: "Open it with commit cbceac3, the last that does, or set FILEHOST_DATA to a new folder, with S3 also FILEHOST_S3_PREFIX to a new prefix. Files of the former database stay in its store.",
} as const;

/** The first of the former migrations, which were folded into one. */
const FORMER_MIGRATION = "0001-foundation";

/** A database that can be migrated. */
export interface MigrationTarget {
  readonly read: RunSql;
  /** Runs `work` in one write transaction, which excludes migrations by other processes. */
  exclusively(work: (run: RunSql) => Promise<void>): Promise<void>;
  /** Copies the database. Called inside that transaction before the first statement of an upgrade, never for a new database. */
  saveCopy?(label: string): Promise<void>;
}

/**
 * Applies pending migrations, all or none, and returns their names. Of several processes that start together, one applies them. Rejects
 * with UNAVAILABLE and changes nothing if the database has a migration that this program does not know.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[]): Promise<readonly string[]> {
  if (findPending(await readApplied(target.read), migrations).length === 0) return [];
  let applied: readonly string[] = [];
  await target.exclusively(async (run) => {
    const before = await readApplied(run);
    const pending = findPending(before, migrations);
    const last = pending.at(-1);
    if (!last) return;
    if (before.length > 0) await target.saveCopy?.(`before-${last.name}`);
    await run(CREATE_MIGRATIONS);
    for (const migration of pending) await apply(run, migration);
    applied = pending.map(({ name }) => name);
  });
  return applied;
}

async function apply(run: RunSql, { name, statements }: Migration): Promise<void> {
  try {
    for (const statement of statements) await run(statement);
    await run("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", [name, Date.now()]);
  } catch (error) {
    throw migrationFailed(name, error);
  }
}

/** The error for a migration that failed. */
export function migrationFailed(name: string, cause: unknown): Error {
  return new Error(`Migration ${name} failed; the database is as it was before`, { cause });
}

/** The names of the applied migrations, in order. Throws InstallationError for a database of another program. */
export async function readApplied(run: RunSql): Promise<readonly string[]> {
  const tables = (await run("SELECT name FROM sqlite_master WHERE type = 'table'")).map(nameOf);
  if (!tables.includes("migrations")) {
    if (tables.every(isOfServer)) return [];
    throw ofAnotherProgram();
  }
  const columns = (await run("SELECT name FROM pragma_table_info('migrations')")).map(nameOf);
  if (["number", "name", "applied_at"].some((column) => !columns.includes(column))) throw ofAnotherProgram();
  return (await run("SELECT name FROM migrations ORDER BY number")).map(nameOf);
}

/** Whether SQLite, a libSQL server or a tool that replicates databases makes tables of that name. */
const isOfServer = (table: string): boolean => /^(sqlite_|libsql_|_)/.test(table);

const ofAnotherProgram = (): InstallationError =>
  new InstallationError(
    "The database has the tables of another program. Set FILEHOST_DATA or FILEHOST_DB_URL to a database that only filehost uses.",
  );

function nameOf(row: unknown): string {
  if (typeof row === "object" && row !== null && "name" in row && typeof row.name === "string") return row.name;
  throw ofAnotherProgram();
}

/** Whether the former migrations built the schema. */
export const isFormerSchema = (applied: readonly string[]): boolean => applied[0] === FORMER_MIGRATION;

/** The migrations still to apply. Throws UNAVAILABLE if an applied one is not in `migrations` at the same position. */
export function findPending(applied: readonly string[], migrations: readonly Migration[]): readonly Migration[] {
  const unknown = applied.find((name, index) => migrations[index]?.name !== name);
  if (unknown === undefined) return migrations.slice(applied.length);
  if (isFormerSchema(applied)) throw new AppError("UNAVAILABLE", `${FORMER_SCHEMA.problem} ${FORMER_SCHEMA.fix}`);
  throw new AppError(
    "UNAVAILABLE",
    `The database has the migration ${unknown}, which this version of filehost does not have at that position. ` +
      "Start the newer version that used it, or restore the copy made before the upgrade.",
  );
}
