import type { Ctx, TransactionCtx } from "../../context.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import { newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { isWorkDone } from "../../lib/secrets/proof-of-work.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { newKeyRow, shownPrefix } from "./api-key.ts";
import { findChallenge, insertChallenge, insertKey, markChallengeUsed } from "./queries.ts";
import { addressRateExceeded, addressSubject, addressUses, consumeAddressRate, findExceededRate, getRate } from "./rate-limits.ts";
import { registrationDifficulty } from "./work-difficulty.ts";

const CHALLENGE_TTL_MS = 5 * MINUTE_MS;

/**
 * `POST /agent/register/challenge`: issues a challenge for the caller's IP address. Its difficulty rises with the registrations of that address in
 * the last hour.
 */
export const requestChallenge: Operation<"requestChallenge"> = async (ctx, call) => {
  const { address } = call;
  const subject = addressSubject(ctx.keyring, address);
  const challenge = {
    id: newSecret(ctx.random, "ch_"),
    subject,
    difficulty: registrationDifficulty(await countRegistrations(ctx, subject), ctx.config.rates.registrations.limit),
    expires_at: ctx.now() + CHALLENGE_TTL_MS,
  };
  return await commitResponse(ctx, call, async (ctx) => {
    await consumeAddressRate(ctx, { name: "challenges", address });
    await insertChallenge(ctx.db, { ...challenge, id: hashToken(challenge.id) });
    return {
      challenge_id: challenge.id,
      difficulty: challenge.difficulty,
      expires_at: toIso(challenge.expires_at),
    };
  });
};

async function countRegistrations(ctx: Ctx, subject: string): Promise<number> {
  const rate = ctx.config.rates.registrations;
  return (await getRate(ctx.db, { name: "registrations", subject, rate, nowMs: ctx.now() })).count;
}

const SCOPE = "files_write";
const NOTE =
  "Save this key: it is shown once. Agents registered from one IP address share the free tier's quota, and are deleted after 30 days without a file.";

/** Throws RATE_LIMITED if an address cannot register now, so that the client does not compute a useless proof of work. */
export async function checkRegistrations(ctx: Ctx, address: string): Promise<void> {
  const exceeded = await findExceededRate(ctx.db, addressUses(ctx, { name: "registrations", address }));
  if (exceeded) throw addressRateExceeded(ctx, "registrations", exceeded);
}

/** `POST /agent/register`: creates an agent's account and its key, in exchange for a solved challenge. */
export const registerAgent: Operation<"registerAgent"> = async (ctx, call, { label, challenge_id: id, nonce }) => {
  if (!id || !nonce) {
    throw proofError(
      "POW_REQUIRED",
      "Registration requires a proof of work. Request a challenge, solve it, and send challenge_id and nonce.",
    );
  }
  const { address } = call;
  return await commitResponse(ctx, call, async (ctx) => {
    await redeemChallenge(ctx, { id, nonce, address });
    await consumeAddressRate(ctx, { name: "registrations", address });
    const ownerId = newUuid(ctx.random, ctx.now());
    const { key, row } = newKeyRow(ctx, { ownerId, label, scope: SCOPE, isAgentKey: true });
    await insertAgent(ctx, { ownerId, name: row.label ?? "Agent", address });
    await insertKey(ctx.db, row);
    return { key, owner_id: ownerId, key_prefix: shownPrefix(row), scope: SCOPE, tier: "bootstrap", note: NOTE } as const;
  });
};

/** Checks the proof of work and marks its challenge as used. If the transaction fails, the challenge remains unused. */
async function redeemChallenge(ctx: TransactionCtx, { id, nonce, address }: { id: string; nonce: string; address: string }): Promise<void> {
  const challenge = await findChallenge(ctx.db, hashToken(id));
  if (!challenge) throw proofError("INVALID_CHALLENGE", "This challenge is unknown. Request a new one.");
  if (challenge.subject !== addressSubject(ctx.keyring, address)) {
    throw proofError(
      "IP_MISMATCH",
      "This challenge was issued to another IP address. Request one from the address that you register from.",
    );
  }
  if (challenge.used_at !== null) throw proofReused();
  if (challenge.expires_at <= ctx.now()) throw proofError("EXPIRED_CHALLENGE", "This challenge has expired. Request a new one.");
  if (!isWorkDone(id, nonce, challenge.difficulty)) {
    throw proofError(
      "INSUFFICIENT_WORK",
      `The nonce is wrong: SHA-256 of challenge_id:nonce must begin with ${challenge.difficulty} zero bits. Try other nonces.`,
    );
  }
  if (!(await markChallengeUsed(ctx.db, challenge.id, ctx.now()))) throw proofReused();
}

async function insertAgent(
  ctx: TransactionCtx,
  { ownerId, name, address }: { ownerId: string; name: string; address: string },
): Promise<void> {
  const nowMs = ctx.now();
  await ctx.db
    .insertInto("users")
    .values({
      id: ownerId,
      name,
      email: `${ownerId}@agents.invalid`,
      role: "agent",
      agent_group: addressSubject(ctx.keyring, address),
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
}

const proofReused = (): AppError => proofError("POW_REUSED", "This proof of work was already used. Request a new challenge.");

const proofError = (code: ErrorCode, message: string): AppError =>
  new AppError(code, message, { fields: { error_code: code.toLowerCase() } });
