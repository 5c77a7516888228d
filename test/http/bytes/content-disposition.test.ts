import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "content-disposition";
import { contentDisposition } from "../../../src/http/bytes/content-disposition.ts";

const asciiOf = (header: string): string => parse(header, { extended: false }).parameters.filename ?? "";

/** downloads, "Signed URLs". */
test("a name is accompanied by an ASCII name that is safe in shells and file systems", async () => {
  const names = [
    ["report 1 (final).pdf", "report 1 (final).pdf"],
    ["Ä.txt", "A.txt"],
    ["Ö.txt", "O.txt"],
    ["Straße.txt", "Strasse.txt"],
    ["naïve résumé.doc", "naive resume.doc"],
    ["日本.pdf", "RiBen.pdf"],
    ["Привет мир.txt", "Privet mir.txt"],
    ['say "hi".txt', "say _hi_.txt"],
    ["a/b\\c:d*e?.txt", "a_b_c_d_e_.txt"],
    ["$(rm x); `y` & 'z'!#~.txt", "_(rm x)_ _y_ _ _z____.txt"],
    ["-rf", "_rf"],
    ["..", "__"],
    ["dots. .", "dots___"],
    ["CON.txt", "_CON.txt"],
    ["a\u0001b.txt", "a_b.txt"],
  ] as const;
  for (const [name, ascii] of names) {
    const header = await contentDisposition(name, "attachment");
    assert.match(header, /^[\x20-\x7e]+$/, name);
    assert.equal(parse(header).parameters.filename, name);
    assert.equal(asciiOf(header), ascii);
    assert.equal(await contentDisposition(name, "attachment"), header);
    assert.ok((await contentDisposition(name, "inline")).startsWith("inline; filename="));
  }
});

test("a name of 255 bytes is 255 bytes in ASCII at most", async () => {
  for (const letter of ["n", "ä", "長"]) {
    const name = `${letter.repeat(Math.floor(251 / Buffer.byteLength(letter)))}.txt`;
    const ascii = asciiOf(await contentDisposition(name, "attachment"));
    assert.ok(ascii.length <= 255 && ascii.endsWith(".txt"), ascii);
  }
});
