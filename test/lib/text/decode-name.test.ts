import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeEncodedWords, decodeExtended, decodeName, decodePercentCodes } from "../../../src/lib/text/decode-name.ts";
import { encodeText } from "../../support/formats/encode-text.ts";

/** uploads, "Name and type": the encoding of names. */

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "windows-1252": [
    "Übersicht.txt",
    "Grüße.pdf",
    "é.txt",
    "résumé.doc",
    "Müller Straße 5.docx",
    "niño.png",
    "ação.pdf",
    "København.jpg",
    "Café – Menü.pdf",
    "ü.png",
  ],
  gb18030: [
    "你好.txt",
    "中文.txt",
    "报告.docx",
    "新建文本文档.txt",
    "照片.jpg",
    "图片1.png",
    "合同（最终版）.pdf",
    "简历_张三.doc",
    "截图.png",
  ],
  big5: ["中文.txt", "報告.docx", "新文字文件.txt", "說明.pdf"],
  shift_jis: ["日本語.txt", "メモ.txt", "写真.jpg", "議事録.docx", "請求書_2026.xlsx", "表.txt", "報告書（案）.doc", "ソース"],
  "euc-jp": ["日本語.txt", "メモ.txt", "ファイル.pdf"],
  "euc-kr": ["한글.txt", "회의록.docx", "사진.jpg", "새 폴더.zip", "이력서_홍길동.doc"],
  "windows-1251": ["Отчёт.txt", "Привет.txt", "Договор аренды.pdf", "фото.jpg", "Счёт №5.pdf", "ПРИМЕР.TXT"],
  "koi8-r": ["Привет.txt", "Документ.docx", "отчет.txt"],
};

/** Short names whose bytes are Chinese, Greek or Western in other encodings. */
const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  "windows-1252": ["ÄÖ.txt", "ÄÖÜ.txt", "äöü", "Ä.txt", "ÅÄÖ.pdf", "AÇÃO.TXT", "LIÇÕES.doc", "CORAÇÃO", "ñ.txt", "Þór.txt", "Sigríður.txt"],
  "windows-1250": [
    "Zażółć.txt",
    "Żółć.txt",
    "Gdańsk.txt",
    "Włochy.txt",
    "Święta.pdf",
    "Číslo.txt",
    "Řád.txt",
    "Dům.txt",
    "kůň.txt",
    "Győr",
  ],
  "iso-8859-2": ["Zażółć.txt", "Gdańsk.txt", "škola.txt", "Žena.txt", "žáci.txt", "Číslo.txt", "Příliš žluťoučký kůň.txt"],
};

test("a short name is not taken for one of another script", () => {
  for (const [encoding, names] of Object.entries(SHORT_NAMES))
    for (const name of names) assert.equal(decodeName(encodeText(encoding, name)), name, encoding);
});

/** For each locale, the encoding and how many percent of its names of countries and languages are read. */
const READ_PERCENT: readonly (readonly [locale: string, encoding: string, percent: number])[] = [
  ["de", "windows-1252", 100],
  ["fr", "windows-1252", 100],
  ["es", "windows-1252", 100],
  ["pt", "windows-1252", 100],
  ["sv", "windows-1252", 99],
  ["pl", "windows-1250", 99],
  ["pl", "iso-8859-2", 99],
  ["cs", "windows-1250", 96],
  ["cs", "iso-8859-2", 59],
  ["hu", "windows-1250", 99],
  ["ru", "windows-1251", 86],
  ["ru", "koi8-r", 95],
  ["zh-Hans", "gb18030", 78],
  ["zh-Hant", "big5", 58],
  ["ja", "shift_jis", 99],
  ["ja", "euc-jp", 98],
  ["ko", "euc-kr", 95],
];

test("most names of countries and languages are read in each encoding", () => {
  for (const [locale, encoding, percent] of READ_PERCENT) {
    const names = namesOfPlaces(locale).filter((name) => isIn(encoding, name));
    assert.ok(names.length > 30, `${locale}: ${names.length} names`);
    const read = names.filter((name) => decodeName(encodeText(encoding, `${name}.txt`)) === `${name}.txt`).length;
    assert.ok((100 * read) / names.length >= percent, `${locale} in ${encoding}: ${read} of ${names.length}`);
  }
});

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

function namesOfPlaces(locale: string): readonly string[] {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return (["region", "language"] as const).flatMap((type) => {
    const names = new Intl.DisplayNames(locale, { type, fallback: "none" });
    return codes.map((code) => names.of(type === "region" ? code : code.toLowerCase()) ?? "").filter((name) => /[^\0-\x7f]/.test(name));
  });
}

function isIn(encoding: string, name: string): boolean {
  try {
    return encodeText(encoding, name).length > 0;
  } catch {
    return false;
  }
}

test("a name in any usual encoding is readable", () => {
  for (const [encoding, names] of Object.entries(NAMES)) {
    for (const name of names) {
      const bytes = encodeText(encoding, name);
      assert.equal(decodeName(bytes), name, encoding);
      assert.equal(decodePercentCodes([...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")), name, encoding);
      assert.equal(decodeName(new TextEncoder().encode(name)), name);
    }
  }
});

test("what is no percent code stays as it is", () => {
  assert.equal(decodePercentCodes("100%.txt"), "100%.txt");
  assert.equal(decodePercentCodes("a%20b%zz ä%C3%A4"), "a b%zz ää");
});

test("an extended parameter has the encoding that it declares", () => {
  assert.equal(decodeExtended("UTF-8''%e6%97%a5%20a.txt"), "日 a.txt");
  assert.equal(decodeExtended("utf-8'en'%FCber.txt"), "über.txt", "declared wrongly");
  assert.equal(decodeExtended("GBK''%C4%E3%BA%C3.txt"), "你好.txt");
  assert.equal(decodeExtended("windows-1251''%CF%F0%E8%E2%E5%F2.txt"), "Привет.txt");
  for (const value of ["utf-8''%zz", "utf-7''x", "x", "utf-8'x", ""]) assert.equal(decodeExtended(value), undefined, value);
});

test("encoded words of mail headers are decoded, wherever they are in a name", () => {
  const words: readonly (readonly [sent: string, name: string])[] = [
    ["=?utf-8?B?w5xiZXJzaWNodC50eHQ=?=", "Übersicht.txt"],
    ["=?UTF-8?Q?=C3=9Cber_uns.txt?=", "Über uns.txt"],
    ["=?utf-8?b?5pel5pys?=.txt", "日本.txt"],
    ["=?iso-8859-1?q?caf=E9.pdf?=", "café.pdf"],
    ["=?gb2312?B?xOO6ww==?=.txt", "你好.txt"],
    ["=?utf-8*en?Q?a=3Fb?=", "a?b"],
    ["=?utf-8?B?5pel?= =?utf-8?B?5pys?=", "日本"],
    ["=?utf-8?B?5pel5g==?=\r\n =?utf-8?B?nKw=?=", "日本"],
    ["Re =?utf-8?Q?=C3=A4?= and =?koi8-r?Q?=D0?=", "Re ä and п"],
    ["=?no-charset?Q?a?=", "=?no-charset?Q?a?="],
    ["=?utf-8?B?/w==?=", "=?utf-8?B?/w==?="],
    ["=?utf-8?X?a?=", "=?utf-8?X?a?="],
    ["a=?b?=c", "a=?b?=c"],
  ];
  for (const [sent, name] of words) assert.equal(decodeEncodedWords(sent), name);
});

test("many encoded words are decoded in linear time, and malformed ones stay as they are", () => {
  assert.equal(decodeEncodedWords("=?utf-8?q?a?= ".repeat(5_000)), `${"a".repeat(5_000)} `);
  for (const text of ["=?a?q?".repeat(10_000), `=?${"a".repeat(50_000)}`]) assert.equal(decodeEncodedWords(text), text);
});
