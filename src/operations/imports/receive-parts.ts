import { createHash, type Hash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { publishInput } from "../../contract/publish.ts";
import { PART_SIZE } from "../../contract/scalars.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import { findSession, listParts } from "../../db/upload-sessions.ts";
import { ownerId } from "../../domain/actor.ts";
import { resolvePublish } from "../../domain/publish.ts";
import { AppError } from "../../errors.ts";
import { checkFolder } from "../folders/own-folder.ts";
import { detectContentType, SNIFF_BYTES } from "../uploads/content-type.ts";
import { finishUpload } from "../uploads/finish-upload.ts";
import { putFetchedPart } from "../uploads/put-part.ts";
import { readHead } from "../uploads/read-head.ts";
import { isDead, type OwnedSession, stagedBlob } from "../uploads/session.ts";
import { completeImport } from "./end-import.ts";
import type { Receiving } from "./receiving.ts";

/** What is gathered before it is made durable, and what a restart may lose: each import under way holds one in memory. */
export const PART_BYTES = 8 * 1024 ** 2;

/** `PART_BYTES`, or as much as a file needs that would have more parts than an upload may. */
export function partBytesFor(sizeBytes: number): number {
  return Math.max(PART_BYTES, Math.ceil(sizeBytes / PART_SIZE.maxParts / PART_SIZE.minBytes) * PART_SIZE.minBytes);
}

/** What an import has received in parts: everything before `offset`. */
export interface ArrivedParts {
  readonly session: OwnedSession["session"];
  readonly file: FileRow;
  readonly offset: number;
}

/** Finds an import's parts; undefined where it was not received in parts, or cannot be gone on with. */
export async function findArrived(
  ctx: Ctx,
  { session_id, validator }: Pick<ImportRow, "session_id" | "validator">,
): Promise<ArrivedParts | undefined> {
  const session = session_id === null || validator === null ? undefined : await findSession(ctx.db, session_id);
  if (session?.kind !== "multipart" || session.state !== "open" || (await isDead(ctx, session))) return undefined;
  const { size_bytes, part_size, total_parts } = session;
  if (size_bytes === null || part_size === null || total_parts === null) return undefined;
  const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", session.file_id).executeTakeFirst();
  if (!file) return undefined;
  const parts = await listParts(ctx.db, session.id);
  const missing = parts.findIndex(({ part_number }, index) => part_number !== index + 1);
  const whole = missing === -1 ? parts.length : missing;
  return { session: { ...session, size_bytes, part_size, total_parts }, file, offset: Math.min(whole * part_size, size_bytes) };
}

export interface ReceivingParts extends Receiving {
  readonly arrived: ArrivedParts;
  /** The bytes from `arrived.offset` to the end. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Receives the rest in parts, each durable before the next is gathered, and ends the import with its file. Parts stay where it throws. */
export async function receiveParts(ctx: Ctx, receiving: ReceivingParts): Promise<void> {
  const { arrived, body } = receiving;
  const { session, offset } = arrived;
  // What arrived before a restart is not read again for it: the pass that scans computes the digest then.
  const whole = offset === 0 ? createHash("sha256") : undefined;
  let next = offset / session.part_size + 1;
  const save = (bytes: Uint8Array): Promise<void> => savePart(ctx, arrived, { partNumber: next++, bytes, whole });
  const part = new Uint8Array(session.part_size);
  let filled = 0;
  let left = session.size_bytes - offset;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) break;
    for (let taken = 0; taken < chunk.length; ) {
      const count = Math.min(chunk.length - taken, part.length - filled);
      part.set(chunk.subarray(taken, taken + count), filled);
      taken += count;
      filled += count;
      if (filled < part.length) continue;
      await save(part);
      filled = 0;
    }
  }
  if (left !== 0) throw wrongSize();
  if (filled > 0) await save(part.subarray(0, filled));
  await finish(ctx, receiving, whole?.digest("hex") ?? null);
}

interface GatheredPart {
  readonly partNumber: number;
  readonly bytes: Uint8Array;
  readonly whole: Hash | undefined;
}

async function savePart(ctx: Ctx, { session }: ArrivedParts, { partNumber, bytes, whole }: GatheredPart): Promise<void> {
  whole?.update(bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const address = { sessionKey: session.key, partNumber, sha256, untilMs: Number.POSITIVE_INFINITY };
  await putFetchedPart(ctx, { address, sizeBytes: bytes.length, body: once(bytes) });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function finish(ctx: Ctx, { row, actor, arrived }: ReceivingParts, sha256: string | null): Promise<void> {
  const { session, file } = arrived;
  const parts = await listParts(ctx.db, session.id);
  await ctx.blobs.commit(
    stagedBlob(session),
    parts.map((part) => ({ partNumber: part.part_number, etag: part.etag })),
  );
  const head = await readHead(ctx.blobs, session.blob_key, Math.min(SNIFF_BYTES, session.size_bytes));
  const contentType = await detectContentType(head, { sent: file.content_type, name: file.name });
  const publish = publishInput.parse(JSON.parse(row.publish));
  await ctx.tx(async (ctx) => {
    const limits = ctx.config.tiers[actor.tier];
    const settings = resolvePublish(publish, { actor, limits, nowMs: ctx.now(), acceptedExpiresAt: publish.expiresAt });
    if (settings.folderId) await checkFolder(ctx, settings.folderId, ownerId(actor));
    const bytes = { sessionId: session.id, fileId: file.id, name: file.name, sizeBytes: session.size_bytes, sha256, contentType };
    await completeImport(ctx, row, await finishUpload(ctx, actor, bytes, settings));
    await ctx.db.deleteFrom("upload_sessions").where("id", "=", session.id).execute();
  });
  ctx.wakeJobs();
}

const wrongSize = (): AppError =>
  new AppError("REMOTE_REFUSED", "The remote server sent more or fewer bytes than it had announced. Try again, or another URL.");
