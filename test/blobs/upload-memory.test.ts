import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createUploadMemory, type UploadMemory } from "../../src/blobs/upload-memory.ts";
import { memoryGroups } from "../../src/operations/uploads/space-groups.ts";

const MB = 1024 * 1024;
const FIRST = MB / 2;

/** How many bodies of a caller get the memory for their first bytes, which they keep. */
function begin(memory: UploadMemory, quotaOwner: string): number {
  for (let count = 0; ; count++) if (!memory.open(memoryGroups(quotaOwner)).tryHold(FIRST, "first")) return count;
}

/** request limits, "Direct uploads on S3". */
describe("shares of the memory for direct uploads", () => {
  test("whatever one caller takes, there is room for the next one of each kind", () => {
    for (const taker of ["user:1", "anon:net1:sub1", "anon:address1", "agents:1"]) {
      for (const next of ["user:2", "anon:net2:sub1", "anon:address2", "agents:2"]) {
        const memory = createUploadMemory();
        const taken = begin(memory, taker);
        assert.ok(taken >= 100, `${taker} has ${taken}`);
        const left = begin(memory, next);
        assert.ok(left >= 24, `after ${taker}, ${next} has ${left}`);
      }
    }
  });

  test("a /48 takes no more than one network may, and one of its /64 leaves some of that to the others", () => {
    const memory = createUploadMemory();
    const first = begin(memory, "anon:net1:sub1");
    const second = begin(memory, "anon:net1:sub2");
    const others = Array.from({ length: 100 }, (_, n) => begin(memory, `anon:net1:sub${n + 3}`));
    const sum = others.reduce((sum, count) => sum + count, first + second);
    assert.ok(second >= 24, String(second));
    assert.ok(sum <= begin(createUploadMemory(), "anon:address1"), String(sum));
    assert.ok(begin(memory, "anon:net2:sub1") >= 24);
  });

  test("what bodies could do without leaves room for what they need, and that for their first bytes", () => {
    const memory = createUploadMemory({ totalBytes: 30 * MB });
    const fill = (need: "spare" | "needed" | "first"): number => {
      for (let count = 0; ; count++) if (!memory.open([]).tryHold(MB, need)) return count;
    };
    assert.deepEqual([fill("spare"), fill("needed"), fill("first"), fill("first")], [10, 10, 10, 0]);
  });

  test("who waits is served in order, and only few wait", async () => {
    const memory = createUploadMemory({ totalBytes: 14 * MB });
    const all = memory.open([]);
    assert.ok(all.tryHold(14 * MB, "first"));
    const served: number[] = [];
    const waiting = Array.from({ length: 12 }, async (_, n) => {
      await memory.open(memoryGroups("user:1")).hold(FIRST, "first");
      served.push(n);
    });
    await assert.rejects(memory.open(memoryGroups("user:1")).hold(FIRST, "first"), { code: "UNAVAILABLE" });
    const other = memory.open(memoryGroups("user:2")).hold(FIRST, "first");
    all.shrink(0);
    await Promise.all([other, ...waiting]);
    assert.deepEqual(
      served,
      waiting.map((_, n) => n),
    );
  });
});
