import type { Logger } from "pino";
import type { DatabaseTime, Db, TransactionDb } from "../db/database.ts";
import type { Random } from "../lib/secrets/ids.ts";

/** The context of jobs and of the schedule. A job may use more members of the caller's context. */
export interface JobCtx {
  readonly db: Db;
  readonly transaction: <T>(work: (ctx: JobTransactionCtx) => Promise<T>) => Promise<T>;
  readonly now: () => number;
  /** The clock of the database server, which all instances share; undefined if the database is a local file. */
  readonly databaseTime: DatabaseTime | undefined;
  readonly random: Random;
  readonly log: Logger;
  readonly instanceId: string;
}

export type JobTransactionCtx = Omit<JobCtx, "db" | "transaction"> & { readonly db: TransactionDb };
