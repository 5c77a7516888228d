import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../../src/context.ts";
import { findShare } from "../../src/db/shares.ts";
import type { AnonymousActor } from "../../src/domain/actor.ts";
import { AppError } from "../../src/errors.ts";
import { protectShare } from "../../src/operations/ownership/protect-share.ts";
import { checkUnlocked } from "../../src/operations/protection/check-unlocked.ts";
import { newUnlockChallenge } from "../../src/operations/protection/unlock-work.ts";
import { solve } from "../e2e/support/agents.ts";
import { openProcesses, uploadSmall } from "../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const call: Call = { actor, requestId: "r", address: "192.0.2.7", route: "api", userAgent: "" };
const GUESSES = 4;

/** decisions, "Accounts, keys, tiers"; docs/interface/unlocking.md. */
test("a proof of work that expires while its codes wait for the database is good for none of them", async () => {
  await using processes = await openProcesses();
  const { clock, ctxs } = processes;
  const [ctx] = ctxs;
  const { shortId } = await uploadSmall(ctx, "guessed.txt");
  await ctx.tx((ctx) => protectShare(ctx, shortId, true));
  const share = (await findShare(ctx.db, shortId)) ?? assert.fail();
  const { limit } = ctx.config.rates.unlockPerShare;
  const window = { name: "unlockPerShare", subject: shortId, count: limit, resets_at: clock.nowMs + 3_600_000 };
  await ctx.db.insertInto("rate_windows").values(window).execute();
  const challenge = newUnlockChallenge(ctx, { share, address: call.address }, 18);
  const proof = { challengeId: challenge.challenge_id, nonce: solve(challenge) };
  const gate = Promise.withResolvers<void>();
  clock.nowMs = Date.parse(challenge.expires_at) - 1;
  const writing = ctx.tx(() => gate.promise);
  const guesses = Array.from({ length: GUESSES }, () => checkUnlocked(ctx, call, share, { unlockCode: "AAAAAA", ...proof }));
  const ends = Promise.allSettled(guesses);
  clock.nowMs += 1;
  gate.resolve();
  await writing;
  const codes = (await ends).map((end) => (end.status === "rejected" && end.reason instanceof AppError ? end.reason.code : end.status));
  assert.deepEqual(codes, new Array(GUESSES).fill("RATE_LIMITED"));
});
