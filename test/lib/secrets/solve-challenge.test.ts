import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { solveChallenge } from "../../../src/lib/secrets/solve-challenge.ts";

const NEVER = 250;
const BUSY = { code: "UNAVAILABLE", retryAfterSeconds: 60 };

/** mcp, "Guests". */
test("finds a nonce whose digest has the wanted zero bits", async () => {
  const nonce = await solveChallenge({ challenge_id: "c1", difficulty: 12 }, { caller: "a", signal: new AbortController().signal });
  const digest = createHash("sha256").update(`c1:${nonce}`).digest();
  assert.equal(digest.readUInt16BE(0) >> 4, 0);
});

test("one proof per address and sixteen in total wait, others are refused; a cancelled proof frees its slot", async () => {
  const stop = new AbortController();
  const signal = stop.signal;
  const endless = (caller: string) => solveChallenge({ challenge_id: caller, difficulty: NEVER }, { caller, signal });
  const waiting = Array.from({ length: 16 }, (_, index) => assert.rejects(endless(`caller ${index}`), { name: "AbortError" }));
  await assert.rejects(endless("caller 0"), BUSY);
  await assert.rejects(endless("caller 16"), BUSY);
  stop.abort();
  await Promise.all(waiting);
  const again = { caller: "caller 0", signal: new AbortController().signal };
  assert.match(await solveChallenge({ challenge_id: "c2", difficulty: 4 }, again), /^\d+$/);
});
