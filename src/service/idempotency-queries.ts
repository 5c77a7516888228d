import type { Db, TransactionDb } from "../db/database.ts";

/** The identity of an `Idempotency-Key`: its caller, its route and its hash. */
export interface IdempotencyKey {
  readonly caller: string;
  readonly route: string;
  readonly keyHash: string;
}

/** The state of a key. `first`: reserved by this call; `running`: reserved by a live server instance; `done`: the response is stored. */
export type IdempotencyState =
  | { readonly kind: "first" }
  | { readonly kind: "running" }
  /** `response` is encrypted. `credential` belongs to the first request; null if its server version did not store one. */
  | { readonly kind: "done"; readonly bodyDigest: string; readonly response: string; readonly credential: string | null };

/** Reserves a key for the server instance `holder`, unless a response is stored or one of `liveInstances` has reserved it. */
export async function reserveIdempotencyKey(
  db: TransactionDb,
  key: IdempotencyKey,
  { holder, liveInstances, nowMs }: { holder: string; liveInstances: ReadonlySet<string>; nowMs: number },
): Promise<IdempotencyState> {
  const row = await findRow(db, key);
  if (row?.response != null) {
    return { kind: "done", bodyDigest: row.body_digest ?? "", response: row.response, credential: row.credential };
  }
  if (row?.lease_holder != null && liveInstances.has(row.lease_holder)) return { kind: "running" };
  await db
    .insertInto("idempotent_requests")
    .values({ caller: key.caller, route: key.route, key_hash: key.keyHash, lease_holder: holder, created_at: nowMs })
    .onConflict((conflict) => conflict.columns(["caller", "route", "key_hash"]).doUpdateSet({ lease_holder: holder, created_at: nowMs }))
    .execute();
  return { kind: "first" };
}

/** Stores the response and the digest of the request. Resolves to false, and stores nothing, if another server instance has taken over the key. */
export async function saveIdempotentResponse(
  db: Db,
  key: IdempotencyKey,
  { holder, ...stored }: { holder: string; bodyDigest: string; response: string; credential: string },
): Promise<boolean> {
  const saved = await db
    .updateTable("idempotent_requests")
    .set({ body_digest: stored.bodyDigest, response: stored.response, credential: stored.credential, lease_holder: null })
    .where("caller", "=", key.caller)
    .where("route", "=", key.route)
    .where("key_hash", "=", key.keyHash)
    .where("lease_holder", "=", holder)
    .executeTakeFirst();
  // A missing row is a success: the key expired during the request, and nobody has reserved it since.
  return saved.numUpdatedRows === 1n || (await findRow(db, key)) === undefined;
}

/** Deletes a key if `holder` has reserved it. */
export async function releaseIdempotencyKey(db: Db, key: IdempotencyKey, holder: string): Promise<void> {
  await db
    .deleteFrom("idempotent_requests")
    .where("caller", "=", key.caller)
    .where("route", "=", key.route)
    .where("key_hash", "=", key.keyHash)
    .where("lease_holder", "=", holder)
    .execute();
}

/** Deletes keys reserved before `beforeMs`. */
export async function deleteOldIdempotencyKeys(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom("idempotent_requests").where("created_at", "<", beforeMs).execute();
}

async function findRow(db: Db, { caller, route, keyHash }: IdempotencyKey) {
  return await db
    .selectFrom("idempotent_requests")
    .select(["body_digest", "response", "lease_holder", "credential"])
    .where("caller", "=", caller)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .executeTakeFirst();
}
