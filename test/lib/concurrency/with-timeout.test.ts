import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withTimeout } from "../../../src/lib/concurrency/with-timeout.ts";

const never = new Promise<never>(() => {});
const failure = new Error("failed");

describe("withTimeout", () => {
  test("settles like the promise if that settles in time", async () => {
    const notInTime = () => assert.fail("onTimeout was called after the promise had settled");
    assert.equal(await withTimeout(Promise.resolve(1), 0, notInTime), 1);
    await assert.rejects(withTimeout(Promise.reject(failure), 0, notInTime), failure);
  });

  test("resolves to what onTimeout returns when the promise takes longer", async () => {
    assert.equal(await withTimeout(never, 1, () => "late"), "late");
  });

  test("rejects with what onTimeout throws when the promise takes longer", async () => {
    const throwFailure = () => {
      throw failure;
    };
    await assert.rejects(withTimeout(never, 1, throwFailure), failure);
  });

  test("ignores how the promise settles after the timeout", async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    assert.equal(await withTimeout(promise, 1, () => "late"), "late");
    reject(failure);
  });

  test("never calls onTimeout after the promise has settled", async () => {
    let calls = 0;
    await withTimeout(Promise.resolve(), 1, () => calls++);
    // Timers of equal length fire in the order of their creation.
    await withTimeout(never, 1, () => undefined);
    assert.equal(calls, 0);
  });
});
