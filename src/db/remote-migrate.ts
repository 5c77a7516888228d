import { type Client, type InStatement, LibsqlBatchError } from "@libsql/client";
import { AppError } from "../errors.ts";
import {
  adoption,
  CREATE_MIGRATIONS,
  isUpToDate,
  type Migration,
  type MigrationPlan,
  migrationFailed,
  planMigrations,
  type RunSql,
  readApplied,
} from "./migrate.ts";
import { retryUntilAvailable, toRemoteDatabaseError } from "./remote-errors.ts";

/** One statement of the batch, with its migration. */
type Step = { readonly statement: InStatement; readonly name: string };

/**
 * A statement that fails, and so rolls back everything, if a foreign key dangles at the end: it inserts a number that exists. Foreign keys are off
 * during the migration.
 */
const CHECK_REFERENCES =
  "INSERT INTO migrations (number, name, applied_at) SELECT 1, 'a reference to nothing', 0 FROM pragma_foreign_key_check LIMIT 1";

/** Maximum number of attempts while the outcome is unknown. */
const MAX_ATTEMPTS = 3;

/**
 * Applies pending migrations on a libSQL server and returns the names of the migrations that this process applied. Sends everything as one
 * transaction in one request, in which each migration first inserts its number: of several processes that start together, one commits and
 * the others roll back and check again. So it may be sent again if the response was lost. Rejects as `migrate` does.
 */
export async function migrateRemote(client: Client, read: RunSql, migrations: readonly Migration[]): Promise<readonly string[]> {
  let maybeApplied: readonly string[] = [];
  for (let attempt = 1; ; attempt++) {
    const plan = planMigrations(await readApplied(read, migrations), migrations);
    if (isUpToDate(plan)) return maybeApplied;
    const names = plan.pending.map(({ name }) => name);
    const steps = toSteps(plan);
    try {
      await retryUntilAvailable("not-received", () => client.migrate(steps.map(({ statement }) => statement)));
      return names;
    } catch (error) {
      const failure = failureOf(error, steps);
      const isResponseLost = failure instanceof AppError;
      const hasAdvanced = planMigrations(await readApplied(read, migrations), migrations).nextNumber > plan.nextNumber;
      if (!hasAdvanced && !(isResponseLost && attempt < MAX_ATTEMPTS)) throw failure;
      // Outcome unknown: the response was lost or another process won.
      if (isResponseLost) maybeApplied = names;
    }
  }
}

function toSteps({ adopted, pending, nextNumber }: MigrationPlan): Step[] {
  const now = Date.now();
  const adopting = adopted ? adoption(adopted).map((statement) => ({ name: adopted.name, statement })) : [];
  const [first] = pending;
  const last = pending.at(-1);
  if (!first || !last) return adopting;
  return [
    { name: first.name, statement: CREATE_MIGRATIONS },
    ...adopting,
    ...pending.flatMap(({ name, statements }, index) => [
      {
        name,
        statement: {
          sql: "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)",
          args: [BigInt(nextNumber + index), name, now],
        },
      },
      ...statements.map((statement) => ({ name, statement })),
    ]),
    { name: last.name, statement: CHECK_REFERENCES },
  ];
}

function failureOf(error: unknown, steps: readonly Step[]): unknown {
  const reason = toRemoteDatabaseError(error);
  if (reason !== error || !(error instanceof LibsqlBatchError)) return reason;
  const { name, statement } = steps[error.statementIndex] ?? { name: "", statement: "" };
  if (statement !== CHECK_REFERENCES) return migrationFailed(name, error);
  return new Error(`The migration ${name} would leave references to rows that do not exist`, { cause: error });
}
