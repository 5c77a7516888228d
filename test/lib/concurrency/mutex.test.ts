import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMutex } from "../../../src/lib/concurrency/mutex.ts";

const timedOut = new Error("timed out");
const timeout = { timeoutMs: 1, timeoutError: () => timedOut };

describe("a mutex", () => {
  test("is held by one caller at a time, in the order of their calls", async () => {
    const mutex = createMutex();
    const events: string[] = [];
    const callers = ["a", "b", "c"].map((name) =>
      mutex.run(async () => {
        events.push(`${name} starts`);
        await Promise.resolve();
        events.push(`${name} ends`);
      }),
    );
    assert.equal(mutex.isHeld, true);
    await Promise.all(callers);
    assert.deepEqual(events, ["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
    assert.equal(mutex.isHeld, false);
  });

  test("is released when the work fails", async () => {
    const mutex = createMutex();
    await assert.rejects(
      mutex.run(() => Promise.reject(timedOut)),
      timedOut,
    );
    assert.equal(await mutex.run(() => Promise.resolve(1)), 1);
  });

  test("releases once, however often release is called", async () => {
    const mutex = createMutex();
    const release = await mutex.acquire();
    const second = mutex.acquire();
    const third = mutex.acquire(timeout);
    release();
    release();
    await second;
    await assert.rejects(third, timedOut);
  });

  test("rejects a caller that waits longer than its timeout, and is passed to the next", async () => {
    const mutex = createMutex();
    const release = await mutex.acquire();
    const impatient = mutex.acquire(timeout);
    const patient = mutex.acquire();
    await assert.rejects(impatient, timedOut);
    release();
    (await patient)();
    assert.equal(mutex.isHeld, false);
  });
});
