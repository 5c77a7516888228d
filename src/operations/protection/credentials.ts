import { hashToken, matchesHash } from "../../auth/secrets.ts";
import type { Ctx, TxCtx } from "../../context.ts";
import { newSecret, newUnlockCode } from "../../domain/alphabet.ts";

/** What protects a share; told once (interface, "Protection credentials"). */
export interface ProtectionCredentials {
  readonly unlockCode: string;
  readonly handoffUrl: string;
}

export interface ProtectionColumns {
  readonly unlock_hash: string | null;
  readonly handoff_hash: string | null;
}

/** New credentials of a share, and what is kept of them. Whoever writes them also raises the share's generation. */
export function newProtection(
  ctx: Pick<TxCtx, "random" | "keyring" | "addresses">,
  shortId: string,
): { credentials: ProtectionCredentials; columns: ProtectionColumns } {
  const unlockCode = newUnlockCode(ctx.random);
  const token = newSecret(ctx.random, "ho_");
  return {
    credentials: { unlockCode, handoffUrl: `${ctx.addresses.siteUrl}/h/${token}` },
    columns: { unlock_hash: hashUnlockCode(ctx, shortId, unlockCode), handoff_hash: hashToken(token) },
  };
}

export const NO_PROTECTION: ProtectionColumns = { unlock_hash: null, handoff_hash: null };

/** Whether a code, in any case, is the share's. */
export function matchesUnlockCode(
  ctx: Pick<Ctx, "keyring">,
  share: { short_id: string; unlock_hash: string | null },
  code: string,
): boolean {
  return share.unlock_hash !== null && ctx.keyring.verify(unlockText(share.short_id, code), share.unlock_hash);
}

/** Whether a token is that of the share's delivery link. */
export const matchesHandoffToken = (share: { handoff_hash: string | null }, token: string): boolean =>
  matchesHash(token, share.handoff_hash);

const hashUnlockCode = (ctx: Pick<TxCtx, "keyring">, shortId: string, code: string): string => ctx.keyring.sign(unlockText(shortId, code));

const unlockText = (shortId: string, code: string): string => ["unlock-code", shortId, code.toUpperCase()].join("\n");
