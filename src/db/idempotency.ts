import type { Db } from "./database.ts";

/** One use of an `Idempotency-Key`: whose, on which route, and the key's hash. */
export interface IdempotencyPlace {
  readonly caller: string;
  readonly route: string;
  readonly keyHash: string;
}

export type IdempotencyState =
  | { readonly kind: "first" }
  | { readonly kind: "running" }
  /** `response` is encrypted. */
  | { readonly kind: "done"; readonly bodyDigest: string; readonly response: string };

/** Takes a place for `holder`, also from a holder that is not among the living. Call it in a transaction. */
export async function takeIdempotency(
  db: Db,
  place: IdempotencyPlace,
  { holder, living, nowMs }: { holder: string; living: ReadonlySet<string>; nowMs: number },
): Promise<IdempotencyState> {
  const row = await at(db, place);
  if (row?.response != null) return { kind: "done", bodyDigest: row.body_digest ?? "", response: row.response };
  if (row?.holder != null && living.has(row.holder)) return { kind: "running" };
  await db
    .insertInto("idempotency")
    .values({ caller: place.caller, route: place.route, key_hash: place.keyHash, holder, created_at: nowMs })
    .onConflict((conflict) => conflict.columns(["caller", "route", "key_hash"]).doUpdateSet({ holder, created_at: nowMs }))
    .execute();
  return { kind: "first" };
}

/** Keeps the answer of a place that `holder` has, with the digest of what was asked. False, and nothing is kept, where another has it by now. */
export async function saveIdempotency(
  db: Db,
  place: IdempotencyPlace,
  { holder, bodyDigest, response }: { holder: string; bodyDigest: string; response: string },
): Promise<boolean> {
  const saved = await db
    .updateTable("idempotency")
    .set({ body_digest: bodyDigest, response, holder: null })
    .where("caller", "=", place.caller)
    .where("route", "=", place.route)
    .where("key_hash", "=", place.keyHash)
    .where("holder", "=", holder)
    .executeTakeFirst();
  // One that was forgotten after its day is nobody's.
  return saved.numUpdatedRows === 1n || (await at(db, place)) === undefined;
}

/** Gives up a place that `holder` has. */
export async function dropIdempotency(db: Db, place: IdempotencyPlace, holder: string): Promise<void> {
  await db
    .deleteFrom("idempotency")
    .where("caller", "=", place.caller)
    .where("route", "=", place.route)
    .where("key_hash", "=", place.keyHash)
    .where("holder", "=", holder)
    .execute();
}

/** Forgets places that were taken before `beforeMs`. */
export async function removeOldIdempotency(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom("idempotency").where("created_at", "<", beforeMs).execute();
}

async function at(db: Db, { caller, route, keyHash }: IdempotencyPlace) {
  return await db
    .selectFrom("idempotency")
    .select(["body_digest", "response", "holder"])
    .where("caller", "=", caller)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .executeTakeFirst();
}
