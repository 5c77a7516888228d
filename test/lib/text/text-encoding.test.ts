import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { decodeBytes, findTextEncoding } from "../../../src/lib/text/text-encoding.ts";
import { encodeText } from "../../support/formats/encode-text.ts";

/** previews, "Documents": the encoding of texts. uploads, "Name and type": which bytes are text. */

const JAPANESE = [
  "これは日本語のテキストです。\n文字コードを試しています。\n",
  "日付,名前,金額\n2026/01/05,山田太郎,12000\n2026/01/06,鈴木花子,3400\n",
  "// 設定を読み込む\nint main(void) {\n  return 0;\n}\n",
  "こんにちは世界",
  "会議の議事録（案）\r\n出席者：田中、佐藤\r\n",
];
const SIMPLIFIED = [
  "这是一个简体中文文本文件。\n",
  "姓名,年龄,城市\n张三,30,北京\n",
  "你好，世界",
  "# 读取配置文件\nx = 1\n",
  "说明：请先阅读本文件，再安装软件。",
];
const TRADITIONAL = ["這是一個繁體中文文字檔案。\n", "姓名,年齡,城市\n王小明,30,臺北\n", "你好，世界", "說明：請先閱讀本檔案。"];
const KOREAN = ["이것은 한국어 텍스트 파일입니다.\n", "이름,나이,도시\n홍길동,30,서울\n", "안녕하세요 세계", "# 설정 파일을 읽습니다\n"];
const RUSSIAN = [
  "Это обычный русский текст.\nВторая строка.\n",
  "Имя;Возраст;Город\nИван;30;Москва\n",
  "Привет, мир!",
  "// загрузить настройки\nint x = 1;\n",
  "ПРИВЕТ ВСЕМ, КТО ЧИТАЕТ ЭТО\n",
];
const WESTERN = [
  "Grüße aus München, schöne Straße.\n",
  "größe = 5 # äöü\n",
  "Voilà un texte : « été », déjà vu, ça va ?\n",
  "L’été – “déjà” à 5 €\n",
  "El niño comió mañana en España. ¿Qué pasó?\n",
  "São Paulo, ação e coração\n",
  "Blåbærsyltetøj på øen\n",
];
const CASES: Readonly<Record<string, readonly string[]>> = {
  shift_jis: JAPANESE,
  "euc-jp": JAPANESE,
  gb18030: SIMPLIFIED,
  big5: TRADITIONAL,
  "euc-kr": KOREAN,
  "windows-1251": RUSSIAN,
  "koi8-r": RUSSIAN,
  ibm866: RUSSIAN,
  "windows-1252": WESTERN,
  "windows-1250": ["Zażółć gęślą jaźń. To jest tekst z ogonkami.\n", "Příliš žluťoučký kůň úpěl ďábelské ódy.\n"],
  "iso-8859-2": [
    "Příliš žluťoučký kůň úpěl ďábelské ódy.\nToto je český text, který má další řádek.\n",
    "Stručný přehled všech změn\n",
    "Zażółć gęślą jaźń. To jest tekst z ogonkami.\n",
    "Ez egy magyar szöveg, őrült tűzzel.\n",
  ],
  "iso-8859-5": ["Это обычный русский текст.\nВторая строка.\n"],
  "windows-1253": ["Αυτό είναι ένα ελληνικό κείμενο.\n"],
  "windows-874": ["สวัสดีครับ ผมชื่อสมชาย\n", "ประเทศไทยเป็นประเทศที่ตั้งอยู่ในเอเชียตะวันออกเฉียงใต้ 2020\n"],
  "iso-8859-6": ["مرحبا بالعالم هذا نص عربي\n"],
  macintosh: ["Größe und Übung für Straße\n", "Le café est fermé à Noël, où êtes-vous ?\n"],
  "utf-16le": [...JAPANESE, ...SIMPLIFIED, ...KOREAN, ...RUSSIAN, ...WESTERN, "plain text\r\n"],
  "utf-16be": [...JAPANESE, ...SIMPLIFIED, ...KOREAN, ...RUSSIAN, ...WESTERN, "plain text\r\n"],
};

for (const [encoding, texts] of Object.entries(CASES)) {
  test(`texts in ${encoding} are recognized, long and short, also with a cut character`, () => {
    for (const text of texts) {
      const bytes = encodeText(encoding, text);
      assert.equal(decodeBytes(findTextEncoding(bytes) ?? "", bytes), text);
      const many = encodeText(encoding, text.padEnd(text.length + 1, "\n").repeat(300));
      const found = findTextEncoding(many.subarray(0, encoding.startsWith("utf-16") ? 4100 : 4101));
      assert.equal(decodeBytes(found ?? "", bytes), text);
    }
  });
}

test("texts with a byte order mark, and in ISO-2022-JP, are recognized by their first bytes and escapes", () => {
  for (const encoding of ["utf-16le", "utf-16be"]) assert.equal(findTextEncoding(encodeText(encoding, "\ufeffקצת תוכן")), encoding);
  assert.equal(findTextEncoding(new TextEncoder().encode("\ufeffа")), "utf-8");
  for (const [encoding, isLittleEndian] of [
    ["utf-32le", true],
    ["utf-32be", false],
  ] as const) {
    const text = "Grüße\n日本 👩";
    const view = new DataView(new ArrayBuffer(4 * [..."\ufeff", ...text].length));
    for (const [index, character] of [..."\ufeff", ...text].entries())
      view.setUint32(4 * index, character.codePointAt(0) ?? 0, isLittleEndian);
    const bytes = new Uint8Array(view.buffer);
    assert.equal(findTextEncoding(bytes), encoding);
    assert.equal(decodeBytes(encoding, bytes), text);
    assert.equal(decodeBytes(encoding, bytes.subarray(0, -2)), "Grüße\n日本 ", "the end cuts a character");
    view.setUint32(4, 0xffffffff);
    assert.equal(findTextEncoding(bytes), undefined, "a code that no character has");
  }
  const japanese = Buffer.from("\u001b$BF|K\\8l\u001b(B text\n", "latin1");
  assert.equal(decodeBytes(findTextEncoding(japanese) ?? "", japanese), "日本語 text\n");
});

test("a program of ASCII is recognized by its few other lines", () => {
  const program = `${"int x = 1;\n".repeat(1000)}// Настройки программы\n`;
  assert.equal(findTextEncoding(encodeText("windows-1251", program)), "windows-1251");
  assert.equal(findTextEncoding(new TextEncoder().encode(program)), "utf-8");
});

test("a text of ASCII with one letter at its end is not UTF-8", () => {
  const bytes = encodeText("windows-1252", "Fyllnadsnivå");
  assert.equal(decodeBytes(findTextEncoding(bytes) ?? "", bytes), "Fyllnadsnivå");
});

test("bytes of other files are no text", () => {
  const random = (length: number, seed: number): Buffer =>
    Buffer.concat(
      Array.from({ length: Math.ceil(length / 64) }, (_, index) => createHash("sha512").update(`${seed} ${index}`).digest()),
    ).subarray(0, length);
  for (let seed = 0; seed < 20; seed += 1) {
    assert.equal(findTextEncoding(random(4100, seed)), undefined);
    assert.equal(findTextEncoding(random(200, seed)), undefined);
    assert.equal(findTextEncoding(random(500, seed).map((byte) => byte | 0x80)), undefined);
  }
  for (const bytes of [
    gzipSync("some text"),
    Uint8Array.of(0, 1, 2),
    Uint8Array.from({ length: 256 }, (_, index) => index),
    new Uint8Array(100),
    Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1),
    Buffer.from("text and \0 a zero byte"),
    new Uint8Array(Float32Array.of(1.5, 2.25, -3.5).buffer),
    new Uint8Array(Int16Array.from({ length: 500 }, (_, index) => Math.round(9000 * Math.sin(index / 9))).buffer),
  ])
    assert.equal(findTextEncoding(bytes), undefined, String(bytes));
});
