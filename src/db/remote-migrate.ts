import { type Client, type InStatement, LibsqlBatchError } from "@libsql/client";
import { AppError } from "../errors.ts";
import { CREATE_MIGRATIONS, findPending, type Migration, migrationFailed, type RunSql, readApplied } from "./migrate.ts";
import { toRemoteDatabaseError, whileUnavailable } from "./remote-errors.ts";

/** One statement of the batch and the migration that it belongs to. */
type Step = { readonly statement: InStatement; readonly name: string };

/** How many attempts to make while the outcome is unknown. */
const MAX_ATTEMPTS = 3;

/**
 * Applies pending migrations on a libSQL server and returns the names of those that this process applied. Sends everything as one
 * transaction in one request, in which each migration first inserts its number: of several processes that start together, one commits and
 * the others roll back and check again. So it may be sent again if the response was lost. Rejects as `migrate` does.
 */
export async function migrateRemote(client: Client, read: RunSql, migrations: readonly Migration[]): Promise<readonly string[]> {
  let maybeApplied: readonly string[] = [];
  for (let attempt = 1; ; attempt++) {
    const applied = await readApplied(read);
    const pending = findPending(applied, migrations);
    if (pending.length === 0) return maybeApplied;
    const names = pending.map(({ name }) => name);
    const steps = toSteps(pending, applied.length);
    try {
      await whileUnavailable("not-received", () => client.migrate(steps.map(({ statement }) => statement)));
      return names;
    } catch (error) {
      const failure = failureOf(error, steps);
      const isResponseLost = failure instanceof AppError;
      const hasAdvanced = (await readApplied(read)).length > applied.length;
      if (!hasAdvanced && !(isResponseLost && attempt < MAX_ATTEMPTS)) throw failure;
      // Outcome unknown: the response was lost or another process won.
      if (isResponseLost) maybeApplied = names;
    }
  }
}

function toSteps(pending: readonly Migration[], applied: number): Step[] {
  const now = Date.now();
  const first = pending[0]?.name ?? "";
  const last = pending.at(-1)?.name ?? "";
  return [
    { name: first, statement: CREATE_MIGRATIONS },
    ...pending.flatMap(({ name, statements }, index) => [
      {
        name,
        statement: {
          sql: "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)",
          args: [BigInt(applied + index + 1), name, now],
        },
      },
      ...statements.map((statement) => ({ name, statement })),
    ]),
    // Foreign keys are off meanwhile. If one dangles at the end, this inserts a number that is taken, which rolls back everything.
    {
      name: last,
      statement:
        "INSERT INTO migrations (number, name, applied_at) SELECT 1, 'a reference to nothing', 0 FROM pragma_foreign_key_check LIMIT 1",
    },
  ];
}

function failureOf(error: unknown, steps: readonly Step[]): unknown {
  const reason = toRemoteDatabaseError(error);
  if (reason !== error || !(error instanceof LibsqlBatchError)) return reason;
  const name = steps[error.statementIndex]?.name ?? "";
  if (error.statementIndex < steps.length - 1) return migrationFailed(name, error);
  return new Error(`The migration ${name} would leave references to rows that do not exist`, { cause: error });
}
