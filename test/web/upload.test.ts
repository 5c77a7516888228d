import assert from "node:assert/strict";
import { test } from "node:test";
import { TemporaryFailure } from "../../src/transfer/failures.ts";
import { planBatch } from "../../src/transfer/plan-batch.ts";
import { planParallelParts, planPartSize } from "../../src/transfer/plan-parts.ts";
import { PermanentFailure, toFailure } from "../../web/site/browser/upload/failures.ts";
import { createMeter } from "../../web/site/browser/upload/meter.ts";

const MB = 1024 ** 2;

/** The batches of files of these sizes. */
function planAll(sizes: readonly number[]): readonly (readonly number[])[] {
  const batches: (readonly number[])[] = [];
  for (let left = sizes; left.length > 0; left = left.slice(batches.at(-1)?.length)) batches.push(left.slice(0, planBatch(left, 3)));
  return batches;
}

/** pages, "One link for everything"; limits of a request: uploads, "Many small files". */
test("batches stay within the limits of a request and become smaller towards the end", () => {
  for (const sizes of [
    Array<number>(10_000).fill(10),
    Array<number>(40).fill(200_000),
    Array<number>(300).fill(4 * MB),
    [0],
    [4 * MB, 1],
  ]) {
    const batches = planAll(sizes);
    assert.deepEqual(batches.flat(), sizes);
    for (const batch of batches) assert.ok(batch.length <= 500 && batch.reduce((sum, size) => sum + size, 0) <= 64 * MB);
    assert.ok((batches.at(-1)?.length ?? 0) <= (batches[0]?.length ?? 0));
  }
  assert.ok(planAll(Array<number>(10_000).fill(10)).length < 100);
});

/** pages, "What a break loses"; limits of a part: uploads, "Uploads in parts". */
test("a part is a 64th of the file, or a quarter of a second of a fast connection, within limits", () => {
  const cases: readonly (readonly [fileMb: number, megabytesPerSecond: number, partMb: number])[] = [
    [5, 0, 1],
    [64, 4, 1],
    [65, 4, 2],
    [300, 0, 5],
    [2048, 0, 16],
    [1_000_000, 0, 16],
    [5, 12, 3],
    [5, 1000, 16],
  ];
  for (const [fileMb, megabytesPerSecond, partMb] of cases) {
    assert.equal(planPartSize(fileMb * MB, megabytesPerSecond * MB), partMb * MB, `${fileMb} MB at ${megabytesPerSecond} MB/s`);
  }
});

test("a file's parts are sent two at the same time on a slow connection, and up to four on a fast one", () => {
  const cases: readonly (readonly [partMb: number, megabytesPerSecond: number, parts: number])[] = [
    [1, 0, 2],
    [1, 4, 2],
    [1, 5, 3],
    [1, 100, 4],
    [8, 32, 2],
    [8, 100, 4],
  ];
  for (const [partMb, megabytesPerSecond, parts] of cases) {
    assert.equal(planParallelParts(partMb * MB, megabytesPerSecond * MB), parts, `${partMb} MB at ${megabytesPerSecond} MB/s`);
  }
});

/** pages, "How the page's uploads are repeated". */
test("a failure is temporary if the server requests a wait, or may recover", () => {
  const cases: readonly (readonly [status: number, retryAfter: string | null, waitMs: number | "refused" | undefined])[] = [
    [408, null, undefined],
    [429, null, undefined],
    [429, "7", 7000],
    [429, "91", "refused"],
    [500, null, undefined],
    [503, "0", 0],
    [507, null, "refused"],
    [507, "5", 5000],
    [409, "1", 1000],
    [409, null, "refused"],
    [400, "1", "refused"],
    [404, null, "refused"],
  ];
  for (const [status, retryAfter, waitMs] of cases) {
    const failure = toFailure(status, retryAfter);
    assert.equal(failure instanceof PermanentFailure, waitMs === "refused", `${status} ${retryAfter}`);
    if (failure instanceof TemporaryFailure) assert.equal(failure.waitMs, waitMs, `${status} ${retryAfter}`);
  }
  assert.equal(toFailure(413, null, "Too large.").message, "Too large.");
});

test("the speed of an upload is measured over its last seconds", () => {
  let nowMs = 0;
  const meter = createMeter(() => nowMs);
  assert.equal(meter.measure(0, 10 * MB), undefined);
  nowMs = 2000;
  assert.deepEqual(meter.measure(2 * MB, 10 * MB), { bytesPerSecond: MB, secondsLeft: 8 });
  for (let second = 3; second <= 20; second += 1) {
    nowMs = second * 1000;
    meter.measure(2 * MB + (second - 2) * (MB / 4), 10 * MB);
  }
  assert.equal(meter.measure(2 * MB + 18 * (MB / 4), 10 * MB)?.bytesPerSecond, MB / 4);
  meter.reset();
  assert.equal(meter.measure(5 * MB, 10 * MB), undefined);
});
