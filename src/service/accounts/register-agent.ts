import type { Ctx, TransactionCtx } from "../../context.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import { MINUTE_MS } from "../../lib/duration.ts";
import { toSingleLine } from "../../lib/file-name.ts";
import { newSecret, newUuid } from "../../lib/ids.ts";
import { toIso } from "../../lib/iso-time.ts";
import { difficultyFor, isWorkDone } from "../../lib/proof-of-work.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { newApiKey } from "./api-key.ts";
import { findChallenge, insertChallenge, insertKey, markChallengeUsed } from "./queries.ts";
import { addressSubject, consumeAddressRate, findRate } from "./rate-limits.ts";

const CHALLENGE_TTL_MS = 5 * MINUTE_MS;

/** `POST /agent/register/challenge`: issues a challenge for the caller's IP address, harder the more that address has registered in the hour. */
export const requestChallenge: Operation<"requestChallenge"> = async (ctx, call) => {
  const { address } = call;
  const subject = addressSubject(ctx.keyring, address);
  const challenge = {
    id: newSecret(ctx.random, "ch_"),
    subject,
    difficulty: difficultyFor(await countRegistrations(ctx, subject), ctx.config.rates.registrations.limit),
    expires_at: ctx.now() + CHALLENGE_TTL_MS,
  };
  return await commitResponse(ctx, call, async (ctx) => {
    await consumeAddressRate(ctx, { name: "challenges", address });
    await insertChallenge(ctx.db, challenge);
    return {
      challenge_id: challenge.id,
      difficulty: challenge.difficulty,
      expires_at: toIso(challenge.expires_at),
    };
  });
};

async function countRegistrations(ctx: Ctx, subject: string): Promise<number> {
  const rate = ctx.config.rates.registrations;
  return (await findRate(ctx.db, { name: "registrations", subject, rate, nowMs: ctx.now() })).count;
}

const SCOPE = "files_write";
const NOTE =
  "Save this key: it is shown once. Agents registered from one IP address share the free tier's quota, and are deleted after 30 days without a file.";

/** `POST /agent/register`: creates an agent's account and its key, in exchange for a solved challenge. */
export const registerAgent: Operation<"registerAgent"> = async (ctx, call, { label, challenge_id: id, nonce }) => {
  if (!id || !nonce) {
    throw proofError(
      "POW_REQUIRED",
      "Registration requires a proof of work. Request a challenge, solve it, and send challenge_id and nonce.",
    );
  }
  const { address } = call;
  const name = toSingleLine(label ?? "") || null;
  const { key, prefix, salt, hash } = newApiKey(ctx.random);
  return await commitResponse(ctx, call, async (ctx) => {
    await redeemChallenge(ctx, { id, nonce, address });
    await consumeAddressRate(ctx, { name: "registrations", address });
    const nowMs = ctx.now();
    const ownerId = newUuid(ctx.random, nowMs);
    await insertAgent(ctx, { ownerId, name: name ?? "Agent", address });
    await insertKey(ctx.db, {
      id: newUuid(ctx.random, nowMs),
      owner_id: ownerId,
      prefix,
      salt,
      hash,
      label: name,
      scope: SCOPE,
      is_agent_key: 1,
      created_at: nowMs,
    });
    return { key, owner_id: ownerId, key_prefix: `bc_${prefix}`, scope: SCOPE, tier: "bootstrap", note: NOTE } as const;
  });
};

/** Checks the proof of work and marks its challenge as used. Any error in the transaction leaves the challenge unused. */
async function redeemChallenge(ctx: TransactionCtx, { id, nonce, address }: { id: string; nonce: string; address: string }): Promise<void> {
  const challenge = await findChallenge(ctx.db, id);
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
  if (!(await markChallengeUsed(ctx.db, id, ctx.now()))) throw proofReused();
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
