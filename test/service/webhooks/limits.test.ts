import assert from "node:assert/strict";
import { test } from "node:test";
import { WEBHOOKS, webhookPauseMs } from "../../../src/service/webhooks/limits.ts";

/** webhooks, "Endpoints" and "Delivery". */
test("a delivery has eight attempts, with ±20 % jitter on each pause", () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => webhookPauseMs(failures, 0.5)).map((ms) => ms && ms / 1000);
  assert.deepEqual(seconds, [10, 30, 120, 600, 1800, 7200, 21_600, undefined]);
  assert.equal(webhookPauseMs(1, 0), 8000);
  assert.equal(webhookPauseMs(1, 1), 12_000);
});

test("the limits are ten endpoints, ten seconds an attempt, 20 failures to slow down, and five failed events to pause", () => {
  const { perAccount, timeoutMs, failuresToSlow, failedEventsToPause } = WEBHOOKS;
  assert.deepEqual([perAccount, timeoutMs, failuresToSlow, failedEventsToPause], [10, 10_000, 20, 5]);
});
