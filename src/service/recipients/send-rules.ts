import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { ownShareNotFound } from "../shares/list-shares.ts";
import { type FoundShare, findLinkedShare } from "../shares/queries.ts";
import { isShareOpen } from "../shares/share-state.ts";
import type { SendObstacle } from "./contract.ts";

/** The files of a share that are not deleted, with the columns that decide whether it can be sent. */
export type SendableFile = Pick<FileRow, "name" | "size_bytes" | "is_encrypted" | "scan_status" | "blob_state">;

export async function listSendableFiles(db: Db, shortId: string): Promise<SendableFile[]> {
  return await db
    .selectFrom("files")
    .select(["name", "size_bytes", "is_encrypted", "scan_status", "blob_state"])
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .orderBy("created_at")
    .execute();
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
  files: readonly SendableFile[],
): Extract<SendObstacle, "ended" | "priced" | "encrypted" | "empty"> | null {
  if (!isShareOpen(ctx, share)) return "ended";
  if (share.price_cents !== null) return "priced";
  if (files.some(({ is_encrypted }) => is_encrypted === 1)) return "encrypted";
  return files.length === 0 ? "empty" : null;
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
