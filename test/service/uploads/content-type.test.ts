import assert from "node:assert/strict";
import { test } from "node:test";
import { detectContentType, SNIFF_BYTES } from "../../../src/service/uploads/content-type.ts";
import { encodeText } from "../../support/formats/encode-text.ts";

/** uploads, "Name and type"; pages, "Source code and keys are text". */

const bytesOf = (text: string) => new TextEncoder().encode(text);
const SOURCE = bytesOf("// Grüße\nexport const count = 42;\n");

/** Four packets of an MPEG transport stream. */
function mpegStream(): Uint8Array {
  const stream = new Uint8Array(4 * 188);
  for (let start = 0; start < stream.length; start += 188) stream.set([0x47, 0x40, 0x00, 0x10], start);
  return stream;
}

const ZIP = Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0, 0, 0, 0, 0, ...new Array(60).fill(0)]);
const OLE = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Array(600).fill(0)]);

for (const name of ["a.ts", "A.TS", "a.mts", "a.tsx", "a.rs", "a.key", "a.pub", "a.py", "a.go", "a.rb"]) {
  test(`detects ${name} as text, although lists of media types differ`, async () => {
    for (const declared of [
      undefined,
      null,
      "application/octet-stream",
      "video/mp2t",
      "application/vnd.apple.keynote",
      "application/x-ruby",
    ]) {
      assert.equal(await detectContentType(SOURCE, { declared, name }), "text/plain", String(declared));
    }
    assert.equal(await detectContentType(new Uint8Array(), { declared: undefined, name }), "text/plain");
    assert.equal(await detectContentType(SOURCE, { declared: "text/x-source; charset=utf-8", name }), "text/x-source");
  });
}

test("detects text with the signature of an MPEG stream as text by its name", async () => {
  const text = bytesOf(["G".padEnd(188, "x"), "G".padEnd(188, "y"), "G"].join(""));
  assert.equal(await detectContentType(text, { declared: undefined, name: "a.ts" }), "text/plain");
});

test("detects a real MPEG stream, Keynote or Publisher file from its bytes", async () => {
  assert.equal(await detectContentType(mpegStream(), { declared: "text/plain", name: "film.ts" }), "video/mp2t");
  assert.equal(await detectContentType(ZIP, { declared: undefined, name: "talk.key" }), "application/zip");
  assert.match(await detectContentType(OLE, { declared: undefined, name: "flyer.pub" }), /^application\/x-cfb$/);
  const unknown = Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(await detectContentType(unknown, { declared: undefined, name: "talk.key" }), "application/vnd.apple.keynote");
});

test("uses the declared type or the name for other files", async () => {
  assert.equal(await detectContentType(SOURCE, { declared: "video/mp4", name: "a.txt" }), "video/mp4");
  assert.equal(await detectContentType(SOURCE, { declared: undefined, name: "a.css" }), "text/css");
});

/** uploads, "Name and type". */
const TEXT_NAMES =
  "README Makefile LICENSE Dockerfile .env .gitignore .bashrc a.env a.diff a.patch a.kt a.ps1 a.nix a.swift a.gradle a.bat a.cmd a.org a.unknown app.env.dist";

test("detects text of which neither the sender nor the name says what it is", async () => {
  const texts = [SOURCE, bytesOf("BM and MZ are initials"), bytesOf("MZ\n"), bytesOf("solid ground\n"), bytesOf("plain"), new Uint8Array()];
  const encoded = ["windows-1251", "utf-16le", "utf-16be"].map((encoding) => encodeText(encoding, "Настройки программы\nимя=значение\n"));
  for (const name of TEXT_NAMES.split(" ")) {
    for (const declared of [
      undefined,
      null,
      "",
      "application/octet-stream",
      "binary/octet-stream",
      "application/x-www-form-urlencoded",
      "text/plain; charset=utf-8",
    ]) {
      for (const text of [...texts, ...encoded])
        assert.equal(await detectContentType(text, { declared, name }), "text/plain", `${declared} ${name} ${text}`);
    }
  }
});

test("detects text that begins with a byte order mark and is longer than the first bytes", async () => {
  for (const encoding of ["utf-16le", "utf-16be"]) {
    const text = encodeText(encoding, `\ufeff${"Zeile mit Grüßen\r\n".repeat(300)}`).subarray(0, SNIFF_BYTES);
    assert.equal(await detectContentType(text, { declared: undefined, name: "README" }), "text/plain");
  }
});

test("a file that is not text has an unknown type, also if it was declared as text", async () => {
  const unknown = Uint8Array.from({ length: 4100 }, (_, index) => (index * 37 + 11) & 0xff);
  for (const declared of [undefined, "application/octet-stream", "text/plain"]) {
    for (const bytes of [unknown, Uint8Array.of(0, 1, 2), bytesOf("text\0")])
      assert.equal(await detectContentType(bytes, { declared, name: "README" }), "application/octet-stream");
  }
});

test("text never becomes a page, an image or a script by what is in it", async () => {
  for (const text of ["<!doctype html><script>alert(1)</script>", "<svg onload='alert(1)'></svg>", "alert(1)", "#!/bin/sh\nrm x"])
    assert.equal(await detectContentType(bytesOf(text), { declared: undefined, name: "README" }), "text/plain");
});
