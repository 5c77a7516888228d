import type { Ctx, RequestContext } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { getDownloadableFile } from "./authorize-download.ts";

/** The bytes of a header with a few keys, and of the first encrypted chunk, which can only be decrypted as a whole. */
const START_BYTES = 72 * 1024;

/**
 * Reads the start of an encrypted file of the caller's account, which contains its hidden name. Counts no download. Throws NOT_FOUND for another file,
 * and as `authorizeDownload` does.
 */
export async function readEncryptedStart(ctx: Ctx, call: RequestContext, fileId: string): Promise<Buffer<ArrayBuffer>> {
  const { userId } = requireUser(call.actor);
  const file = await getDownloadableFile(ctx, call, { fileId });
  const found = await ctx.db.selectFrom("files").select("is_encrypted").where("id", "=", file.id).executeTakeFirst();
  if (file.owner_id !== userId || found?.is_encrypted !== 1) throw notFound("file", "List your files to find its ID.", "in your account");
  const chunks: Uint8Array[] = [];
  const range = { start: 0, end: Math.min(file.size_bytes, START_BYTES) };
  for await (const chunk of ctx.blobs.read(file.blob_key, { range })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
