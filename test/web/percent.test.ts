import assert from "node:assert/strict";
import { test } from "node:test";
import { areSmall, toPercent } from "../../web/sending/browser/percent.ts";

const MB = 1024 ** 2;
const file = (sizeBytes: number, sentBytes: number, status: "sending" | "sent" = "sending") => ({
  path: "a",
  sizeBytes,
  sentBytes,
  status,
});
const many = (status: "sending" | "sent", count = 200) => Array.from({ length: count }, () => file(1600, 1600, status));

/** pages, "What a break loses". */
test("bytes of small files that the server has not stored are little progress", () => {
  assert.equal(toPercent({ files: many("sending"), isRunning: true }), 2);
  assert.equal(toPercent({ files: [...many("sent", 100), ...many("sending", 100)], isRunning: true }), 51);
  assert.equal(toPercent({ files: many("sent"), isRunning: true }), 99);
  assert.equal(toPercent({ files: many("sent"), isRunning: false }), 100);
});

test("the progress of a large file is that of its bytes", () => {
  assert.equal(toPercent({ files: [file(100 * MB, 50 * MB)], isRunning: true }), 49);
  assert.equal(toPercent({ files: [file(100 * MB, 100 * MB)], isRunning: true }), 99);
  assert.equal(toPercent({ files: [], isRunning: true }), 0);
});

test("the number of files tells more than their bytes if they are small", () => {
  assert.equal(areSmall(many("sending")), true);
  assert.equal(areSmall([file(1600, 0)]), false);
  assert.equal(areSmall([file(5 * MB, 0), file(1600, 0)]), false);
});
