import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** Reads go straight through; inside a transaction, everything goes through it. */
export type Db = Kysely<Schema>;

export interface Database extends AsyncDisposable {
  /** For reads, and for single statements that are a transaction of their own. */
  readonly db: Db;
  /**
   * Runs `work` in one transaction and resolves once it is durable; whatever `work` throws undoes it and is thrown on.
   * Transactions that wait together share one commit. `work` touches `tx` alone: the outer `db` inside it would wait for ever.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Rejects where the database does not answer. */
  ping(): Promise<void>;
}
