import type { Db } from "./database.ts";

export type EventType = "file.ready" | "file.failed" | "file.expired" | "file.authorized" | "file.downloaded";

export interface NewEvent {
  readonly id: string;
  readonly type: EventType;
  readonly file: {
    readonly id: string;
    readonly short_id: string;
    readonly owner_id: string | null;
    readonly name: string;
    readonly size_bytes: number;
    readonly content_type: string;
  };
  readonly reason?: "infected" | "scan_failed" | "expired";
  readonly route?: string;
  readonly clientClass?: string;
  readonly nowMs: number;
}

/** Writes an event to the outbox, in the transaction of what it tells of (interface, "Events"). */
export async function insertEvent(db: Db, event: NewEvent): Promise<void> {
  const { file } = event;
  await db
    .insertInto("events")
    .values({
      id: event.id,
      type: event.type,
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
        ...(event.reason && { reason: event.reason }),
      }),
      route: event.route ?? null,
      client_class: event.clientClass ?? null,
      created_at: event.nowMs,
    })
    .execute();
}
