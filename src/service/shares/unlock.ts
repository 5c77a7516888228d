import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { UnlockKind } from "../../contract/scalars.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError, invalidField } from "../../errors.ts";
import { signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { addressUses, type CountedUse, countUses, findExceededRate, getRate, rateLimited, returnUses } from "../accounts/rate-limits.ts";
import { unlockDifficulty } from "../accounts/work-difficulty.ts";
import { type CredentialsOwner, identifyCredentials, matchesHandoffToken, matchesUnlockCode } from "./credentials.ts";
import { findRecipientLink, type RecipientLink } from "./recipient-links.ts";
import { matchesPassword, unlockKind } from "./share-password.ts";
import { newUnlockChallenge, type ProvenWork, readProvenWork, type UnlockChallenge, workUse } from "./unlock-work.ts";

/** The credentials that a caller sends for a protected share. */
export interface UnlockCredentials {
  /** The code or the password of the share. */
  readonly unlockCode?: string | null;
  readonly unlockToken?: string | null;
  readonly handoffToken?: string | null;
  /** A proof of work, which a code requires after too many wrong codes. */
  readonly challengeId?: string | null;
  readonly nonce?: string | null;
}

type ProtectedShare = Pick<ShareRow, "short_id" | "unlock_hash" | "handoff_hash">;

/**
 * Checks the credentials for a protected share. Throws UNLOCK_REQUIRED without any, UNLOCK_INVALID if all are wrong, and RATE_LIMITED for a code
 * after too many wrong codes. Wrong codes of others never limit tokens and handoff links (unlocking, "Unlocking").
 */
export async function checkUnlocked(
  ctx: Ctx,
  call: Pick<RequestContext, "address">,
  share: ProtectedShare,
  sent: UnlockCredentials,
): Promise<void> {
  if (share.unlock_hash === null) return;
  if (sent.unlockToken && isUnlockToken(ctx, share, sent.unlockToken)) return;
  if (sent.handoffToken && (await isHandoffToken(ctx, share, sent.handoffToken))) return;
  if (sent.unlockCode && (await checkUnlockCode(ctx, call, share, sent))) return;
  if (sent.unlockCode || sent.unlockToken || sent.handoffToken) throw unlockInvalid(unlockKind(share));
  throw unlockRequired(unlockKind(share));
}

/** Returns whether a token is the token of the share's handoff link, or of the private link of one of its recipients. */
export const isHandoffToken = async (
  ctx: Pick<Ctx, "db">,
  share: Pick<ProtectedShare, "short_id" | "handoff_hash">,
  token: string,
): Promise<boolean> => matchesHandoffToken(share, token) || (await findRecipientLink(ctx.db, token))?.shortId === share.short_id;

/**
 * Throws VALIDATION_FAILED for the password of a share on a route whose fields are in its URL, and which would hash it for every download (unlocking,
 * "Passwords").
 */
export function checkNotInUrl(share: Pick<ShareRow, "unlock_hash">, { unlockCode }: UnlockCredentials): void {
  if (!unlockCode || unlockKind(share) !== "password") return;
  throw invalidField(
    "unlockCode",
    "This share has a password, which does not belong in a URL. Send it to POST /downloads/unlock, and its unlockToken here.",
  );
}

const unlockRequired = (kind: UnlockKind | null): AppError =>
  new AppError(
    "UNLOCK_REQUIRED",
    kind === "password"
      ? "This share requires its password. Send it to POST /downloads/unlock, or open the handoff link from the sender."
      : "This share requires an unlock code. Send unlockCode, or open the handoff link from the sender.",
    { fields: { unlockRequired: true, unlockKind: kind } },
  );

/** Creates the error for wrong credentials of a share; `kind` is null if the share is not known. */
export const unlockInvalid = (kind: UnlockKind | null): AppError =>
  new AppError(
    "UNLOCK_INVALID",
    kind === "password"
      ? "The password or token is wrong. Check it, or ask the sender."
      : "The unlock code or token is wrong. Check it, or ask the sender for a new one.",
    { fields: { unlockRequired: true, ...(kind && { unlockKind: kind }) } },
  );

const UNLOCK_TOKEN_TTL_MS = HOUR_MS / 4;

interface UnlockTokenOptions {
  readonly ttlMs?: number;
  /** The recipient whose private link unlocked the share. */
  readonly recipientId?: string | undefined;
}

/** Signs a token that unlocks a share, by default for 15 minutes or until its credentials change (identifiers, "Secrets"). */
export function signUnlockToken(
  ctx: Pick<Ctx, "keyring" | "now">,
  share: CredentialsOwner,
  { ttlMs = UNLOCK_TOKEN_TTL_MS, recipientId = "" }: UnlockTokenOptions = {},
): { unlockToken: string; expiresAtMs: number } {
  const expiresAtMs = ctx.now() + ttlMs;
  const { expiry, signature } = signToken(ctx.keyring, "unlock", toUnlockFields(share, recipientId), expiresAtMs);
  return { unlockToken: `ul_${expiry}.${signature}${recipientId === "" ? "" : `.${recipientId}`}`, expiresAtMs };
}

const toUnlockFields = (share: CredentialsOwner, recipientId: string): string[] => [
  ...identifyCredentials(share),
  ...(recipientId === "" ? [] : [recipientId]),
];

/** Returns whether a caller sees protected data: the owner does, and anybody who has unlocked the share. */
export const isUnlockedFor = (
  ctx: Pick<Ctx, "keyring" | "now">,
  actor: Actor,
  share: CredentialsOwner & Pick<ShareRow, "unlock_hash" | "owner_id">,
  unlockToken: string | undefined,
): boolean =>
  share.unlock_hash === null ||
  (share.owner_id !== null && ownerId(actor) === share.owner_id) ||
  (unlockToken !== undefined && isUnlockToken(ctx, share, unlockToken));

/** Returns whether a token was issued for the share's current credentials and has not expired. */
export const isUnlockToken = (ctx: Pick<Ctx, "keyring" | "now">, share: CredentialsOwner, token: string): boolean =>
  readUnlockToken(ctx, share, token) !== undefined;

/** Returns the ID of the recipient for whom a valid token was issued, empty for a token without one; undefined for an invalid token. */
function readUnlockToken(ctx: Pick<Ctx, "keyring" | "now">, share: CredentialsOwner, token: string): string | undefined {
  const [, expiry = "", signature = "", recipientId = ""] = /^ul_(\w+)\.([\w-]+)(?:\.([\w-]+))?$/.exec(token) ?? [];
  const expiresAtMs = verifyToken(ctx.keyring, "unlock", toUnlockFields(share, recipientId), { expiry, signature });
  return expiresAtMs !== undefined && ctx.now() < expiresAtMs ? recipientId : undefined;
}

/** Finds the recipient whose private link, or a token that was issued for it, a caller sends; undefined without one. */
export async function findRecipientId(
  ctx: Pick<Ctx, "db" | "keyring" | "now">,
  share: CredentialsOwner,
  { unlockToken, handoffToken }: UnlockCredentials,
): Promise<string | undefined> {
  if (unlockToken) return readUnlockToken(ctx, share, unlockToken) || undefined;
  return (await findShareLink(ctx, share, handoffToken))?.recipientId;
}

/** Finds the recipient's private link to a share that a token belongs to; undefined for other tokens. */
export async function findShareLink(
  { db }: Pick<Ctx, "db">,
  share: Pick<CredentialsOwner, "short_id">,
  handoffToken: UnlockCredentials["handoffToken"],
): Promise<RecipientLink | undefined> {
  const link = handoffToken ? await findRecipientLink(db, handoffToken) : undefined;
  return link?.shortId === share.short_id ? link : undefined;
}

/**
 * The outcome of a check. `limited`: the IP address has sent too many wrong codes; `needsWork`: the share has received too many, so a proof of work
 * is required.
 */
type Outcome =
  | { readonly kind: "right" }
  /** `counted` lists the uses that the wrong code counted as. */
  | { readonly kind: "wrong"; readonly counted: readonly CountedUse[] }
  | { readonly kind: "limited"; readonly resetsAtMs: number }
  | { readonly kind: "needsWork"; readonly resetsAtMs: number; readonly difficulty: number };

/**
 * Returns whether the code is right, and counts wrong codes per share and per share and IP address. Throws RATE_LIMITED, before the comparison, past
 * the limit of the address, and past the limit of the share without a proof of work (unlocking, "A share with many wrong codes requires work").
 */
async function checkUnlockCode(
  ctx: Ctx,
  call: Pick<RequestContext, "address">,
  share: ProtectedShare,
  sent: UnlockCredentials,
): Promise<boolean> {
  const subject = { share, address: call.address };
  const proof = readProvenWork(ctx, subject, sent);
  const outcome = await ctx.transaction((ctx) => evaluateUnlockCode(ctx, call, share, { code: sent.unlockCode ?? "", proof }));
  if (outcome.kind === "limited") throw tooManyCodes(outcome.resetsAtMs, ctx.now());
  if (outcome.kind === "needsWork") throw workRequired(outcome.resetsAtMs, ctx.now(), newUnlockChallenge(ctx, subject, outcome.difficulty));
  if (outcome.kind === "wrong" && unlockKind(share) === "password")
    return await checkPassword(ctx, call, share, { password: sent.unlockCode ?? "", counted: outcome.counted });
  return outcome.kind === "right";
}

/**
 * Returns whether a password, which is already counted as a wrong one, is right. It is counted before it is hashed, so that concurrent guesses are
 * counted too, and outside the transaction, because hashing is slow. A right password, and one that could not be checked, gets its uses back.
 */
async function checkPassword(
  ctx: Ctx,
  call: Pick<RequestContext, "address">,
  share: ProtectedShare,
  { password, counted }: { readonly password: string; readonly counted: readonly CountedUse[] },
): Promise<boolean> {
  let isWrong = false;
  try {
    isWrong = !(await matchesPassword(ctx, call, share, password));
    return !isWrong;
  } finally {
    if (!isWrong) await ctx.transaction((ctx) => returnUses(ctx.db, counted));
  }
}

async function evaluateUnlockCode(
  ctx: TransactionCtx,
  call: Pick<RequestContext, "address">,
  share: ProtectedShare,
  { code, proof }: { readonly code: string; readonly proof: ProvenWork | undefined },
): Promise<Outcome> {
  const usesOfAddress = addressUses(ctx, { name: "unlockPerAddress", address: call.address, about: `${share.short_id} ` });
  const exceeded = await findExceededRate(ctx.db, usesOfAddress);
  if (exceeded) return { kind: "limited", resetsAtMs: exceeded.resetsAtMs };
  const rate = ctx.config.rates.unlockPerShare;
  const useOfShare = { name: "unlockPerShare", subject: share.short_id, rate, nowMs: ctx.now() } as const;
  const { allowed, count, resetsAtMs } = await getRate(ctx.db, useOfShare);
  const difficulty = allowed ? undefined : unlockDifficulty(count - rate.limit);
  if (difficulty !== undefined && !(await isWorkProven(ctx, proof, difficulty))) return { kind: "needsWork", resetsAtMs, difficulty };
  if (matchesUnlockCode(ctx, share, code)) return { kind: "right" };
  const uses = [
    ...usesOfAddress,
    // Counts past the limit too, because the difficulty rises with the count.
    { ...useOfShare, rate: { ...rate, limit: Number.MAX_SAFE_INTEGER } },
    ...(difficulty !== undefined && proof ? [workUse(ctx, proof)] : []),
  ];
  return { kind: "wrong", counted: await countUses(ctx.db, uses) };
}

/**
 * Returns whether a proof has the required difficulty, is unused and has not expired. One bit less is accepted, because the difficulty may rise while
 * a client works. Checks the expiry again, because the window of the rate limit that records the use would be negative.
 */
async function isWorkProven(ctx: TransactionCtx, proof: ProvenWork | undefined, difficulty: number): Promise<boolean> {
  if (!proof || proof.difficulty < difficulty - 1 || ctx.now() >= proof.expiresAtMs) return false;
  return (await findExceededRate(ctx.db, [workUse(ctx, proof)])) === undefined;
}

const tooManyCodes = (resetsAtMs: number, nowMs: number): AppError =>
  rateLimited({
    nowMs,
    resetsAtMs,
    message: () => "Too many wrong codes or passwords. Wait, or use the handoff link.",
    fields: (wait) => ({ ...wait }),
  });

const workRequired = (resetsAtMs: number, nowMs: number, challenge: UnlockChallenge): AppError =>
  rateLimited({
    nowMs,
    resetsAtMs,
    message: () =>
      "Too many wrong codes or passwords, so each one requires a proof of work. Solve `challenge` and send challengeId and nonce with it, or use the handoff link.",
    fields: (wait) => ({ ...wait, challenge }),
  });
