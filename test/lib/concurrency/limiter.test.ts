import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLimiter } from "../../../src/lib/concurrency/limiter.ts";

const failure = new Error("failed");

describe("a limiter", () => {
  test("starts a task when fewer than the maximum run", async () => {
    const limiter = createLimiter(2);
    const ends: (() => void)[] = [];
    const task = (): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    };
    await limiter.start(task);
    await limiter.start(task);
    const third = limiter.start(task);
    assert.equal(ends.length, 2);
    ends[0]?.();
    await third;
    assert.equal(ends.length, 3);
    for (const end of ends) end();
    await limiter.drain();
    limiter.check();
  });

  test("starts no task after one has failed, and throws the first error", async () => {
    const limiter = createLimiter(1);
    let started = 0;
    await limiter.start(() => Promise.reject(failure));
    await assert.rejects(
      limiter.start(async () => void started++),
      failure,
    );
    await limiter.drain();
    assert.throws(() => limiter.check(), failure);
    assert.equal(started, 0);
  });
});
