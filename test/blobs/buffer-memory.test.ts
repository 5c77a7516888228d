import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type BodyBuffers, createBufferMemory } from "../../src/blobs/buffer-memory.ts";
import { memoryGroups } from "../../src/service/uploads/space-groups.ts";

const MB = 1024 * 1024;
const FIRST = MB / 2;

/** Opens bodies of a caller until one gets no memory for its first bytes; returns how many got it. */
function openBodies(memory: BodyBuffers, quotaOwner: string): number {
  for (let count = 0; ; count++) if (!memory.open(memoryGroups(quotaOwner)).tryGrow(FIRST, "first")) return count;
}

/** request limits, "Direct uploads on S3". */
describe("the memory limit of direct uploads", () => {
  test("leaves memory for the next caller of each kind, whatever one caller uses", () => {
    for (const owner of ["user:1", "anon:net1:sub1", "anon:address1", "agents:1"]) {
      for (const next of ["user:2", "anon:net2:sub1", "anon:address2", "agents:2"]) {
        const memory = createBufferMemory();
        const taken = openBodies(memory, owner);
        assert.ok(taken >= 100, `${owner} has ${taken}`);
        const left = openBodies(memory, next);
        assert.ok(left >= 24, `after ${owner}, ${next} has ${left}`);
      }
    }
  });

  test("restricts a /48 to the memory of one network, and leaves space to others when one /64 takes its maximum", () => {
    const memory = createBufferMemory();
    const first = openBodies(memory, "anon:net1:sub1");
    const second = openBodies(memory, "anon:net1:sub2");
    const others = Array.from({ length: 100 }, (_, n) => openBodies(memory, `anon:net1:sub${n + 3}`));
    const sum = others.reduce((sum, count) => sum + count, first + second);
    assert.ok(second >= 24, String(second));
    assert.ok(sum <= openBodies(createBufferMemory(), "anon:address1"), String(sum));
    assert.ok(openBodies(memory, "anon:net2:sub1") >= 24);
  });

  test("leaves room for required memory when optional memory is used up, and then for first bytes", () => {
    const memory = createBufferMemory({ totalBytes: 30 * MB });
    const fill = (need: "spare" | "needed" | "first"): number => {
      for (let count = 0; ; count++) if (!memory.open([]).tryGrow(MB, need)) return count;
    };
    assert.deepEqual([fill("spare"), fill("needed"), fill("first"), fill("first")], [10, 10, 10, 0]);
  });

  test("makes bodies wait in order, and restricts the number of waiting bodies", async () => {
    const memory = createBufferMemory({ totalBytes: 14 * MB });
    const all = memory.open([]);
    assert.ok(all.tryGrow(14 * MB, "first"));
    const served: number[] = [];
    const waiting = Array.from({ length: 12 }, async (_, n) => {
      await memory.open(memoryGroups("user:1")).grow(FIRST, "first");
      served.push(n);
    });
    await assert.rejects(memory.open(memoryGroups("user:1")).grow(FIRST, "first"), { code: "UNAVAILABLE" });
    const other = memory.open(memoryGroups("user:2")).grow(FIRST, "first");
    all.shrink(0);
    await Promise.all([other, ...waiting]);
    assert.deepEqual(
      served,
      waiting.map((_, n) => n),
    );
  });
});
