import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { requireMinimumPace } from "../../src/net/minimum-pace.ts";

const PACE = { bytesPerSecond: 1000, windowMs: 10_000 };

/** A source that takes `waitMs` before each chunk, and a reader that takes `readMs` for each. */
async function read(chunks: readonly { readonly bytes: number; readonly waitMs: number }[], readMs = 0): Promise<number> {
  let nowMs = 0;
  async function* body() {
    for (const { bytes, waitMs } of chunks) {
      nowMs += waitMs;
      yield new Uint8Array(bytes);
    }
  }
  let total = 0;
  for await (const chunk of requireMinimumPace(body(), PACE, () => nowMs)) {
    total += chunk.length;
    nowMs += readMs;
  }
  return total;
}

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

/** imports, "A minimum pace". */
describe("the minimum pace of a source", () => {
  test("aborts a source that sends a byte every five seconds, at the end of the first window", async () => {
    await assert.rejects(read(times(100, { bytes: 1, waitMs: 5_000 })), { code: "REMOTE_TIMEOUT" });
    assert.equal(await read(times(1, { bytes: 1, waitMs: 5_000 })), 1);
  });

  test("accepts a source that is just fast enough on average, also in bursts", async () => {
    assert.equal(await read(times(100, { bytes: 5_000, waitMs: 5_000 })), 500_000);
    const bursts = times(20, [
      { bytes: 9_000, waitMs: 500 },
      { bytes: 1_000, waitMs: 9_500 },
    ]).flat();
    assert.equal(await read(bursts), 200_000);
  });

  test("aborts a source that has become slow", async () => {
    const chunks = [...times(10, { bytes: 1_000_000, waitMs: 10 }), ...times(100, { bytes: 10, waitMs: 5_000 })];
    await assert.rejects(read(chunks), { code: "REMOTE_TIMEOUT" });
  });

  test("does not count the reader's time", async () => {
    assert.equal(await read(times(100, { bytes: 10, waitMs: 1 }), 60_000), 1_000);
  });
});
