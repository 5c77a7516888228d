import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createKept } from "../../src/scan/kept.ts";

describe("a kept value", () => {
  it("is made again when it is no longer good, or expired by hand, and stays to be peeked at", async () => {
    let made = 0;
    let now = 0;
    const kept = createKept({ now: () => now, make: async () => ++made, goodForMs: (value) => value * 10 });
    assert.equal(kept.peek(), undefined);
    assert.deepEqual(await Promise.all([kept.get(), kept.get()]), [1, 1]);
    now = 9;
    assert.equal(await kept.get(), 1);
    now = 10;
    assert.equal(await kept.get(), 2);
    kept.expire();
    assert.equal(kept.peek(), 2);
    assert.equal(await kept.get(), 3);
  });

  it("is asked for again after a failure", async () => {
    let calls = 0;
    const make = async () => {
      calls += 1;
      if (calls === 1) throw new Error("not now");
      return calls;
    };
    const kept = createKept({ now: () => 0, make, goodForMs: () => 1 });
    await assert.rejects(kept.get(), /not now/);
    assert.equal(await kept.get(), 2);
  });
});
