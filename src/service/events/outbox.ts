import type { Insertable } from "kysely";
import type { Channel } from "../../contract/channels.ts";
import { inJson, insertMany } from "../../db/bulk.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { EventTable } from "../../db/tables/events.ts";
import type { FileEvent } from "./contract.ts";

/** An event of a file, as it is written to the outbox. */
export interface NewEvent {
  readonly id: string;
  readonly type: FileEvent;
  readonly file: {
    readonly id: string;
    readonly short_id: string;
    readonly owner_id: string | null;
    readonly name: string;
    readonly size_bytes: number;
    readonly content_type: string;
    /** The request that the file was sent to. */
    readonly request_id?: string | null;
  };
  readonly reason?: "infected" | "scan_failed" | "expired";
  readonly channel?: Channel;
  readonly clientClass?: string;
  readonly nowMs: number;
}

/** An event to dispatch. */
export interface WaitingEvent {
  readonly id: string;
  readonly type: string;
  readonly ownerId: string | null;
  readonly createdAtMs: number;
  readonly data: unknown;
}

/**
 * Writes an event to the outbox, in the transaction of its cause (webhooks, "Events"). An event of a file without an owner is not dispatched, because
 * nobody can subscribe to it.
 */
export async function insertEvent(db: TransactionDb, event: NewEvent): Promise<void> {
  await insertQuery.run(db, toRow(event));
}

const insertQuery = preparedQuery((db, event: ReturnType<typeof toRow>) =>
  db.insertInto("events").values({
    id: event.id,
    type: event.type,
    file_id: event.file_id,
    short_id: event.short_id,
    owner_id: event.owner_id,
    data: event.data,
    channel: event.channel,
    client_class: event.client_class,
    created_at: event.created_at,
    dispatched_at: event.dispatched_at,
  }),
);

/** Writes any number of events to the outbox in one statement. */
export async function insertEvents(db: TransactionDb, events: readonly NewEvent[]): Promise<void> {
  await insertMany(db, "events", events.map(toRow));
}

/** Deletes the dispatched events of files. */
export async function deleteDispatchedEvents(db: Db, fileIds: readonly string[]): Promise<void> {
  await db.deleteFrom("events").where("file_id", "in", inJson(fileIds)).where("dispatched_at", "is not", null).execute();
}

function toRow({ id, type, file, reason, channel, clientClass, nowMs }: NewEvent) {
  return {
    id,
    type,
    file_id: file.id,
    short_id: file.short_id,
    owner_id: file.owner_id,
    data: JSON.stringify({
      fileId: file.id,
      shortId: file.short_id,
      name: file.name,
      size: file.size_bytes,
      mimeType: file.content_type,
      sharePath: `/d/${file.short_id}`,
      ...(type === "file.ready" && file.request_id && { requestId: file.request_id }),
      ...(reason && { reason }),
    }),
    channel: channel ?? null,
    client_class: clientClass ?? null,
    created_at: nowMs,
    dispatched_at: file.owner_id === null ? nowMs : null,
  } satisfies Insertable<EventTable>;
}

export async function hasWaitingEvents(db: Db): Promise<boolean> {
  return (await waitingEventQuery.first(db, {})) !== undefined;
}

const waitingEventQuery = preparedQuery((db) => db.selectFrom("events").select("id").where("dispatched_at", "is", null).limit(1));

/** Marks the oldest events of the outbox as dispatched, at most `limit`. Resolves to these events, oldest first. */
export async function takeWaitingEvents(db: Db, { limit, nowMs }: { limit: number; nowMs: number }): Promise<WaitingEvent[]> {
  const rows = await db
    .updateTable("events")
    .set({ dispatched_at: nowMs })
    .where("id", "in", (query) =>
      query.selectFrom("events").select("id").where("dispatched_at", "is", null).orderBy("created_at").limit(limit),
    )
    .returning(["id", "type", "owner_id", "created_at", "data"])
    .execute();
  return rows
    .map((row) => ({
      id: row.id,
      type: row.type,
      ownerId: row.owner_id,
      createdAtMs: row.created_at,
      data: JSON.parse(row.data) as unknown,
    }))
    .sort((left, right) => left.createdAtMs - right.createdAtMs);
}
