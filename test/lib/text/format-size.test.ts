import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSize } from "../../../src/lib/text/format-size.ts";

const KB = 1024;
const CASES: readonly (readonly [number, string])[] = [
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1 KB"],
  [KB, "1 KB"],
  [1.54 * KB, "1.5 KB"],
  [9.96 * KB, "10 KB"],
  [999 * KB, "999 KB"],
  [1000 * KB, "1 MB"],
  [1019 * KB ** 2, "1 GB"],
  [KB ** 2 - 1, "1 MB"],
  [1.5 * KB ** 2, "1.5 MB"],
  [KB ** 3, "1 GB"],
  [5 * KB ** 3, "5 GB"],
  [35 * KB ** 3, "35 GB"],
  [1024 * KB ** 3, "1 TB"],
  [1.25 * KB ** 4, "1.3 TB"],
  [5000 * KB ** 4, "4.9 PB"],
  [3000 * KB ** 5, "3,000 PB"],
];

test("sizes are written in the fitting unit of 1024", () => {
  for (const [bytes, words] of CASES) assert.equal(formatSize(bytes), words);
});

test("sizes are written in a language", () => {
  assert.deepEqual(
    [1, 999, 1.5 * KB, 3000 * KB ** 5].map((bytes) => formatSize(bytes, "de")),
    ["1\u00a0Byte", "999\u00a0Byte", "1,5\u00a0KB", "3.000\u00a0PB"],
  );
  assert.deepEqual(
    [1, 999, 1.5 * KB ** 2].map((bytes) => formatSize(bytes, "fr")),
    ["1\u00a0octet", "999\u00a0octets", "1,5\u00a0Mo"],
  );
});
