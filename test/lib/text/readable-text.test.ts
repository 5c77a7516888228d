import assert from "node:assert/strict";
import { test } from "node:test";
import { toReadableText } from "../../../src/lib/text/readable-text.ts";
import { encodeText } from "../../support/formats/encode-text.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** previews, "Documents": how the bytes of a text are read. */
test("a text is read as UTF-8, UTF-16 with a byte order mark, and other bytes as Windows-1252", () => {
  assert.equal(toReadableText(utf8("\ufeffGrüße 👋\r\nzwei\rdrei")), "Grüße 👋\nzwei\ndrei");
  assert.equal(toReadableText(Uint8Array.of(0xff, 0xfe, 0x41, 0, 0xfc, 0)), "Aü");
  assert.equal(toReadableText(Uint8Array.of(0xfe, 0xff, 0, 0x41)), "A");
  assert.equal(toReadableText(Uint8Array.of(0x47, 0x72, 0xfc, 0x80)), "Grü€");
  assert.equal(toReadableText(new Uint8Array()), "");
});

test("other encodings are read, and declared texts that are none", () => {
  assert.equal(toReadableText(encodeText("shift_jis", "これは日本語です。\r\n表")), "これは日本語です。\n表");
  assert.equal(toReadableText(encodeText("utf-16be", "Привет\r\n")), "Привет\n");
  assert.equal(toReadableText(Uint8Array.of(0x61, 0, 0x62)), "a␀b");
  assert.equal(toReadableText(Uint8Array.of(0, 0xff, 0x62)), "␀ÿb");
});

test("a character that is incomplete at the end is left out", () => {
  assert.equal(toReadableText(utf8("Grüße 👋").subarray(0, -2)), "Grüße ");
});

test("control characters and changes of direction are visible", () => {
  const text = "a\tb\n\u0000\u001b[31m\u007f\u0085 if (admin\u202e \u2066// then\u2069) אבג";
  assert.equal(toReadableText(utf8(text)), "a\tb\n␀␛[31m␡[U+0085] if (admin[U+202E] [U+2066]// then[U+2069]) אבג");
});
