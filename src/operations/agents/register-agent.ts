import { addressSubject } from "../../auth/address-subject.ts";
import { newApiKey } from "../../auth/api-key.ts";
import { isWorkDone } from "../../auth/proof-of-work.ts";
import type { TxCtx } from "../../context.ts";
import { findChallenge, spendChallenge } from "../../db/challenges.ts";
import { insertKey } from "../../db/keys.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { toLine } from "../../domain/filename.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { takeAddressRate } from "./take-address-rate.ts";

const SCOPE = "files_write";
const NOTE =
  "Keep this key: it is shown once. It has the quota of the free tier, which agents registered from one address share, and is removed after 30 days without a file.";

/** `POST /agent/register`: a challenge that was solved → an account without a person, and its key. */
export const registerAgent: Operation<"registerAgent"> = async (ctx, { address, remember }, { label, challenge_id: id, nonce }) => {
  if (!id || !nonce) {
    throw powError("POW_REQUIRED", "Registering takes a proof of work. Ask for a challenge, solve it, and send challenge_id and nonce.");
  }
  const name = toLine(label ?? "") || null;
  const { key, prefix, salt, hash } = newApiKey(ctx.random);
  return await ctx.tx(async (ctx) => {
    await checkProof(ctx, { id, nonce, address });
    await takeAddressRate(ctx, { name: "registrations", address });
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
      bootstrap: 1,
      created_at: nowMs,
    });
    const answer = { key, owner_id: ownerId, key_prefix: `bc_${prefix}`, scope: SCOPE, tier: "bootstrap", note: NOTE } as const;
    await remember?.(ctx, answer);
    return answer;
  });
};

/** Uses the challenge up where the work is done; whatever is thrown, here or later in the transaction, leaves it as it was. */
async function checkProof(ctx: TxCtx, { id, nonce, address }: { id: string; nonce: string; address: string }): Promise<void> {
  const challenge = await findChallenge(ctx.db, id);
  if (!challenge) throw powError("INVALID_CHALLENGE", "This challenge is not one of this server's. Ask for a new one.");
  if (challenge.subject !== addressSubject(ctx.keyring, address)) {
    throw powError("IP_MISMATCH", "This challenge was given to another address. Ask for one from the address that you register from.");
  }
  if (challenge.used_at !== null) throw reused();
  if (challenge.expires_at <= ctx.now()) throw powError("EXPIRED_CHALLENGE", "This challenge has expired. Ask for a new one.");
  if (!isWorkDone(id, nonce, challenge.difficulty)) {
    throw powError(
      "INSUFFICIENT_WORK",
      `SHA-256 of challenge_id:nonce must begin with ${challenge.difficulty} zero bits; with this nonce it does not. Try others.`,
    );
  }
  if (!(await spendChallenge(ctx.db, id, ctx.now()))) throw reused();
}

async function insertAgent(ctx: TxCtx, { ownerId, name, address }: { ownerId: string; name: string; address: string }): Promise<void> {
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

const reused = (): AppError => powError("POW_REUSED", "This proof of work has been used already. Ask for a new challenge.");

const powError = (code: ErrorCode, message: string): AppError =>
  new AppError(code, message, { fields: { error_code: code.toLowerCase() } });
