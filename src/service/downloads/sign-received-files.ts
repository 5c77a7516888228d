import type { Ctx, RequestContext } from "../../context.ts";
import { requireUser } from "../accounts/actor.ts";
import { listFilesOfRequest } from "../files/listing-queries.ts";
import { isDecryptable } from "./preview-rules.ts";
import { signEncryptedPath } from "./preview-url.ts";

/** Signs the paths of the encrypted bytes of the newest received files, by the IDs of the files, which the page of their owner decrypts. */
export async function signReceivedFiles(
  ctx: Ctx,
  { actor }: RequestContext,
  { requestId, limit }: { readonly requestId: string; readonly limit: number },
): Promise<ReadonlyMap<string, string>> {
  const listed = await listFilesOfRequest(ctx.db, { ownerId: requireUser(actor).userId, requestId }, limit);
  return new Map(listed.filter(isDecryptable).map((one) => [one.file.id, signEncryptedPath(ctx, one)]));
}
