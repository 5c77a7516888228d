import { sql } from "kysely";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { NewWebhookEndpoint, WebhookEndpointRow } from "../../db/tables/events.ts";
import type { FileEvent } from "../events/contract.ts";

/** An endpoint, and the events that it subscribes to. */
export interface Subscriber {
  readonly id: string;
  readonly ownerId: string;
  readonly events: readonly string[];
  readonly isPaused: boolean;
}

export async function insertEndpoint(db: Db, row: NewWebhookEndpoint): Promise<WebhookEndpointRow> {
  return await db.insertInto("webhook_endpoints").values(row).returningAll().executeTakeFirstOrThrow();
}

/** Lists the endpoints of an account, oldest first. */
export async function listEndpoints(db: Db, ownerId: string): Promise<WebhookEndpointRow[]> {
  return await db.selectFrom("webhook_endpoints").selectAll().where("owner_id", "=", ownerId).orderBy("id").execute();
}

export async function countEndpoints(db: Db, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_endpoints")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Finds an endpoint of an account; undefined if another account owns it. */
export async function findOwnEndpoint(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<WebhookEndpointRow | undefined> {
  return await db.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).where("owner_id", "=", ownerId).executeTakeFirst();
}

/** Finds an endpoint for deliveries; undefined if it was deleted or its account is disabled. */
export async function findEndpoint(db: Db, id: string): Promise<WebhookEndpointRow | undefined> {
  return await db
    .selectFrom("webhook_endpoints")
    .innerJoin("users", "users.id", "webhook_endpoints.owner_id")
    .selectAll("webhook_endpoints")
    .where("webhook_endpoints.id", "=", id)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
}

export type EndpointChange = Partial<
  Pick<WebhookEndpointRow, "url" | "events" | "description" | "secret" | "status" | "paused_reason" | "failed_attempts" | "failed_events">
>;

/** Changes an endpoint of an account; undefined if another account owns it. */
export async function changeEndpoint(
  db: Db,
  { id, ownerId, nowMs, change }: { id: string; ownerId: string; nowMs: number; change: EndpointChange },
): Promise<WebhookEndpointRow | undefined> {
  return await db
    .updateTable("webhook_endpoints")
    .set({ ...change, updated_at: nowMs })
    .where("id", "=", id)
    .where("owner_id", "=", ownerId)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes an endpoint of an account with its deliveries. Resolves to false if another account owns it. */
export async function deleteEndpoint(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<boolean> {
  const result = await db.deleteFrom("webhook_endpoints").where("id", "=", id).where("owner_id", "=", ownerId).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Lists the endpoints of any number of owners, including paused ones, in one query. */
export async function listSubscribers(db: Db, ownerIds: readonly string[]): Promise<Subscriber[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .innerJoin("users", "users.id", "webhook_endpoints.owner_id")
    .select(["webhook_endpoints.id", "webhook_endpoints.owner_id", "webhook_endpoints.events", "webhook_endpoints.status"])
    .where("webhook_endpoints.owner_id", "in", inJson(ownerIds))
    .where("users.disabled_at", "is", null)
    .execute();
  return rows.map((row) => ({ id: row.id, ownerId: row.owner_id, events: subscribedEvents(row), isPaused: row.status === "paused" }));
}

/** Returns the events that an endpoint subscribes to. */
export const subscribedEvents = (row: Pick<WebhookEndpointRow, "events">): FileEvent[] => JSON.parse(row.events) as FileEvent[];

/** Resets the failure counts of an endpoint after a successful attempt. */
export async function resetFailures(db: Db, id: string): Promise<void> {
  await db
    .updateTable("webhook_endpoints")
    .set({ failed_attempts: 0, failed_events: 0 })
    .where("id", "=", id)
    .where((where) => where.or([where("failed_attempts", ">", 0), where("failed_events", ">", 0)]))
    .execute();
}

/** Counts a failed attempt, and a failed event if it was the last attempt. Resolves to the new counts. */
export async function incrementFailures(
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

/** Pauses an endpoint until its owner resumes it. */
export async function pauseEndpoint(db: Db, { id, reason, nowMs }: { id: string; reason: string; nowMs: number }): Promise<void> {
  await db
    .updateTable("webhook_endpoints")
    .set({ status: "paused", paused_reason: reason, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
}
