import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { ShareRecipientRow } from "../../db/tables/recipients.ts";
import { AppError } from "../../errors.ts";
import { READY } from "../files/ready.ts";
import { FIRST_FILE, toFirstFile } from "../share-names.ts";
import { ownShareNotFound } from "../shares/list-shares.ts";
import { type FoundShare, findLinkedShare } from "../shares/queries.ts";
import { isShareOpen } from "../shares/share-state.ts";
import type { SendObstacle } from "./contract.ts";

/** The files of a share that are not deleted, with what decides whether it can be sent. */
export interface SendableFiles {
  readonly count: number;
  readonly sizeBytes: number;
  /** The name of the first file by name. */
  readonly name: string | null;
  readonly hasEncrypted: boolean;
  /** Whether a file did not pass its check. */
  readonly hasBlocked: boolean;
  /** Whether all files have arrived and passed their check. */
  readonly areReady: boolean;
}

/** Reads one row, because a share may have thousands of files. */
export async function readSendableFiles(db: Db, shortId: string): Promise<SendableFiles> {
  const row = await db
    .selectFrom("files")
    .select(({ fn, ref }) => [
      fn.countAll<number>().as("count"),
      fn.sum<number | null>("size_bytes").as("sizeBytes"),
      FIRST_FILE.$castTo<string | null>().as("first"),
      fn.max("is_encrypted").as("hasEncrypted"),
      sql<number | null>`max(${ref("scan_status")} = 'unavailable')`.as("hasBlocked"),
      sql<number | null>`min(${ref("scan_status")} = ${READY.scan_status} AND ${ref("blob_state")} = ${READY.blob_state})`.as("areReady"),
    ])
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .executeTakeFirstOrThrow();
  return {
    count: row.count,
    sizeBytes: row.sizeBytes ?? 0,
    name: row.first === null ? null : toFirstFile(row.first).name,
    hasEncrypted: row.hasEncrypted === 1,
    hasBlocked: row.hasBlocked === 1,
    areReady: row.areReady === 1,
  };
}

/** Gets a share of an account, in any state but deleted. Throws NOT_FOUND. */
export async function getSenderShare(db: Db, userId: string, shortId: string): Promise<FoundShare> {
  const share = await findLinkedShare(db, shortId);
  if (share?.owner_id !== userId || share.status === "deleted" || share.is_private === 1) throw ownShareNotFound();
  return share;
}

/** Returns the reason why the server does not send a share, whoever its sender is; null if it does (recipients, "What can be sent"). */
export function findShareObstacle(
  ctx: Pick<Ctx, "now">,
  share: FoundShare,
  files: SendableFiles,
): Extract<SendObstacle, "ended" | "priced" | "encrypted" | "empty"> | null {
  if (!isShareOpen(ctx, share)) return "ended";
  if (share.price_cents !== null) return "priced";
  if (files.hasEncrypted) return "encrypted";
  return files.count === 0 ? "empty" : null;
}

/** Returns the reason why a requested mail with a share is not sent. One blocked file suffices, because its sender must see it before recipients do. */
export function findFailure(ctx: Pick<Ctx, "now">, share: FoundShare, files: SendableFiles): ShareRecipientRow["failure"] {
  const obstacle = findShareObstacle(ctx, share, files);
  if (obstacle !== null) return obstacle === "ended" || obstacle === "empty" ? "share_ended" : obstacle;
  return files.hasBlocked ? "file_blocked" : null;
}

/** Throws the error of an obstacle. */
export function throwObstacle(obstacle: NonNullable<ReturnType<typeof findShareObstacle>> | "no_mail" | "agent"): never {
  throw ERRORS[obstacle]();
}

const ERRORS = {
  no_mail: () => new AppError("CONFLICT", "This server sends no mail. Copy the link and send it yourself."),
  agent: () => new AppError("FORBIDDEN", "Agents cannot send shares by mail. Give the link to a person who can."),
  ended: () => new AppError("SHARE_EXPIRED", "This share has ended. Share the files again, then send the new link."),
  priced: () => new AppError("CONFLICT", "A share with a price cannot be sent by mail. Copy its link and send it yourself."),
  encrypted: () =>
    new AppError(
      "CONFLICT",
      "Encrypted files cannot be sent by mail, because this server must not learn their key. Copy the link instead.",
    ),
  empty: () => new AppError("UPLOAD_INCOMPLETE", "This share has no files yet. Add some, then send it."),
} as const;
