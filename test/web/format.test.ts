import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, formatDate, formatDuration, formatRelative, shortenName, splitName } from "../../web/site/format.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test("dates are formatted by language and time zone", () => {
  assert.equal(formatDate(Date.UTC(2026, 10, 22, 14, 5), { language: "en", timeZone: "UTC" }), "22 November 2026, 14:05 UTC");
  assert.equal(formatDate(Date.UTC(2027, 0, 1, 0, 0), { language: "en", timeZone: "UTC" }), "1 January 2027, 00:00 UTC");
  assert.equal(formatDate(Date.UTC(2027, 0, 1, 0, 0), { language: "de", timeZone: "UTC" }), "1. Januar 2027, 00:00 UTC");
  assert.equal(formatDate(Date.UTC(2027, 1, 9, 13, 0), { language: "fr", timeZone: "UTC" }), "9 février 2027, 13:00 UTC");
  assert.equal(formatDate(Date.UTC(2027, 0, 1, 0, 0), { language: "de", timeZone: "Europe/Berlin" }), "1. Januar 2027, 01:00 MEZ");
  assert.equal(formatDate(Date.UTC(2027, 0, 1, 0, 0), { language: "en", timeZone: "America/New_York" }), "31 December 2026, 19:00 GMT-5");
});

test("past and future times are formatted by language", () => {
  assert.equal(formatRelative(3 * DAY, 0, "en"), "in 3\u00a0days");
  assert.equal(formatRelative(3 * DAY, 0, "de"), "in 3\u00a0Tagen");
  assert.equal(formatRelative(3 * DAY, 0, "fr"), "dans 3\u00a0jours");
  assert.equal(formatRelative(30_000, 0, "en"), "in 30\u00a0seconds");
  assert.equal(formatRelative(0, 2 * HOUR, "en"), "2\u00a0hours ago");
  assert.equal(formatRelative(0, 108_000, "en"), "1\u00a0minute ago");
  assert.equal(formatRelative(0, 59_999, "en"), "59\u00a0seconds ago");
  assert.equal(formatRelative(0, 1000, "en"), "1\u00a0second ago");
  assert.deepEqual(
    (["en", "de", "fr"] as const).map((language) => [formatRelative(5, 5, language), formatRelative(0, 999, language)]),
    ["just now", "gerade eben", "à l’instant"].map((text) => [text, text]),
  );
  assert.equal(formatRelative(0, 47 * HOUR, "de"), "vor 1\u00a0Tag");
  assert.equal(formatRelative(90 * MINUTE, 0, "en"), "in 90\u00a0minutes");
});

test("durations are formatted in the largest unit of which they have at least two", () => {
  assert.equal(formatDuration(MINUTE, "en"), "1\u00a0minute");
  assert.equal(formatDuration(89_000, "en"), "89\u00a0seconds");
  assert.equal(formatDuration(5 * MINUTE, "en"), "5\u00a0minutes");
  assert.equal(formatDuration(90 * MINUTE, "en"), "90\u00a0minutes");
  assert.equal(formatDuration(HOUR, "en"), "1\u00a0hour");
  assert.equal(formatDuration(36 * HOUR, "en"), "36\u00a0hours");
  assert.equal(formatDuration(3 * DAY - 1000, "en"), "3\u00a0days");
  assert.equal(formatDuration(2 * DAY - 20 * MINUTE, "en"), "2\u00a0days");
  assert.equal(formatDuration(2 * HOUR - 20_000, "en"), "2\u00a0hours");
  assert.equal(formatDuration(2 * MINUTE - 400, "en"), "2\u00a0minutes");
  assert.equal(formatDuration(3 * DAY, "de"), "3\u00a0Tage");
  assert.equal(formatDuration(HOUR, "fr"), "1\u00a0heure");
});

test("numbers of things are in the singular or plural of a language", () => {
  assert.equal(counted(1200, "en", "file", "files"), "1,200\u00a0files");
  assert.equal(counted(0, "en", "file", "files"), "0\u00a0files");
  assert.equal(counted(0, "fr", "fichier", "fichiers"), "0\u00a0fichier");
  assert.equal(counted(1, "de", "Datei", "Dateien"), "1\u00a0Datei");
});

test("a name is split before its extension", () => {
  const cases: [string, string, string][] = [
    ["photo.jpg", "photo", ".jpg"],
    ["a.b.tar.gz", "a.b", ".tar.gz"],
    [".bashrc", ".bashrc", ""],
    ["README", "README", ""],
    ["ends with dot.", "ends with dot.", ""],
    ["Version 2. final text", "Version 2. final text", ""],
    ["", "_", ""],
  ];
  for (const [name, stem, extension] of cases) assert.deepEqual(splitName(name), { stem, extension });
});

test("invisible characters and bidirectional controls are removed from a name", () => {
  assert.deepEqual(splitName("invoice\u202egpj.exe"), { stem: "invoicegpj", extension: ".exe" });
  assert.deepEqual(splitName("a\u0000b\r\n\u2066c\u2069.t\u200bxt"), { stem: "abc", extension: ".txt" });
  assert.deepEqual(splitName("\ud800.txt"), { stem: "\ufffd", extension: ".txt" });
  assert.deepEqual(splitName("👩‍👩‍👧 family.png"), { stem: "👩‍👩‍👧 family", extension: ".png" });
});

test("a long name is shortened in the middle, never in its extension or in an emoji", () => {
  const { stem, extension } = shortenName(`${"👩‍👩‍👧".repeat(40)}end.jpeg`, 30);
  assert.equal(extension, ".jpeg");
  assert.match(stem, /^(👩‍👩‍👧){16}…(👩‍👩‍👧){5}end$/u);
  assert.deepEqual(shortenName("short.txt"), { stem: "short", extension: ".txt" });
});
