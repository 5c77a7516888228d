import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { createUploadBodyLimiter } from "../../../src/service/uploads/upload-body-limiter.ts";
import { until } from "../../support/until.ts";

/** A transfer that runs until it is ended. */
function open(limiter: ReturnType<typeof createUploadBodyLimiter>, quotaOwner: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { runs: false };
  const done = limiter.run({ quotaOwner }, async () => {
    state.runs = true;
    await promise;
  });
  done.catch(() => undefined);
  return { state, done, end: resolve };
}

/** request limits, "Memory of the server". */
describe("uploads above the number that memory allows", () => {
  test("wait in the order of arrival, and are received", async () => {
    const limiter = createUploadBodyLimiter({ slots: { running: 2, waiting: 8 } });
    const all = ["a", "b", "c", "d"].map((owner) => open(limiter, owner));
    await until("two run", () => all.filter(({ state }) => state.runs).length === 2);
    for (const [index, one] of all.entries()) {
      await until(`${index} runs`, () => one.state.runs);
      assert.ok(all.filter(({ state }) => state.runs).length <= index + 2);
      one.end();
      await one.done;
    }
  });

  test("leave a turn and a place to wait to others, however many one caller sends", async () => {
    const limiter = createUploadBodyLimiter({ slots: { running: 4, waiting: 8 } });
    const many = Array.from({ length: 20 }, () => open(limiter, "a"));
    const refused = many.slice(8);
    for (const { done } of refused) await assert.rejects(done, (error) => error instanceof AppError && error.code === "UNAVAILABLE");
    assert.equal(many.filter(({ state }) => state.runs).length, 2);
    const other = open(limiter, "b");
    await until("another caller's runs", () => other.state.runs);
    other.end();
    for (const one of many.slice(0, 8)) one.end();
    await Promise.all(many.slice(0, 8).map(({ done }) => done));
  });

  test("are refused after the longest wait", async () => {
    const limiter = createUploadBodyLimiter({ slots: { running: 1, waiting: 8 }, waitMs: 1 });
    const first = open(limiter, "a");
    await assert.rejects(open(limiter, "b").done, /no memory for another upload/);
    first.end();
    await first.done;
  });
});
