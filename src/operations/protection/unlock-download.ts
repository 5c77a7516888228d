import { hashToken } from "../../auth/secrets.ts";
import type { Ctx } from "../../context.ts";
import type { Input } from "../../contract/index.ts";
import { type FoundShare, findShareBehind, findShareByHandoff } from "../../db/shares.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { isOpen } from "../shares/is-open.ts";
import { shareNotFound } from "../shares/share-not-found.ts";
import { checkUnlocked, unlockInvalid } from "./check-unlocked.ts";
import { signUnlockToken } from "./unlock-token.ts";

/** `POST /downloads/unlock`: a code or delivery link becomes a token for later download calls. */
export const unlockDownload: Operation<"unlockDownload"> = async (ctx, call, input) => {
  const share = await findNamed(ctx, input);
  if (!share || !isOpen(ctx, share)) throw refusal(input);
  if (share.unlock_hash !== null && !input.unlockCode && !input.handoffToken) throw missing();
  const { unlockCode, handoffToken, challengeId, nonce } = input;
  await checkUnlocked(ctx, call, share, { unlockCode, handoffToken, challengeId, nonce });
  const { unlockToken, expiresAtMs } = signUnlockToken(ctx, share);
  const data = { unlockToken, shortId: share.short_id, expiresAt: new Date(expiresAtMs).toISOString() };
  return { success: true, ...data, data };
};

async function findNamed(ctx: Ctx, input: Input<"unlockDownload">): Promise<FoundShare | undefined> {
  if (input.shortId) return await findShareBehind(ctx.db, input.shortId);
  if (input.fileId) {
    const file = await ctx.db.selectFrom("files").select("short_id").where("id", "=", input.fileId).executeTakeFirst();
    if (file) return await findShareBehind(ctx.db, file.short_id);
    const share = await findShareBehind(ctx.db, input.fileId);
    return share?.kind === "shipment" ? share : undefined;
  }
  return await findShareByHandoff(ctx.db, hashToken(input.handoffToken ?? ""));
}

/** A delivery link that names nothing is a wrong token; a share that is not there is not found. */
function refusal(input: Input<"unlockDownload">): AppError {
  if (!input.shortId && !input.fileId) return unlockInvalid();
  return shareNotFound();
}

function missing(): AppError {
  const message = "Send shortId or fileId together with unlockCode, or handoffToken alone.";
  return new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "unlockCode", message }] } });
}
