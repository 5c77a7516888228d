import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addSpan, coversWhole, parseRange, type Span } from "../../src/lib/range.ts";

/** downloads, "Signed URLs" and "Limited shares". */
describe("a Range header", () => {
  const spanOf = (header: string, size = 100) => {
    const answer = parseRange(header, size);
    return answer.kind === "partial" ? [answer.span.start, answer.span.end] : answer.kind;
  };

  test("requests one part of the file", () => {
    assert.deepEqual(spanOf("bytes=0-0"), [0, 1]);
    assert.deepEqual(spanOf("bytes=10-19"), [10, 20]);
    assert.deepEqual(spanOf("bytes=99-"), [99, 100]);
    assert.deepEqual(spanOf("bytes=50-1000"), [50, 100]);
    assert.deepEqual(spanOf("bytes=-1"), [99, 100]);
    assert.deepEqual(spanOf("bytes=-1000"), [0, 100]);
    assert.deepEqual(spanOf(" bytes=0-1"), "whole");
  });

  test("is unsatisfiable if it requests bytes outside the file", () => {
    for (const header of ["bytes=100-", "bytes=100-200", "bytes=-0", `bytes=${"9".repeat(400)}-`])
      assert.equal(spanOf(header), "unsatisfiable", header);
    for (const header of ["bytes=0-", "bytes=0-0", "bytes=-1"]) assert.equal(spanOf(header, 0), "unsatisfiable", header);
  });

  test("is ignored if it is malformed, has another unit or requests several parts", () => {
    for (const header of [
      "",
      "bytes",
      "bytes=",
      "bytes=-",
      "bytes=5-2",
      "bytes=a-",
      "bytes=1-2,4-5",
      "bytes=1-2,",
      "items=0-1",
      "bytes=0 - 1",
      "bytes=-5-",
    ]) {
      assert.equal(spanOf(header), "whole", header);
    }
    assert.deepEqual(parseRange(null, 5), { kind: "whole" });
    assert.deepEqual(parseRange(undefined, 5), { kind: "whole" });
  });
});

describe("a list of spans", () => {
  const add = (...spans: readonly (readonly [number, number])[]): (readonly [number, number])[] => {
    let list: readonly Span[] = [];
    for (const [start, end] of spans) list = addSpan(list, { start, end });
    return list.map(({ start, end }) => [start, end]);
  };

  test("stays sorted and disjoint, and merges adjacent spans", () => {
    assert.deepEqual(add([5, 6], [1, 2], [9, 10]), [
      [1, 2],
      [5, 6],
      [9, 10],
    ]);
    assert.deepEqual(add([0, 5], [5, 9]), [[0, 9]]);
    assert.deepEqual(add([5, 9], [0, 5]), [[0, 9]]);
    assert.deepEqual(add([0, 2], [4, 6], [8, 9], [1, 8]), [[0, 9]]);
    assert.deepEqual(add([0, 9], [2, 3]), [[0, 9]]);
    assert.deepEqual(add([3, 3], [5, 4]), []);
  });

  test("covers the bytes of all its spans, in whatever order they are added", () => {
    const spans = Array.from({ length: 40 }, (_, index) => [(index * 37) % 100, ((index * 37) % 100) + (index % 5)] as const);
    const bytes = new Set(spans.flatMap(([start, end]) => Array.from({ length: end - start }, (_, offset) => start + offset)));
    const list = add(...spans);
    assert.deepEqual(new Set(list.flatMap(([start, end]) => Array.from({ length: end - start }, (_, offset) => start + offset))), bytes);
    for (const [index, [start]] of list.entries()) assert.ok(index === 0 || start > (list[index - 1]?.[1] ?? 0));
  });

  test("covers the whole file only if it contains every byte", () => {
    assert.ok(coversWhole([{ start: 0, end: 10 }], 10));
    assert.ok(!coversWhole([{ start: 0, end: 9 }], 10));
    assert.ok(!coversWhole([{ start: 1, end: 10 }], 10));
    assert.ok(
      !coversWhole(
        [
          { start: 0, end: 4 },
          { start: 5, end: 10 },
        ],
        10,
      ),
    );
    assert.ok(!coversWhole([], 10));
    assert.ok(coversWhole([], 0));
  });
});

test("a list of spans is limited to a thousand disjoint ones", () => {
  let list: Span[] = [];
  for (let start = 0; start < 4000; start += 2) list = addSpan(list, { start, end: start + 1 });
  assert.equal(list.length, 1000);
  assert.ok(coversWhole(addSpan(list, { start: 0, end: 4000 }), 4000));
});
