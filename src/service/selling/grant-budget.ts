import { sql } from "kysely";

/*
 * The budget of a download grant, in the column `budget_bytes`: the bytes of the file that can still be sent, n. An archive that is sending the file
 * has acquired the grant: the column then has -1 - n, so that no other transfer can acquire it, also after a crash.
 */

/** A decoded budget. */
export interface GrantBudget {
  /** Whether an archive is sending the file, or was when its server instance ended. */
  readonly isAcquired: boolean;
  /** The bytes that can still be sent, without those that an archive has acquired. */
  readonly budgetBytes: number;
}

/** Decodes the column. */
export const decodeBudget = (column: number): GrantBudget =>
  column < 0 ? { isAcquired: true, budgetBytes: -1 - column } : { isAcquired: false, budgetBytes: column };

/** The SQL that encodes the budget as acquired, or decodes an acquired one. */
export const complementBudget = sql<number>`(-1 - download_grants.budget_bytes)`;

/** The SQL that tells whether the grant is acquired. */
export const isAcquired = sql<boolean>`download_grants.budget_bytes < 0`;
