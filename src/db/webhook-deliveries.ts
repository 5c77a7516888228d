import { sql } from "kysely";
import type { Db } from "./database.ts";
import type { WebhookDeliveryRow } from "./tables/events.ts";

export interface NewDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  /** What is sent, to the byte, in every attempt. */
  readonly body: string;
  /** Asked for by a person: its next attempt is made although the endpoint is paused. */
  readonly byHand: boolean;
  readonly nowMs: number;
}

/** Adds deliveries, due at once; one statement, however many. */
export async function insertDeliveries(db: Db, deliveries: readonly NewDelivery[]): Promise<void> {
  const rows = deliveries.map(({ id, endpointId, eventId, type, body, byHand, nowMs }) => [
    id,
    endpointId,
    eventId,
    type,
    body,
    byHand ? 1 : 0,
    nowMs,
  ]);
  await sql`INSERT INTO webhook_deliveries (id, endpoint_id, event_id, type, body, by_hand, next_attempt_at, created_at)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), json_extract(value, '$[3]'),
      json_extract(value, '$[4]'), json_extract(value, '$[5]'), json_extract(value, '$[6]'), json_extract(value, '$[6]')
    FROM json_each(${JSON.stringify(rows)})`.execute(db);
}

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

/** An endpoint's log, newest first; `before` is the id of the last one seen. */
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

/** Which of an endpoint's deliveries may be attempted: all, or those alone that a person asked for. */
export interface Attemptable {
  readonly endpointId: string;
  readonly onlyByHand: boolean;
}

/** Deliveries whose time has come, the longest due first. */
export async function listDueDeliveries(
  db: Db,
  { endpointId, onlyByHand, nowMs, limit }: Attemptable & { nowMs: number; limit: number },
): Promise<WebhookDeliveryRow[]> {
  return await db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .where("next_attempt_at", "<=", nowMs)
    .$if(onlyByHand, (query) => query.where("by_hand", "=", 1))
    .orderBy("next_attempt_at")
    .limit(limit)
    .execute();
}

/** When the next attempt at an endpoint is due; undefined where none is. */
export async function findNextAttempt(db: Db, { endpointId, onlyByHand }: Attemptable): Promise<number | undefined> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select("next_attempt_at")
    .where("endpoint_id", "=", endpointId)
    .where("next_attempt_at", "is not", null)
    .$if(onlyByHand, (query) => query.where("by_hand", "=", 1))
    .orderBy("next_attempt_at")
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? undefined;
}

/** How an attempt went, and when the next one is due: null where there is none. */
export interface AttemptRecord {
  readonly id: string;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly nextAttemptAtMs: number | null;
  readonly nowMs: number;
}

/** Writes an attempt down; false where the delivery is gone or was over already. */
export async function recordAttempt(db: Db, { id, responseStatus, error, nextAttemptAtMs, nowMs }: AttemptRecord): Promise<boolean> {
  const isOk = error === null;
  const result = await db
    .updateTable("webhook_deliveries")
    .set({
      status: isOk ? "delivered" : nextAttemptAtMs === null ? "failed" : "pending",
      attempts: sql`attempts + 1`,
      failures: isOk ? sql`failures` : sql`failures + 1`,
      by_hand: 0,
      response_status: responseStatus,
      error,
      next_attempt_at: nextAttemptAtMs,
      delivered_at: isOk ? nowMs : null,
    })
    .where("id", "=", id)
    .where("next_attempt_at", "is not", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Makes a delivery due now, with all its attempts before it. */
export async function restartDelivery(
  db: Db,
  { id, endpointId, nowMs }: { id: string; endpointId: string; nowMs: number },
): Promise<WebhookDeliveryRow | undefined> {
  return await db
    .updateTable("webhook_deliveries")
    .set({ status: "pending", by_hand: 1, failures: 0, next_attempt_at: nowMs, delivered_at: null })
    .where("id", "=", id)
    .where("endpoint_id", "=", endpointId)
    .returningAll()
    .executeTakeFirst();
}

/** Forgets what has waited longest for an endpoint, past the newest `most`; never what a person asked for. */
export async function trimWaiting(db: Db, { endpointId, most }: { endpointId: string; most: number }): Promise<void> {
  const waiting = db.selectFrom("webhook_deliveries").where("endpoint_id", "=", endpointId).where("next_attempt_at", "is not", null);
  const { count } = await waiting.select((select) => select.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  if (count <= most) return;
  const oldest = waiting
    .select("id")
    .where("by_hand", "=", 0)
    .orderBy("next_attempt_at")
    .limit(count - most);
  await db.deleteFrom("webhook_deliveries").where("id", "in", oldest).execute();
}

/** Forgets at most `limit` deliveries from before `beforeMs`, sent or not; resolves to how many. */
export async function removeOldDeliveries(db: Db, { beforeMs, limit }: { beforeMs: number; limit: number }): Promise<number> {
  const result = await db
    .deleteFrom("webhook_deliveries")
    .where("id", "in", (query) => query.selectFrom("webhook_deliveries").select("id").where("created_at", "<", beforeMs).limit(limit))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
