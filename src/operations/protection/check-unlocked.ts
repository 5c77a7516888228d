import { unlockDifficulty } from "../../auth/proof-of-work.ts";
import type { Call, Ctx, TxCtx } from "../../context.ts";
import { findRate, findRefusal, takeRate } from "../../db/rate-windows.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { rateLimited } from "../../domain/rate-limited.ts";
import { AppError } from "../../errors.ts";
import { addressUses } from "../address-uses.ts";
import { matchesHandoffToken, matchesUnlockCode } from "./credentials.ts";
import { isUnlockToken } from "./unlock-token.ts";
import { newUnlockChallenge, proofUse, readUnlockProof, type UnlockChallenge, type UnlockProof } from "./unlock-work.ts";

/** What a caller sends to get past a protected share. */
export interface UnlockCredentials {
  readonly unlockCode?: string | null;
  readonly unlockToken?: string | null;
  readonly handoffToken?: string | null;
  /** A proof of work, which a code needs past the share's cap of wrong ones. */
  readonly challengeId?: string | null;
  readonly nonce?: string | null;
}

type ProtectedShare = Pick<ShareRow, "short_id" | "generation" | "unlock_hash" | "handoff_hash">;

/**
 * Throws UNLOCK_REQUIRED without a credential and UNLOCK_INVALID with wrong ones, where the share is protected; RATE_LIMITED for a code
 * that has to wait or lacks a proof of work, after too many wrong ones. Tokens and delivery links are never held up by others' guesses (decisions, "Accounts, keys, tiers").
 */
export async function checkUnlocked(ctx: Ctx, call: Pick<Call, "address">, share: ProtectedShare, sent: UnlockCredentials): Promise<void> {
  if (share.unlock_hash === null) return;
  if (sent.unlockToken && isUnlockToken(ctx, share, sent.unlockToken)) return;
  if (sent.handoffToken && matchesHandoffToken(share, sent.handoffToken)) return;
  if (sent.unlockCode && (await tryUnlockCode(ctx, call, share, sent))) return;
  if (sent.unlockCode || sent.unlockToken || sent.handoffToken) throw unlockInvalid();
  throw new AppError(
    "UNLOCK_REQUIRED",
    "This share is protected. Send its unlock code, or open the private delivery link that its sender gave you.",
    {
      fields: { unlockRequired: true },
    },
  );
}

export const unlockInvalid = (): AppError =>
  new AppError("UNLOCK_INVALID", "That does not unlock this share. Check the code, or ask its sender for the present one.", {
    fields: { unlockRequired: true },
  });

type Outcome =
  | { readonly kind: "right" | "wrong" }
  | { readonly kind: "wait"; readonly resetsAtMs: number }
  | { readonly kind: "work"; readonly resetsAtMs: number; readonly difficulty: number };

/**
 * Whether the code is right. Wrong ones count, exactly, by share and address and by share; throws RATE_LIMITED past the cap of the address,
 * and past that of the share without a proof of work, whose challenge it then carries: either way before the code is looked at, so that
 * nothing tells whether it is right (docs/interface/unlocking.md).
 */
async function tryUnlockCode(ctx: Ctx, call: Pick<Call, "address">, share: ProtectedShare, sent: UnlockCredentials): Promise<boolean> {
  const subject = { share, address: call.address };
  const proof = readUnlockProof(ctx, subject, sent);
  const outcome = await ctx.tx((ctx) => judgeCode(ctx, call, share, { code: sent.unlockCode ?? "", proof }));
  if (outcome.kind === "wait") throw tooManyCodes(outcome.resetsAtMs, ctx.now());
  if (outcome.kind === "work") throw workNeeded(outcome.resetsAtMs, ctx.now(), newUnlockChallenge(ctx, subject, outcome.difficulty));
  return outcome.kind === "right";
}

async function judgeCode(
  ctx: TxCtx,
  call: Pick<Call, "address">,
  share: ProtectedShare,
  { code, proof }: { readonly code: string; readonly proof: UnlockProof | undefined },
): Promise<Outcome> {
  const ofAddress = addressUses(ctx, { name: "unlockPerAddress", address: call.address, about: `${share.short_id} ` });
  const refusal = await findRefusal(ctx.db, ofAddress);
  if (refusal) return { kind: "wait", resetsAtMs: refusal.resetsAtMs };
  const rate = ctx.config.rates.unlockPerShare;
  const ofShare = { name: "unlockPerShare", subject: share.short_id, rate, nowMs: ctx.now() } as const;
  const { allowed, count, resetsAtMs } = await findRate(ctx.db, ofShare);
  const needed = allowed ? undefined : unlockDifficulty(count - rate.limit);
  if (needed !== undefined && !(await isProven(ctx, proof, needed))) return { kind: "work", resetsAtMs, difficulty: needed };
  if (matchesUnlockCode(ctx, share, code)) return { kind: "right" };
  for (const use of ofAddress) await takeRate(ctx.db, use);
  // It counts on past its limit, as the work grows with it.
  await takeRate(ctx.db, { ...ofShare, rate: { ...rate, limit: Number.MAX_SAFE_INTEGER } });
  if (needed !== undefined && proof) await takeRate(ctx.db, proofUse(ctx, proof));
  return { kind: "wrong" };
}

/** What is asked for may rise by one bit while a client works. A proof may have expired since it was read: its use would not be kept any more. */
async function isProven(ctx: TxCtx, proof: UnlockProof | undefined, needed: number): Promise<boolean> {
  if (!proof || proof.difficulty < needed - 1 || ctx.now() >= proof.expiresAtMs) return false;
  return (await findRefusal(ctx.db, [proofUse(ctx, proof)])) === undefined;
}

const tooManyCodes = (resetsAtMs: number, nowMs: number): AppError =>
  rateLimited({
    nowMs,
    resetsAtMs,
    message: () => "Too many wrong unlock codes. Wait a while, or use the private delivery link.",
    fields: (wait) => ({ ...wait }),
  });

const workNeeded = (resetsAtMs: number, nowMs: number, challenge: UnlockChallenge): AppError =>
  rateLimited({
    nowMs,
    resetsAtMs,
    message: () =>
      "Too many wrong codes were tried on this share, so each code needs a proof of work. Solve `challenge` and send challengeId and nonce with the code, or use the private delivery link.",
    fields: (wait) => ({ ...wait, challenge }),
  });
