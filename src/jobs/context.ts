import type { Logger } from "pino";
import type { DatabaseTime, Db, TransactionDb } from "../db/database.ts";
import type { Random } from "../lib/secrets/ids.ts";

/** What jobs and the schedule need to run. What they do may need more, which the caller's own context has. */
export interface JobCtx {
  readonly db: Db;
  readonly transaction: <T>(work: (ctx: JobTransactionCtx) => Promise<T>) => Promise<T>;
  readonly now: () => number;
  /** The clock that all instances share: that of the database server. Undefined if the database is a local file. */
  readonly databaseTime: DatabaseTime | undefined;
  readonly random: Random;
  readonly log: Logger;
  readonly instanceId: string;
}

export type JobTransactionCtx = Omit<JobCtx, "db" | "transaction"> & { readonly db: TransactionDb };
