import assert from "node:assert/strict";
import { test } from "node:test";
import { reportTransfer } from "../../src/mcp/stdio/transfer-progress.ts";
import { until } from "../support/until.ts";

/** mcp, "Files of your machine". */
test("a transfer is reported by hundredths, and also while nothing arrives, but never before its end as complete", async () => {
  const reported: number[] = [];
  const run = { reportProgress: ({ done }: { done: number }) => void reported.push(done) };
  using progress = reportTransfer(run, { total: 1000, message: "Uploading.", beatMs: 3_600_000 });
  for (const done of [0, 5, 10, 12, 20, 8, 998, 1000, 1000]) progress.report(done);
  assert.deepEqual(reported, [0, 10, 20, 998, 1000]);
  const beats: number[] = [];
  using slow = reportTransfer({ reportProgress: ({ done }) => void beats.push(done) }, { total: 4, message: "Uploading.", beatMs: 1 });
  slow.report(0);
  await until("it was reported without bytes", () => beats.at(-1) === 3);
  slow.report(4);
  assert.deepEqual(beats, [0, 1, 2, 3, 4]);
});
