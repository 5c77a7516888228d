import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProgress, showWhile } from "../../src/cli/progress.ts";
import { formatBytes, formatDuration } from "../../src/cli/text.ts";
import { until } from "../support/until.ts";

const MB = 1024 ** 2;

describe("progress", () => {
  it("tells files, bytes, the rate of the last seconds and the time left", () => {
    let nowMs = 1000;
    let progress = { done: { files: 0, bytes: 0 }, total: { files: 4, bytes: 400 * MB }, failed: 0 };
    const render = describeProgress(
      () => progress,
      () => nowMs,
    );
    assert.equal(render(), "0 of 4 files, 0 B of 400.0 MB, 0 B/s");
    nowMs += 10_000;
    progress = { ...progress, done: { files: 1, bytes: 100 * MB } };
    assert.equal(render(), "1 of 4 files, 100.0 MB of 400.0 MB, 10.0 MB/s, 30 s left");
    nowMs += 60_000;
    assert.match(render(), /, 0 B\/s$/, "it stands still");
    nowMs += 1000;
    progress = { ...progress, done: { files: 2, bytes: 101 * MB }, failed: 1 };
    assert.match(render(), /^2 of 4 files, .*, 1\.0 MB\/s, 5 min left, 1 failed$/);
  });

  it("is a line that is written over and wiped, where somebody sees it, and nothing elsewhere", async () => {
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

  it("writes bytes and times as people do", () => {
    const bytes = [0, 1, 1023, 1024, 1.5 * MB, 35 * 1024 ** 3, 3 * 1024 ** 4, 5000 * 1024 ** 4];
    assert.deepEqual(bytes.map(formatBytes), ["0 B", "1 B", "1023 B", "1.0 KB", "1.5 MB", "35.0 GB", "3.0 TB", "5000.0 TB"]);
    assert.deepEqual([0, 400, 59_000, 61_000, 3_600_000, 7_500_000].map(formatDuration), [
      "0 s",
      "1 s",
      "59 s",
      "2 min",
      "1 h 0 min",
      "2 h 5 min",
    ]);
  });
});
