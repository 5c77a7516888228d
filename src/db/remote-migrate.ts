import { type Client, type InStatement, LibsqlBatchError } from "@libsql/client";
import { AppError } from "../errors.ts";
import { CREATE_MIGRATIONS, findPending, type Migration, migrationFailed, type RunSql, readApplied } from "./migrate.ts";
import { toRemoteError, whileUnavailable } from "./remote-faults.ts";

/** One statement of the batch, and the migration that it belongs to. */
type Step = { readonly statement: InStatement; readonly name: string };

/** How often a server that does not say how it went is asked again. */
const MOST_ROUNDS = 3;

/**
 * Brings a server's schema up to date and returns the names of what this process applied. All of it is one request and one transaction, in
 * which each migration takes its number first: of several nodes that start at once, the one that commits first applies it, the others are
 * undone whole and look again. So it may also be sent again where the answer was lost. Rejects as `migrate` does.
 */
export async function migrateRemote(client: Client, read: RunSql, migrations: readonly Migration[]): Promise<readonly string[]> {
  let lost: readonly string[] = [];
  for (let round = 1; ; round++) {
    const applied = await readApplied(read);
    const pending = findPending(applied, migrations);
    if (pending.length === 0) return lost;
    const names = pending.map(({ name }) => name);
    const steps = toSteps(pending, applied.length);
    try {
      await whileUnavailable("not-arrived", () => client.migrate(steps.map(({ statement }) => statement)));
      return names;
    } catch (error) {
      const failure = failureOf(error, steps);
      const isAnswerLost = failure instanceof AppError;
      const isFurther = (await readApplied(read)).length > applied.length;
      if (!isFurther && !(isAnswerLost && round < MOST_ROUNDS)) throw failure;
      // Its answer may have been lost, or another process may have been first: who can say.
      if (isAnswerLost) lost = names;
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
    // References are not held while it runs: where one dangles at the end, this takes a number that is taken, and all is undone.
    {
      name: last,
      statement:
        "INSERT INTO migrations (number, name, applied_at) SELECT 1, 'a reference to nothing', 0 FROM pragma_foreign_key_check LIMIT 1",
    },
  ];
}

function failureOf(error: unknown, steps: readonly Step[]): unknown {
  const reason = toRemoteError(error);
  if (reason !== error || !(error instanceof LibsqlBatchError)) return reason;
  const name = steps[error.statementIndex]?.name ?? "";
  if (error.statementIndex < steps.length - 1) return migrationFailed(name, error);
  return new Error(`The migration ${name} would leave references to rows that do not exist`, { cause: error });
}
