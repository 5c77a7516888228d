import { AppError } from "../errors.ts";
import { findPending, type RunSql, readApplied } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";

/** How a database's schema stands to this program. */
export type SchemaState =
  | { readonly kind: "current"; readonly count: number }
  | { readonly kind: "empty" }
  /** A start will apply `pending`. */
  | { readonly kind: "older"; readonly pending: readonly string[] }
  /** A start will refuse it; `reason` says why. */
  | { readonly kind: "newer"; readonly reason: string };

export interface DatabaseState {
  readonly schema: SchemaState;
  /** Whether a scanner was ever seen. */
  readonly scannerSeen: boolean;
}

/** What can be read of a database without changing it. */
export async function readState(read: RunSql): Promise<DatabaseState> {
  const schema = toSchemaState(await readApplied(read));
  if (schema.kind === "empty" || schema.kind === "newer") return { schema, scannerSeen: false };
  return { schema, scannerSeen: (await read("SELECT value FROM settings WHERE name = 'scanner_seen'")).length > 0 };
}

function toSchemaState(applied: readonly string[]): SchemaState {
  if (applied.length === 0) return { kind: "empty" };
  try {
    const pending = findPending(applied, migrations).map(({ name }) => name);
    return pending.length > 0 ? { kind: "older", pending } : { kind: "current", count: applied.length };
  } catch (error) {
    if (error instanceof AppError) return { kind: "newer", reason: error.message };
    throw error;
  }
}
