import { addressSubject } from "../../auth/address-subject.ts";
import { difficultyFor } from "../../auth/proof-of-work.ts";
import type { Ctx } from "../../context.ts";
import { insertChallenge } from "../../db/challenges.ts";
import { findRate } from "../../db/rate-windows.ts";
import { newSecret } from "../../domain/alphabet.ts";
import { MINUTE_MS } from "../../domain/ttl.ts";
import type { Operation } from "../operation.ts";
import { takeAddressRate } from "./take-address-rate.ts";

const VALID_MS = 5 * MINUTE_MS;

/** `POST /agent/register/challenge`: bound to the caller's address, and the harder the more that address has registered lately. */
export const requestChallenge: Operation<"requestChallenge"> = async (ctx, { address, remember }) => {
  const subject = addressSubject(ctx.keyring, address);
  const challenge = {
    id: newSecret(ctx.random, "ch_"),
    subject,
    difficulty: difficultyFor(await countRegistrations(ctx, subject), ctx.config.rates.registrations.limit),
    expires_at: ctx.now() + VALID_MS,
  };
  const answer = {
    challenge_id: challenge.id,
    difficulty: challenge.difficulty,
    expires_at: new Date(challenge.expires_at).toISOString(),
  };
  await ctx.tx(async (ctx) => {
    await takeAddressRate(ctx, { name: "challenges", address });
    await insertChallenge(ctx.db, challenge);
    await remember?.(ctx, answer);
  });
  return answer;
};

async function countRegistrations(ctx: Ctx, subject: string): Promise<number> {
  const rate = ctx.config.rates.registrations;
  return (await findRate(ctx.db, { name: "registrations", subject, rate, nowMs: ctx.now() })).count;
}
