import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parsePartHead } from "../../../src/http/reading/form-part.ts";
import { encodeText } from "../../support/formats/encode-text.ts";

const parse = (head: string) => parsePartHead(Buffer.from(head));
const disposition = (parameters: string) => parse(`Content-Disposition: form-data; ${parameters}`);

describe("the head of a form's part", () => {
  test("has the names as browsers, curl and others write them", () => {
    const names: readonly (readonly [written: string, name: string])[] = [
      ['filename="a.txt"', "a.txt"],
      ["filename=a.txt", "a.txt"],
      ['filename=""', ""],
      ['filename="日本語.txt"', "日本語.txt"],
      ['filename="a;b=c.txt"', "a;b=c.txt"],
      ['filename="say %22hi%22.txt"', "say %22hi%22.txt"],
      ['filename="say \\"hi\\".txt"', 'say "hi".txt'],
      ['filename="a\\\\b.txt"', "a\\b.txt"],
      ['filename="C:\\dir\\a.txt"', "C:\\dir\\a.txt"],
      ['filename="a\\"', "a\\"],
      ['filename="folder/a.txt"', "folder/a.txt"],
      ["filename*=UTF-8''%e6%97%a5%20a.txt", "日 a.txt"],
      ["filename*=iso-8859-1'de'%fc.txt", "ü.txt"],
      ["filename=\"x\"; filename*=utf-8''y", "y"],
      ['filename = "a.txt" ;', "a.txt"],
    ];
    for (const [written, name] of names) assert.equal(disposition(`name="file"; ${written}`)?.fileName, name, written);
    assert.deepEqual(parse('content-disposition:form-data;NAME=a\r\nCONTENT-TYPE: Text/HTML; charset="utf-8"\r\nX-Other: y'), {
      field: "a",
      fileName: undefined,
      type: "text/html",
      charset: "utf-8",
    });
    assert.equal(parse('Content-Disposition: form-data;\r\n name="a";\r\n\tfilename="b"')?.fileName, "b");
  });

  test("has names whose bytes are not UTF-8, also where these are quotes, backslashes or spaces of ASCII", () => {
    for (const [encoding, name] of [
      ["windows-1252", "Übersicht.txt"],
      ["windows-1252", "voilà"],
      ["gb18030", "你好.txt"],
      ["shift_jis", "表.txt"],
      ["shift_jis", "ソース表"],
      ["big5", "許多檔案.txt"],
      ["euc-kr", "회의록.docx"],
      ["windows-1251", "Отчёт.txt"],
    ] as const) {
      for (const [before, after] of [
        ['"', '"'],
        ["", ""],
      ] as const) {
        const head = Buffer.concat([
          Buffer.from(`Content-Disposition: form-data; name="file"; filename=${before}`),
          encodeText(encoding, name),
          Buffer.from(after),
        ]);
        assert.equal(parsePartHead(head)?.fileName, name, `${encoding} ${name}`);
      }
    }
    assert.equal(disposition('name="file"; filename=à')?.fileName, "à");
    assert.equal(disposition("name=\"file\"; filename*=gbk''%C4%E3%BA%C3.txt")?.fileName, "你好.txt");
  });

  test("is rejected without a name, and if it is malformed", () => {
    for (const head of [
      "",
      "Content-Type: text/plain",
      "Content-Disposition: form-data",
      'Content-Disposition: form-data; filename="a"',
      'Content-Disposition: form-data; name=""',
      'Content-Disposition: attachment; name="a"',
      'Content-Disposition: ; name="a"',
      'Content-Disposition: form-data; name="a"; name="b"',
      'Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"',
      'Content-Disposition: form-data; name="a',
      'Content-Disposition: form-data; name="a"b',
      "Content-Disposition: form-data; name",
      "Content-Disposition: form-data; =x",
      'Content-Disposition: form-data; name="a\0b"',
      'Content-Disposition: form-data; name="a\nb"',
      'Content-Disposition: form-data; name="a\rb"',
      'Content-Disposition: form-data; name="a"\nContent-Type: text/plain',
      'Content-Disposition form-data; name="a"',
      ': x\r\nContent-Disposition: form-data; name="a"',
      '\0: x\r\nContent-Disposition: form-data; name="a"',
      "Content-Disposition: form-data; name=\"a\"; filename*=utf-8''%zz",
      "Content-Disposition: form-data; name=\"a\"; filename*=utf-7''x",
      'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64',
    ])
      assert.equal(parse(head), undefined, JSON.stringify(head));
  });

  test("is rejected in linear time if it is long and malformed", () => {
    for (const text of ['"\\'.repeat(8000), "; ".repeat(8000), "a=".repeat(8000), " \t".repeat(8000), '\\"'.repeat(8000)]) {
      for (const head of [`Content-Disposition: form-data; name="${text}`, `Content-Disposition: form-data; ${text}`, text])
        assert.equal(parse(head), undefined, head.slice(0, 60));
    }
  });
});
