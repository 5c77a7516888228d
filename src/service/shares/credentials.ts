import type { Ctx, TransactionCtx } from "../../context.ts";
import { normalizeUnlockCode } from "../../contract/unlock-code.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { newSecret, newUnlockCode } from "../../lib/secrets/ids.ts";
import { hashToken, matchesHash } from "../../lib/secrets/secrets.ts";
import { resetRate } from "../accounts/rate-limits.ts";
import type { PasswordHash } from "./contract.ts";

/** Credentials that unlock a share; shown once (sharing, "Protection"). */
export interface ProtectionCredentials {
  /** Undefined for a share with a password, which its sender knows. */
  readonly unlockCode?: string;
  readonly handoffUrl: string;
}

/** How a share is protected: by a new code or, with `passwordHash`, by a password; without either, `protect` is false or null. */
export interface Protection {
  readonly protect: boolean | null;
  readonly passwordHash?: PasswordHash | null | undefined;
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
export async function protectShare(
  ctx: TransactionCtx,
  shortId: string,
  { protect, passwordHash }: Protection,
): Promise<Partial<ProtectionCredentials>> {
  const protection = protect ? newProtection(ctx, shortId, passwordHash) : undefined;
  await ctx.db
    .updateTable("shares")
    .set((update) => ({ ...(protection?.columns ?? NO_PROTECTION), credentials_version: update("credentials_version", "+", 1) }))
    .where("short_id", "=", shortId)
    .execute();
  await resetRate(ctx.db, { name: "unlockPerShare", subject: shortId });
  return { ...protection?.credentials };
}

/**
 * Generates credentials of a share and their stored columns; with the hash of a password, no code. The caller that writes them must also raise
 * `credentials_version`.
 */
export function newProtection(
  ctx: Pick<Ctx, "random" | "keyring" | "urls">,
  shortId: string,
  passwordHash?: PasswordHash | null,
): { credentials: ProtectionCredentials; columns: ProtectionColumns } {
  const token = newSecret(ctx.random, "ho_");
  const handoffUrl = `${ctx.urls.siteUrl}/h/${token}`;
  const handoff_hash = hashToken(token);
  if (passwordHash) return { credentials: { handoffUrl }, columns: { unlock_hash: passwordHash, handoff_hash } };
  const unlockCode = newUnlockCode(ctx.random);
  return {
    credentials: { unlockCode, handoffUrl },
    columns: { unlock_hash: hashUnlockCode(ctx, shortId, unlockCode), handoff_hash },
  };
}

/** Returns whether a code, in any spelling, is the share's code; false for a share with a password. */
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
