import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProgress, showWhile } from "../../src/cli/progress.ts";
import { formatShortDuration } from "../../src/cli/text.ts";
import { until } from "../support/until.ts";

const MB = 1024 ** 2;

describe("progress", () => {
  it("shows files, bytes, the current rate and the remaining time", () => {
    let nowMs = 1000;
    let progress = { done: { files: 0, bytes: 0 }, total: { files: 4, bytes: 400 * MB }, failed: 0 };
    const render = describeProgress(
      () => progress,
      () => nowMs,
    );
    assert.equal(render(), "0 of 4 files, 0 bytes of 400 MB, 0 bytes/s");
    nowMs += 10_000;
    progress = { ...progress, done: { files: 1, bytes: 100 * MB } };
    assert.equal(render(), "1 of 4 files, 100 MB of 400 MB, 10 MB/s, 30 s left");
    nowMs += 60_000;
    assert.match(render(), /, 0 bytes\/s$/, "it stands still");
    nowMs += 1000;
    progress = { ...progress, done: { files: 2, bytes: 101 * MB }, failed: 1 };
    assert.match(render(), /^2 of 4 files, .*, 1 MB\/s, 5 min left, 1 failed$/);
  });

  it("redraws and erases one line on a terminal, and prints nothing elsewhere", async () => {
    for (const isInteractive of [true, false]) {
      const written: string[] = [];
      const terminal = {
        isInteractive,
        async err(text: string) {
          written.push(text);
        },
      };
      const result = await showWhile(terminal, async (show) => {
        show(() => "half");
        if (isInteractive) await until("it is shown", () => written.length > 0);
        return 7;
      });
      assert.equal(result, 7);
      assert.deepEqual([...new Set(written)], isInteractive ? ["\r\x1b[2Khalf", "\r\x1b[2K"] : []);
    }
  });

  it("formats durations", () => {
    assert.deepEqual([0, 400, 59_000, 61_000, 3_600_000, 7_500_000].map(formatShortDuration), [
      "0 s",
      "1 s",
      "59 s",
      "2 min",
      "1 h 0 min",
      "2 h 5 min",
    ]);
  });
});
