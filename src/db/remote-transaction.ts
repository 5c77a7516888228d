import type { Client, ResultSet, Transaction } from "@libsql/client";
import type { CompiledQuery, QueryResult } from "kysely";
import type { OpenTransaction } from "./dialect.ts";
import { codeOf, unavailable } from "./faults.ts";
import { toRemoteError, whileUnavailable } from "./remote-faults.ts";
import type { Turns } from "./turns.ts";
import { toSqlValues } from "./values.ts";

/** Runs one compiled query; throws the client's errors as they are. */
export async function executeOn(session: Client | Transaction, { sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
  const result = await session.execute({ sql, args: toSqlValues(parameters) });
  return { rows: toRows(result), numAffectedRows: BigInt(result.rowsAffected), insertId: result.lastInsertRowid };
}

/** A result's rows as objects, bytes as Uint8Array. */
export function toRows({ columns, rows }: ResultSet): Record<string, unknown>[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) {
      const value = values[index];
      row[column] = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
    }
    return row;
  });
}

export interface TransactionOptions {
  readonly client: Client;
  readonly turns: Turns;
  /** A transaction that takes longer is undone, so that it cannot stop all others for good. */
  readonly limitMs: number;
}

/**
 * Waits for this process's turn. The server hears of the transaction with its first statement, in one request; while that one fails for
 * want of the lock or of an answer it is sent again, in a new transaction, since the one that may have begun is never committed.
 */
export async function beginRemote({ client, turns, limitMs }: TransactionOptions): Promise<OpenTransaction> {
  const endTurn = await turns.take();
  let transaction: Transaction | undefined;
  let over = false;

  const end = (): void => {
    over = true;
    clearTimeout(timer);
    endTurn();
  };
  const undo = async (): Promise<void> => {
    if (over) return;
    end();
    // The server undoes it by itself where it does not hear of this.
    await transaction?.rollback().catch(() => transaction?.close());
  };
  const timer = setTimeout(() => void undo(), limitMs);

  const start = (query: CompiledQuery) =>
    whileUnavailable("any-failure", async () => {
      if (over) throw tookTooLong();
      const opening = transaction ?? (await client.transaction("write"));
      try {
        return await executeOn(opening, query);
      } finally {
        // Where it has begun and the statement itself is at fault, it goes on as far as its work wants.
        if (!opening.closed) transaction = opening;
        if (over) opening.close();
      }
    });

  return {
    async execute(query) {
      if (over) throw tookTooLong();
      try {
        return await (transaction ? executeOn(transaction, query) : start(query));
      } catch (error) {
        // All but a broken rule may have had the server undo everything: nothing may go on outside a transaction then.
        if (!codeOf(error).startsWith("SQLITE_CONSTRAINT")) await undo();
        throw toRemoteError(error);
      }
    },
    async commit() {
      if (over) throw tookTooLong();
      try {
        await transaction?.commit();
      } catch (error) {
        throw toRemoteError(error);
      } finally {
        end();
      }
    },
    rollback: undo,
  };
}

const tookTooLong = (): Error => unavailable("The change took too long and was undone. Please try again.");
