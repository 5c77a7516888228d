import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addSpan, coversWhole, parseRange, type Span } from "../../../src/lib/http/range.ts";

const SIZE = 1000;

/** downloads, "Signed URLs" and "Limited shares". */
describe("a Range header", () => {
  const satisfied: readonly (readonly [string, number, number])[] = [
    ["bytes=0-0", 0, 1],
    ["bytes=0-9", 0, 10],
    ["bytes=10-19", 10, 20],
    ["bytes=990-", 990, SIZE],
    ["bytes=999-", 999, SIZE],
    ["bytes=0-", 0, SIZE],
    ["bytes=-1", SIZE - 1, SIZE],
    ["bytes=-10", SIZE - 10, SIZE],
    ["bytes=-1000", 0, SIZE],
    ["bytes=-5000", 0, SIZE],
    ["bytes=999-999", 999, SIZE],
    ["bytes=990-5000", 990, SIZE],
    ["bytes=0-99999999999999999999", 0, SIZE],
    ["BYTES=1-2", 1, 3],
  ];
  for (const [header, start, end] of satisfied)
    test(`${header} requests one part of the file`, () =>
      assert.deepEqual(parseRange(header, SIZE), { kind: "partial", span: { start, end } }));

  for (const header of ["bytes=1000-", "bytes=1000-2000", "bytes=99999999999999999999-", `bytes=${"9".repeat(400)}-`, "bytes=-0"])
    test(`${header} is beyond the file and unsatisfiable`, () => assert.deepEqual(parseRange(header, SIZE), { kind: "unsatisfiable" }));

  for (const header of ["bytes=0-0", "bytes=0-", "bytes=-1"])
    test(`${header} is unsatisfiable for an empty file`, () => assert.deepEqual(parseRange(header, 0), { kind: "unsatisfiable" }));

  const malformed = [
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=a-",
    "bytes=a-b",
    "bytes=5-2",
    "bytes=1-2-3",
    "bytes=-5-",
    "bytes=0 - 1",
    "bytes=0x0-0x9",
    "bytes=1.5-2",
    "bytes=--5",
    "bytes=+1-2",
    "bytes=0-1;",
    "bytes 0-1",
    " bytes=0-1",
    ",",
  ];
  for (const header of [...malformed, "items=0-1", "bytes=0-1,5-6", "bytes=1-2,4-5", "bytes=0-,-1", "bytes=1-2,"])
    test(`"${header}" is ignored: it is malformed, has another unit or requests several parts`, () =>
      assert.deepEqual(parseRange(header, SIZE), { kind: "whole" }));

  test("requests the whole file if it is absent", () => {
    for (const header of [null, undefined]) assert.deepEqual(parseRange(header, SIZE), { kind: "whole" });
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
