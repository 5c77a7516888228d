import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCachedValue } from "../../../src/lib/concurrency/cached-value.ts";

describe("a cached value", () => {
  it("is made again when it is too old or expired, and can be peeked at until then", async () => {
    let made = 0;
    let now = 0;
    const cached = createCachedValue({ now: () => now, make: async () => ++made, maxAgeMs: (value) => value * 10 });
    assert.equal(cached.peek(), undefined);
    assert.deepEqual(await Promise.all([cached.get(), cached.get()]), [1, 1]);
    now = 9;
    assert.equal(await cached.get(), 1);
    now = 10;
    assert.equal(await cached.get(), 2);
    cached.expire();
    assert.equal(cached.peek(), 2);
    assert.equal(await cached.get(), 3);
  });

  it("is queried again after a failure", async () => {
    let calls = 0;
    const make = async () => {
      calls += 1;
      if (calls === 1) throw new Error("not now");
      return calls;
    };
    const cached = createCachedValue({ now: () => 0, make, maxAgeMs: () => 1 });
    await assert.rejects(cached.get(), /not now/);
    assert.equal(await cached.get(), 2);
  });
});
