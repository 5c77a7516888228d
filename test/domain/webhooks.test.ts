import assert from "node:assert/strict";
import { test } from "node:test";
import { WEBHOOKS, webhookPauseMs } from "../../src/domain/webhooks.ts";

/** interface, "Events"; decisions, "Webhooks". */
test("eight attempts, each pause a fifth more or less", () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => webhookPauseMs(failures, 0.5)).map((ms) => ms && ms / 1000);
  assert.deepEqual(seconds, [10, 30, 120, 600, 1800, 7200, 21_600, undefined]);
  assert.equal(webhookPauseMs(1, 0), 8000);
  assert.equal(webhookPauseMs(1, 1), 12_000);
});

test("ten endpoints an account, ten seconds an attempt, slower after 20 failures, paused after five events", () => {
  const { perAccount, timeoutMs, failuresToSlow, failedEventsToPause } = WEBHOOKS;
  assert.deepEqual([perAccount, timeoutMs, failuresToSlow, failedEventsToPause], [10, 10_000, 20, 5]);
});
