import { AppError } from "../errors.ts";

/** One step of the schema. `name` begins with its number; each of the `statements` is a single one. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

export type RunSql = (sql: string, parameters?: readonly unknown[]) => Promise<readonly unknown[]>;

/** The table in which a database says which migrations it has. */
export const CREATE_MIGRATIONS =
  "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at INTEGER NOT NULL)";

/** What a database offers to be migrated. */
export interface MigrationTarget {
  readonly read: RunSql;
  /** Runs `work` in one write transaction that keeps every other process's migration out. */
  exclusively(work: (run: RunSql) => Promise<void>): Promise<void>;
  /** Called inside that transaction before the first statement of an upgrade, never for a new database. */
  keepCopy?(label: string): Promise<void>;
}

/**
 * Brings the schema up to date, all or nothing, and returns the names of what it applied. Of several processes that start at once, one
 * applies. Rejects with UNAVAILABLE where the database has a migration that this program does not know.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[]): Promise<readonly string[]> {
  if (findPending(await readApplied(target.read), migrations).length === 0) return [];
  let applied: readonly string[] = [];
  await target.exclusively(async (run) => {
    const before = await readApplied(run);
    const pending = findPending(before, migrations);
    const last = pending.at(-1);
    if (!last) return;
    if (before.length > 0) await target.keepCopy?.(`before-${last.name}`);
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

/** What a migration that cannot be applied is reported as. */
export function migrationFailed(name: string, cause: unknown): Error {
  return new Error(`Migration ${name} failed; the database is as it was before`, { cause });
}

/** The names of the migrations that a database has, in their order. */
export async function readApplied(run: RunSql): Promise<readonly string[]> {
  const tables = await run("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'");
  if (tables.length === 0) return [];
  return (await run("SELECT name FROM migrations ORDER BY number")).map(nameOf);
}

function nameOf(row: unknown): string {
  if (typeof row === "object" && row !== null && "name" in row && typeof row.name === "string") return row.name;
  throw new Error("The table of migrations is not one of filehost's");
}

/** The migrations that a database does not have yet; throws UNAVAILABLE where it has one that `migrations` does not know at its place. */
export function findPending(applied: readonly string[], migrations: readonly Migration[]): readonly Migration[] {
  applied.forEach((name, index) => {
    if (migrations[index]?.name === name) return;
    throw new AppError(
      "UNAVAILABLE",
      `The database has the migration ${name}, which this version of filehost does not know at that place. ` +
        "A newer version has used it: start that one, or restore the copy made before the upgrade.",
    );
  });
  return migrations.slice(applied.length);
}
