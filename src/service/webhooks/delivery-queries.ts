import { sql } from "kysely";
import { inJson, insertMany } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { WebhookDeliveryRow } from "../../db/tables/events.ts";

export interface NewDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  /** The exact bytes that every attempt sends. */
  readonly body: string;
  /** Whether the owner requested the delivery, so that its next attempt is made even if the endpoint is paused. */
  readonly isManual: boolean;
  readonly nowMs: number;
}

/** Adds any number of deliveries, due now, in one statement. */
export async function insertDeliveries(db: Db, deliveries: readonly NewDelivery[]): Promise<void> {
  const rows = deliveries.map(({ id, endpointId, eventId, type, body, isManual, nowMs }) => ({
    id,
    endpoint_id: endpointId,
    event_id: eventId,
    type,
    body,
    is_manual: isManual ? 1 : 0,
    next_attempt_at: nowMs,
    created_at: nowMs,
  }));
  await insertMany(db, "webhook_deliveries", rows);
}

/** Finds a delivery of an endpoint. */
export async function findDelivery(
  db: Db,
  { id, endpointId }: { id: string; endpointId: string },
): Promise<WebhookDeliveryRow | undefined> {
  return await db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("id", "=", id)
    .where("endpoint_id", "=", endpointId)
    .executeTakeFirst();
}

/** Lists the deliveries of an endpoint, newest first. `before` is the ID of the last delivery of the previous page. */
export async function listDeliveries(
  db: Db,
  { endpointId, before, limit }: { endpointId: string; before: string | undefined; limit: number },
): Promise<WebhookDeliveryRow[]> {
  return await db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** The deliveries of an endpoint that may be attempted: all, or only deliveries that the owner requested. */
export interface DeliveryFilter {
  readonly endpointId: string;
  readonly isOnlyManual: boolean;
}

/** Lists the due deliveries, longest due first. */
export async function listDueDeliveries(
  db: Db,
  { endpointId, isOnlyManual, nowMs, limit }: DeliveryFilter & { nowMs: number; limit: number },
): Promise<WebhookDeliveryRow[]> {
  return await db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .where("next_attempt_at", "<=", nowMs)
    .$if(isOnlyManual, (query) => query.where("is_manual", "=", 1))
    .orderBy("next_attempt_at")
    .limit(limit)
    .execute();
}

/** Returns the time of the next attempt in milliseconds; undefined if there is none. */
export async function findNextAttemptMs(db: Db, { endpointId, isOnlyManual }: DeliveryFilter): Promise<number | undefined> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select("next_attempt_at")
    .where("endpoint_id", "=", endpointId)
    .where("next_attempt_at", "is not", null)
    .$if(isOnlyManual, (query) => query.where("is_manual", "=", 1))
    .orderBy("next_attempt_at")
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? undefined;
}

/** The outcome of an attempt. */
export interface AttemptRecord {
  readonly id: string;
  readonly responseStatus: number | null;
  /** The error; null on success. */
  readonly error: string | null;
  /** The time of the next attempt; null if this was the last one. */
  readonly nextAttemptAtMs: number | null;
  readonly nowMs: number;
}

/** Records an attempt. Resolves to false if the delivery was deleted or has already ended. */
export async function recordAttempt(db: Db, { id, responseStatus, error, nextAttemptAtMs, nowMs }: AttemptRecord): Promise<boolean> {
  const isOk = error === null;
  const result = await db
    .updateTable("webhook_deliveries")
    .set({
      status: isOk ? "delivered" : nextAttemptAtMs === null ? "failed" : "pending",
      attempts: sql`attempts + 1`,
      failures: isOk ? sql`failures` : sql`failures + 1`,
      is_manual: 0,
      response_status: responseStatus,
      error,
      next_attempt_at: nextAttemptAtMs,
      delivered_at: isOk ? nowMs : null,
      failed_at: isOk || nextAttemptAtMs !== null ? null : nowMs,
    })
    .where("id", "=", id)
    .where("next_attempt_at", "is not", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Makes a delivery due now, with its full number of attempts. */
export async function restartDelivery(
  db: Db,
  { id, endpointId, nowMs }: { id: string; endpointId: string; nowMs: number },
): Promise<WebhookDeliveryRow | undefined> {
  return await db
    .updateTable("webhook_deliveries")
    .set({ ...RESTARTED, next_attempt_at: nowMs })
    .where("id", "=", id)
    .where("endpoint_id", "=", endpointId)
    .returningAll()
    .executeTakeFirst();
}

const RESTARTED = { status: "pending", is_manual: 1, failures: 0, delivered_at: null, failed_at: null } as const;

/** Makes the failed ones of these deliveries due now, with their full number of attempts. */
export async function restartFailedRows(
  db: Db,
  ids: readonly string[],
  nowMs: number,
): Promise<Pick<WebhookDeliveryRow, "id" | "endpoint_id">[]> {
  return await db
    .updateTable("webhook_deliveries")
    .set({ ...RESTARTED, next_attempt_at: nowMs })
    .where("id", "in", inJson(ids))
    .where("failed_at", "is not", null)
    .returning(["id", "endpoint_id"])
    .execute();
}

/** Deletes the failed ones of these deliveries. */
export async function deleteFailedRows(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("webhook_deliveries").where("id", "in", inJson(ids)).where("failed_at", "is not", null).execute();
}

/** Deletes the longest waiting deliveries of an endpoint beyond `max`, except deliveries that the owner requested. */
export async function enforceQueueLimit(db: Db, { endpointId, max }: { endpointId: string; max: number }): Promise<void> {
  const waiting = db.selectFrom("webhook_deliveries").where("endpoint_id", "=", endpointId).where("next_attempt_at", "is not", null);
  const { count } = await waiting.select((select) => select.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  if (count <= max) return;
  const oldest = waiting
    .select("id")
    .where("is_manual", "=", 0)
    .orderBy("next_attempt_at")
    .limit(count - max);
  await db.deleteFrom("webhook_deliveries").where("id", "in", oldest).execute();
}

/** Deletes up to `limit` deliveries that were created before `beforeMs`, in any state. Resolves to their number. */
export async function deleteOldDeliveries(db: Db, { beforeMs, limit }: { beforeMs: number; limit: number }): Promise<number> {
  const result = await db
    .deleteFrom("webhook_deliveries")
    .where("id", "in", (query) => query.selectFrom("webhook_deliveries").select("id").where("created_at", "<", beforeMs).limit(limit))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Deletes at most `limit` deliveries of an endpoint. Resolves to their number. */
export async function deleteSomeDeliveries(db: Db, { endpointId, limit }: { endpointId: string; limit: number }): Promise<number> {
  const result = await db
    .deleteFrom("webhook_deliveries")
    .where("id", "in", (query) => query.selectFrom("webhook_deliveries").select("id").where("endpoint_id", "=", endpointId).limit(limit))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
