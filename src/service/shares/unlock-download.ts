import type { Ctx } from "../../context.ts";
import { AppError, invalidField } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Input } from "../contract.ts";
import type { Operation } from "../operation.ts";
import { type FoundShare, findLinkedShare, findShareByToken } from "./queries.ts";
import { recordOpened } from "./recipient-links.ts";
import { isShareOpen, shareNotFound } from "./share-state.ts";
import { checkUnlocked, findShareLink, signUnlockToken, unlockInvalid } from "./unlock.ts";

/** `POST /downloads/unlock`: exchanges an unlock code or handoff token for an unlock token. */
export const unlockDownload: Operation<"unlockDownload"> = async (ctx, call, input) => {
  const share = await findRequestedShare(ctx, input);
  if (!share || !isShareOpen(ctx, share)) throw shareMissing(input);
  const unlockCode = input.password || input.unlockCode;
  if (share.unlock_hash !== null && !unlockCode && !input.handoffToken) throw credentialsMissing();
  const { handoffToken, challengeId, nonce } = input;
  await checkUnlocked(ctx, call, share, { unlockCode, handoffToken, challengeId, nonce });
  const link = await findShareLink(ctx, share, handoffToken);
  if (link) await recordOpened(ctx, link);
  const { unlockToken, expiresAtMs } = signUnlockToken(ctx, share, { recipientId: link?.recipientId });
  return { unlockToken, shortId: share.short_id, expiresAt: toIso(expiresAtMs) };
};

async function findRequestedShare(ctx: Ctx, input: Input<"unlockDownload">): Promise<FoundShare | undefined> {
  if (input.shortId) return await findLinkedShare(ctx.db, input.shortId);
  if (input.fileId) {
    const file = await ctx.db.selectFrom("files").select("short_id").where("id", "=", input.fileId).executeTakeFirst();
    if (file) return await findLinkedShare(ctx.db, file.short_id);
    const share = await findLinkedShare(ctx.db, input.fileId);
    return share?.kind === "shipment" ? share : undefined;
  }
  return await findShareByToken(ctx.db, input.handoffToken ?? "");
}

/** Creates the error for a missing share: an unknown handoff token is a wrong credential, and an unknown ID is NOT_FOUND. */
const shareMissing = ({ shortId, fileId }: Input<"unlockDownload">): AppError =>
  shortId || fileId ? shareNotFound() : unlockInvalid(null);

const credentialsMissing = (): AppError =>
  invalidField("unlockCode", "Credentials are missing. Send shortId or fileId with unlockCode or password, or handoffToken alone.");

/** `GET /files/handoff/{token}`: returns the share and the message of a handoff link. */
export const getHandoff: Operation<"getHandoff"> = async (ctx, _call, { token }) => {
  const share = await findShareByToken(ctx.db, token);
  if (!share || !isShareOpen(ctx, share)) throw handoffNotFound();
  return { shortId: share.short_id, name: share.name, message: share.handoff_message };
};

const handoffNotFound = (): AppError => new AppError("NOT_FOUND", "This handoff link is no longer valid. Ask the sender for a new one.");
