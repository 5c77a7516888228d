import assert from "node:assert/strict";
import { test } from "node:test";
import { detectContentType } from "../../../src/service/uploads/content-type.ts";

/** pages, "Source code and keys are text": the media type of source code and keys. */

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
  assert.equal(await detectContentType(SOURCE, { declared: undefined, name: "README" }), "application/octet-stream");
});
