import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestContext } from "../../../src/context.ts";
import { AppError } from "../../../src/errors.ts";
import type { AnonymousActor } from "../../../src/service/accounts/actor.ts";
import { protectShare } from "../../../src/service/shares/credentials.ts";
import { findShare } from "../../../src/service/shares/queries.ts";
import { checkUnlocked } from "../../../src/service/shares/unlock.ts";
import { newUnlockChallenge } from "../../../src/service/shares/unlock-work.ts";
import { solve } from "../../e2e/support/accounts/agents.ts";
import { openProcesses, uploadSmall } from "../../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const call: RequestContext = { actor, address: "192.0.2.7", channel: "api", userAgent: "" };
const GUESSES = 4;

/** unlocking, "A share with many wrong codes requires work". */
test("rejects all codes of a proof of work that expires while they wait for the database", async () => {
  await using processes = await openProcesses();
  const { clock, ctxs } = processes;
  const [ctx] = ctxs;
  const { shortId } = await uploadSmall(ctx, "guessed.txt");
  await ctx.transaction((ctx) => protectShare(ctx, shortId, { protect: true }));
  const share = (await findShare(ctx.db, shortId)) ?? assert.fail();
  const { limit } = ctx.config.rates.unlockPerShare;
  const window = { name: "unlockPerShare", subject: shortId, count: limit, resets_at: clock.nowMs + 3_600_000 };
  await ctx.db.insertInto("rate_windows").values(window).execute();
  const challenge = newUnlockChallenge(ctx, { share, address: call.address }, 18);
  const proof = { challengeId: challenge.challenge_id, nonce: solve(challenge) };
  const gate = Promise.withResolvers<void>();
  clock.nowMs = Date.parse(challenge.expires_at) - 1;
  const writing = ctx.transaction(() => gate.promise);
  const guesses = Array.from({ length: GUESSES }, () => checkUnlocked(ctx, call, share, { unlockCode: "AAAAAA", ...proof }));
  const outcomes = Promise.allSettled(guesses);
  clock.nowMs += 1;
  gate.resolve();
  await writing;
  const codes = (await outcomes).map((outcome) =>
    outcome.status === "rejected" && outcome.reason instanceof AppError ? outcome.reason.code : outcome.status,
  );
  assert.deepEqual(codes, new Array(GUESSES).fill("RATE_LIMITED"));
});
