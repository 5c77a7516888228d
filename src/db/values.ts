/** The types that SQLite stores. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * Converts query parameters for the driver: whole numbers to integers (it would bind them as REAL, which shows in TEXT columns), booleans to 0 or 1.
 * Throws TypeError for any other type, because the native driver would end the process for some of them.
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
