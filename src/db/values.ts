/** What SQLite can hold. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * Query parameters as the driver takes them: whole numbers as integers (the driver would bind them as REAL, which shows in TEXT columns),
 * booleans as 0 or 1. Throws a TypeError for anything else, since the native driver would end the process over some of them.
 */
export function toSqlValues(parameters: readonly unknown[]): SqlValue[] {
  return parameters.map(toSqlValue);
}

function toSqlValue(value: unknown): SqlValue {
  if (typeof value === "string" || typeof value === "bigint" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`A query parameter must be text, a finite number, a boolean, bytes or null, not ${describe(value)}`);
}

function describe(value: unknown): string {
  return typeof value === "object" ? (value?.constructor?.name ?? "an object") : String(value);
}
