import type { ArrivedPart } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import { listAnnounced } from "../../db/announced-parts.ts";
import type { UploadPartRow } from "../../db/tables/uploads.ts";
import { listParts, saveParts } from "../../db/upload-sessions.ts";
import { type OwnedSession, partSpan, stagedBlob } from "./session.ts";

export interface Arrived {
  /** In order; each has the size that it must have. */
  readonly parts: readonly UploadPartRow[];
  /** Whether some may have come without passing through a server. */
  readonly bySender: boolean;
}

/**
 * What has arrived of an upload: as recorded, and, where addresses of the store were given out for its parts, as the store says. What came
 * that way counts with the digest that was announced; whether its bytes have it, the store or the pass that scans finds out.
 */
export async function listArrived(ctx: Ctx, { session, file }: OwnedSession): Promise<Arrived> {
  const recorded = await listParts(ctx.db, session.id);
  const announced = await listAnnounced(ctx.db, file.id);
  if (announced.length === 0) return { parts: recorded, bySender: false };
  const stored = await ctx.blobs.listParts?.(stagedBlob(session));
  // Of an upload that the store knows no more, what was recorded when it was completed.
  if (!stored) return { parts: recorded, bySender: true };
  const recordedBy = new Map(recorded.map((part) => [part.part_number, part]));
  const announcedBy = new Map(announced.map((part) => [part.part_number, part.sha256]));
  const parts = stored.flatMap((part) => {
    if (partSpan(session, part.partNumber)?.sizeBytes !== part.sizeBytes) return [];
    const sha256 = digestOf(part, recordedBy.get(part.partNumber), announcedBy.get(part.partNumber));
    if (sha256 === undefined) return [];
    return [{ session_id: session.id, part_number: part.partNumber, size_bytes: part.sizeBytes, sha256, etag: part.etag }];
  });
  return { parts, bySender: true };
}

/** Undefined where the store holds other bytes than were announced last. */
function digestOf(part: ArrivedPart, recorded: UploadPartRow | undefined, announced: string | undefined): string | undefined {
  const expected = announced ?? (recorded && bareEtag(recorded.etag) === bareEtag(part.etag) ? recorded.sha256 : undefined);
  return part.sha256 === undefined || part.sha256 === expected ? expected : undefined;
}

/** Keeps what an upload is about to be completed with: after that, a store does not say any more what its parts were. */
export async function recordArrived(ctx: Ctx, { parts, bySender }: Arrived): Promise<void> {
  if (bySender) await ctx.tx(async (ctx) => await saveParts(ctx.db, parts));
}

/** An entity tag without what stores and clients put round it. */
export const bareEtag = (etag: string): string => etag.replace(/^W\//, "").replaceAll('"', "");
