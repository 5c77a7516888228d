import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, formatDate, formatDuration, formatRelative, formatSize, shortenName, splitName } from "../../web/format.ts";

const KB = 1024;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test("sizes are in the fitting unit of 1024", () => {
  const cases: [number, string][] = [
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1023 bytes"],
    [KB, "1 KB"],
    [1.54 * KB, "1.5 KB"],
    [9.96 * KB, "10 KB"],
    [1000 * KB, "1,000 KB"],
    [KB * KB - 1, "1 MB"],
    [5 * KB ** 3, "5 GB"],
    [1.25 * KB ** 4, "1.3 TB"],
    [3000 * KB ** 5, "3,000 PB"],
  ];
  for (const [bytes, words] of cases) assert.equal(formatSize(bytes), words);
});

test("dates are absolute, in UTC", () => {
  assert.equal(formatDate(Date.UTC(2026, 10, 22, 14, 5)), "22 November 2026, 14:05 UTC");
  assert.equal(formatDate(Date.UTC(2027, 0, 1, 0, 0)), "1 January 2027, 00:00 UTC");
});

test("relative times say which way", () => {
  assert.equal(formatRelative(3 * DAY, 0), "in 3 days");
  assert.equal(formatRelative(30_000, 0), "in less than a minute");
  assert.equal(formatRelative(0, 2 * HOUR), "2 hours ago");
  assert.equal(formatDuration(MINUTE), "1 minute");
  assert.equal(formatDuration(90 * MINUTE), "90 minutes");
  assert.equal(formatDuration(HOUR), "1 hour");
  assert.equal(formatDuration(36 * HOUR), "36 hours");
  assert.equal(formatDuration(3 * DAY - 1000), "3 days");
  assert.equal(counted(1200, "file"), "1,200 files");
});

test("a name is split before its extension", () => {
  const cases: [string, string, string][] = [
    ["photo.jpg", "photo", ".jpg"],
    ["a.b.tar.gz", "a.b", ".tar.gz"],
    [".bashrc", ".bashrc", ""],
    ["README", "README", ""],
    ["ends with dot.", "ends with dot.", ""],
    ["Version 2. final text", "Version 2. final text", ""],
    ["", "Unnamed file", ""],
  ];
  for (const [name, stem, extension] of cases) assert.deepEqual(splitName(name), { stem, extension });
});

test("marks that are invisible or turn text around are taken out of a name", () => {
  assert.deepEqual(splitName("invoice\u202egpj.exe"), { stem: "invoicegpj", extension: ".exe" });
  assert.deepEqual(splitName("a\u0000b\r\n\u2066c\u2069.t\u200bxt"), { stem: "abc", extension: ".txt" });
  assert.deepEqual(splitName("\ud800.txt"), { stem: "\ufffd", extension: ".txt" });
  assert.deepEqual(splitName("👩‍👩‍👧 family.png"), { stem: "👩‍👩‍👧 family", extension: ".png" });
});

test("a long name loses its middle, never its extension, and no emoji is cut", () => {
  const { stem, extension } = shortenName(`${"👩‍👩‍👧".repeat(40)}end.jpeg`, 30);
  assert.equal(extension, ".jpeg");
  assert.match(stem, /^(👩‍👩‍👧){16}…(👩‍👩‍👧){5}end$/u);
  assert.deepEqual(shortenName("short.txt"), { stem: "short", extension: ".txt" });
});
