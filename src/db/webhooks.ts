import { sql } from "kysely";
import type { FileEvent } from "../contract/webhooks.ts";
import type { Db } from "./database.ts";
import type { NewWebhookEndpoint, WebhookEndpointRow } from "./tables/events.ts";

/** An endpoint that events go to, and which of them it wants; what a paused one wants waits for it. */
export interface Taker {
  readonly id: string;
  readonly ownerId: string;
  readonly events: readonly string[];
  readonly isPaused: boolean;
}

export async function insertWebhook(db: Db, row: NewWebhookEndpoint): Promise<WebhookEndpointRow> {
  return await db.insertInto("webhook_endpoints").values(row).returningAll().executeTakeFirstOrThrow();
}

/** An account's endpoints, oldest first. */
export async function listWebhooks(db: Db, ownerId: string): Promise<WebhookEndpointRow[]> {
  return await db.selectFrom("webhook_endpoints").selectAll().where("owner_id", "=", ownerId).orderBy("id").execute();
}

export async function countWebhooks(db: Db, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_endpoints")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Undefined for an endpoint that is not `ownerId`'s. */
export async function findWebhook(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<WebhookEndpointRow | undefined> {
  return await db.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).where("owner_id", "=", ownerId).executeTakeFirst();
}

/** An endpoint to deliver to, whoever owns it; undefined where it is gone or its account disabled. */
export async function findReceiver(db: Db, id: string): Promise<WebhookEndpointRow | undefined> {
  return await db
    .selectFrom("webhook_endpoints")
    .innerJoin("users", "users.id", "webhook_endpoints.owner_id")
    .selectAll("webhook_endpoints")
    .where("webhook_endpoints.id", "=", id)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
}

export type WebhookChange = Partial<
  Pick<WebhookEndpointRow, "url" | "events" | "description" | "secret" | "status" | "paused_reason" | "failed_attempts" | "failed_events">
>;

/** Undefined for an endpoint that is not `ownerId`'s. */
export async function changeWebhook(
  db: Db,
  { id, ownerId, nowMs, change }: { id: string; ownerId: string; nowMs: number; change: WebhookChange },
): Promise<WebhookEndpointRow | undefined> {
  return await db
    .updateTable("webhook_endpoints")
    .set({ ...change, updated_at: nowMs })
    .where("id", "=", id)
    .where("owner_id", "=", ownerId)
    .returningAll()
    .executeTakeFirst();
}

/** With everything that was on its way to it. False for an endpoint that is not `ownerId`'s. */
export async function removeWebhook(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<boolean> {
  const result = await db.deleteFrom("webhook_endpoints").where("id", "=", id).where("owner_id", "=", ownerId).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** The endpoints of any of the owners, paused ones too. One look-up, however many owners. */
export async function listTakers(db: Db, ownerIds: readonly string[]): Promise<Taker[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .innerJoin("users", "users.id", "webhook_endpoints.owner_id")
    .select(["webhook_endpoints.id", "webhook_endpoints.owner_id", "webhook_endpoints.events", "webhook_endpoints.status"])
    .where("webhook_endpoints.owner_id", "in", sql<string>`(SELECT value FROM json_each(${JSON.stringify(ownerIds)}))`)
    .where("users.disabled_at", "is", null)
    .execute();
  return rows.map((row) => ({ id: row.id, ownerId: row.owner_id, events: chosenEvents(row), isPaused: row.status === "paused" }));
}

/** What an endpoint asked for. */
export const chosenEvents = (row: Pick<WebhookEndpointRow, "events">): FileEvent[] => JSON.parse(row.events) as FileEvent[];

/** Forgets the failures of an endpoint that has just taken an event. */
export async function noteSuccess(db: Db, id: string): Promise<void> {
  await db
    .updateTable("webhook_endpoints")
    .set({ failed_attempts: 0, failed_events: 0 })
    .where("id", "=", id)
    .where((where) => where.or([where("failed_attempts", ">", 0), where("failed_events", ">", 0)]))
    .execute();
}

/** Counts a failed attempt, and a failed event where it was the last; resolves to the endpoint's counters in a row. */
export async function noteFailure(
  db: Db,
  { id, isLast }: { id: string; isLast: boolean },
): Promise<Pick<WebhookEndpointRow, "failed_events" | "status"> | undefined> {
  return await db
    .updateTable("webhook_endpoints")
    .set({ failed_attempts: sql`failed_attempts + 1`, failed_events: sql`failed_events + ${isLast ? 1 : 0}` })
    .where("id", "=", id)
    .returning(["failed_events", "status"])
    .executeTakeFirst();
}

/** Sends an endpoint nothing more until its owner enables it. */
export async function pauseWebhook(db: Db, { id, reason, nowMs }: { id: string; reason: string; nowMs: number }): Promise<void> {
  await db
    .updateTable("webhook_endpoints")
    .set({ status: "paused", paused_reason: reason, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
}
