import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { newSecret, newUnlockCode, UNLOCK_CODE_LENGTH } from "../../lib/secrets/ids.ts";
import { hashToken, matchesHash } from "../../lib/secrets/secrets.ts";
import { normalizeUnlockCode } from "../../lib/text/unlock-code.ts";
import { resetRate } from "../accounts/rate-limits.ts";

/** Credentials that unlock a share; shown once (sharing, "Protection"). */
export interface ProtectionCredentials {
  readonly unlockCode: string;
  readonly handoffUrl: string;
}

/** The stored hashes of a share's credentials; null if it is not protected. */
export interface ProtectionColumns {
  readonly unlock_hash: string | null;
  readonly handoff_hash: string | null;
}

/** The columns of a share that signatures under its credentials depend on. */
export type CredentialsOwner = Pick<ShareRow, "short_id" | "handoff_hash">;

/**
 * Returns signed fields that change only with the credentials of a share, unlike `credentials_version`, which also rises with a change of its
 * download limit.
 */
export const identifyCredentials = ({ short_id, handoff_hash }: CredentialsOwner): string[] => [short_id, handoff_hash ?? ""];

const NO_PROTECTION: ProtectionColumns = { unlock_hash: null, handoff_hash: null };

/**
 * Protects a share with new credentials, or removes its protection. Both raise `credentials_version`, which revokes old codes, unlock tokens, handoff
 * links and signed URLs immediately (model, "Transitions").
 */
export async function protectShare(ctx: TransactionCtx, shortId: string, protect: boolean): Promise<Partial<ProtectionCredentials>> {
  const protection = protect ? newProtection(ctx, shortId) : undefined;
  await ctx.db
    .updateTable("shares")
    .set((update) => ({ ...(protection?.columns ?? NO_PROTECTION), credentials_version: update("credentials_version", "+", 1) }))
    .where("short_id", "=", shortId)
    .execute();
  await resetRate(ctx.db, { name: "unlockPerShare", subject: shortId });
  return { ...protection?.credentials };
}

/** Generates credentials of a share and their stored columns. The caller that writes them must also raise `credentials_version`. */
export function newProtection(
  ctx: Pick<Ctx, "random" | "keyring" | "urls">,
  shortId: string,
): { credentials: ProtectionCredentials; columns: ProtectionColumns } {
  const unlockCode = newUnlockCode(ctx.random);
  const token = newSecret(ctx.random, "ho_");
  return {
    credentials: { unlockCode, handoffUrl: `${ctx.urls.siteUrl}/h/${token}` },
    columns: { unlock_hash: hashUnlockCode(ctx, shortId, unlockCode), handoff_hash: hashToken(token) },
  };
}

/** Whether a code has the length of an unlock code. Pages take one of another length for a typing error, which is not a guess. */
export const isUnlockCode = (code: string): boolean => normalizeUnlockCode(code).length === UNLOCK_CODE_LENGTH;

/** Returns whether a code, in any spelling, is the share's code. */
export function matchesUnlockCode(
  ctx: Pick<Ctx, "keyring">,
  share: { short_id: string; unlock_hash: string | null },
  code: string,
): boolean {
  return share.unlock_hash !== null && ctx.keyring.verify(unlockText(share.short_id, code), share.unlock_hash);
}

/** Returns whether a token is the token of the share's handoff link. */
export const matchesHandoffToken = (share: { handoff_hash: string | null }, token: string): boolean =>
  matchesHash(token, share.handoff_hash);

const hashUnlockCode = (ctx: Pick<Ctx, "keyring">, shortId: string, code: string): string => ctx.keyring.sign(unlockText(shortId, code));

const unlockText = (shortId: string, code: string): string => ["unlock-code", shortId, normalizeUnlockCode(code)].join("\n");
