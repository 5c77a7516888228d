import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import { writeZip } from "../../../src/lib/formats/zip.ts";
import { readZipDirectory, type ZipDirectory } from "../../../src/lib/formats/zip-directory.ts";
import { encodeText } from "../../support/formats/encode-text.ts";

/** The extended timestamp of an entry. */
const TIME_BYTES = 9;
const LIMITS = { maxEntries: 1_000, maxBytes: 1024 ** 2 };

async function zipOf(names: readonly string[]): Promise<Buffer> {
  const members = names.map((name) => ({
    name,
    sizeBytes: 3,
    crc32: undefined,
    modifiedMs: 0,
    isExecutable: false,
    async *read() {
      yield Buffer.from("abc");
    },
  }));
  return Buffer.concat(await Array.fromAsync(writeZip(members, crc32)));
}

interface StoredEntry {
  readonly name: Uint8Array;
  readonly flags?: number;
  readonly extra?: Buffer;
}

/** The directory of an archive whose entries are missing, with names as they are. */
function zipOfStored(entries: readonly StoredEntry[]): Buffer {
  const headers = entries.map(({ name, flags = 0, extra = Buffer.alloc(0) }) => {
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(flags, 8);
    header.writeUInt32LE(3, 24);
    header.writeUInt16LE(name.length, 28);
    header.writeUInt16LE(extra.length, 30);
    return Buffer.concat([header, name, extra]);
  });
  const directory = Buffer.concat(headers);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  return Buffer.concat([directory, end]);
}

const CODE_PAGES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  cp437: { ü: 0x81, é: 0x82, Ü: 0x9a, ß: 0xe1, ö: 0x94, "½": 0xab },
  cp850: { ã: 0xc6, Á: 0xb5, É: 0x90 },
};

function encodeName(encoding: string, name: string): Uint8Array {
  const page = CODE_PAGES[encoding];
  if (encoding === "utf-8") return Buffer.from(name);
  return page === undefined
    ? encodeText(encoding, name)
    : Uint8Array.from([...name].map((character) => page[character] ?? character.charCodeAt(0)));
}

/** Info-ZIP's Unicode Path field, of the entry whose other name is `checked`. */
function unicodePath(checked: Buffer, name: string): Buffer {
  const path = Buffer.from(name);
  const head = Buffer.alloc(9);
  head.writeUInt16LE(0x7075, 0);
  head.writeUInt16LE(5 + path.length, 2);
  head.writeUInt8(1, 4);
  head.writeUInt32LE(crc32(checked), 5);
  return Buffer.concat([head, path]);
}

/** Lists an archive, and checks that no read leaves it; resolves also to the number of bytes that were read. */
async function list(zip: Buffer, limits = LIMITS): Promise<{ readonly directory: ZipDirectory | undefined; readonly readBytes: number }> {
  let readBytes = 0;
  const read = async (start: number, end: number): Promise<Buffer> => {
    assert.ok(start >= 0 && start <= end && end <= zip.length, `${start}-${end} of ${zip.length}`);
    readBytes += end - start;
    return zip.subarray(start, end);
  };
  const directory = await readZipDirectory(read, { archiveBytes: zip.length, ...limits });
  return { directory, readBytes };
}

/** previews, "Documents": the list of a ZIP's entries. */
describe("the directory of a ZIP", () => {
  test("lists names and sizes as they are in the archive", async () => {
    const names = ["a.txt", "../../x", "ünï/b.txt", "<img src=x onerror=alert(1)>", "empty/"];
    const { directory } = await list(await zipOf(names));
    assert.deepEqual(
      directory?.entries.map(({ name }) => name),
      names,
    );
    assert.deepEqual(directory?.entries[0], { name: "a.txt", sizeBytes: 3, isFolder: false, isEncrypted: false });
    assert.equal(directory?.entries[4]?.isFolder, true);
  });

  test("reads the first thousand of 70,000 entries and a bounded part of the directory", async () => {
    const zip = await zipOf(Array.from({ length: 70_000 }, (_, index) => `file-${index}.txt`));
    const { directory, readBytes } = await list(zip);
    assert.deepEqual([directory?.count, directory?.entries.length, directory?.entries[999]?.name], [70_000, 1_000, "file-999.txt"]);
    assert.ok(readBytes < 1.2 * 1024 ** 2, String(readBytes));
  });

  test("an archive without entries has an empty list", async () => {
    assert.deepEqual((await list(await zipOf([]))).directory, { entries: [], count: 0 });
  });

  test("encrypted entries are marked", async () => {
    const { directory } = await list(zipOfStored([{ name: Buffer.from("a.txt"), flags: 1 }]));
    assert.deepEqual(directory?.entries, [{ name: "a.txt", sizeBytes: 3, isFolder: false, isEncrypted: true }]);
  });

  test("names that do not say that they are UTF-8 have the encoding of the program that wrote them", async () => {
    const archives: readonly (readonly [encoding: string, names: readonly string[]])[] = [
      ["cp437", ["Übersicht.txt", "Grüße/", "Größe ½.txt"]],
      ["cp437", ["é.txt"]],
      ["cp437", ["résumé.doc"]],
      ["cp850", ["São João.txt", "ÁÉ.txt"]],
      ["shift_jis", ["写真/表/", "メモ.txt", "a.txt"]],
      ["gb18030", ["新建文件夹/", "图片1.png", "报告.docx"]],
      ["gb18030", ["图片1.png"]],
      ["big5", ["新文字文件.txt", "報告.docx"]],
      ["euc-kr", ["새 폴더/사진.jpg"]],
      ["ibm866", ["Новая папка/отчет.txt", "фото.jpg"]],
      ["utf-8", ["Über/日本語.txt"]],
    ];
    for (const [encoding, names] of archives) {
      const { directory } = await list(zipOfStored(names.map((name) => ({ name: encodeName(encoding, name) }))));
      assert.deepEqual(
        directory?.entries.map(({ name }) => name),
        names,
        encoding,
      );
      assert.deepEqual(
        directory?.entries.map(({ isFolder }) => isFolder),
        names.map((name) => name.endsWith("/")),
      );
    }
    const nothing = Buffer.from([0xf9, 0x9d, 0x81]);
    assert.equal((await list(zipOfStored([{ name: nothing }]))).directory?.entries[0]?.name, "∙¥ü", "code page 437, the format's own");
  });

  test("a name that is declared to be UTF-8, or has a field for it, does not depend on the others", async () => {
    const other = { name: encodeName("shift_jis", "メモ.txt") };
    const declared = { name: Buffer.from("ñandú 图.txt"), flags: 1 << 11 };
    const withField = (checked: Buffer) => ({ name: Buffer.from("_.txt"), extra: unicodePath(checked, "Ω日本.txt") });
    const namesOf = async (entries: readonly StoredEntry[]) =>
      (await list(zipOfStored(entries))).directory?.entries.map(({ name }) => name);
    assert.deepEqual(await namesOf([other, declared, withField(Buffer.from("_.txt"))]), ["メモ.txt", "ñandú 图.txt", "Ω日本.txt"]);
    assert.deepEqual(await namesOf([withField(Buffer.from("renamed"))]), ["_.txt"], "the field of another name");
    assert.deepEqual(await namesOf([{ ...other, flags: 1 << 11 }]), ["メモ.txt"], "declared wrongly");
    for (const extra of [Buffer.from([0x75, 0x70, 9, 0, 1]), Buffer.from([0x75, 0x70, 2, 0, 1, 0]), Buffer.from([0x75])])
      assert.deepEqual(await namesOf([{ name: Buffer.from("a"), extra }]), ["a"]);
  });

  test("an archive of a huge file has the size of its Zip64 field", async () => {
    const zip = await zipOf(["a"]);
    const header = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    const entry = zip.subarray(header, header + 47);
    entry.writeUInt32LE(0xffffffff, 24);
    entry.writeUInt16LE(12, 30);
    const extra = Buffer.alloc(12);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(5_000_000_000n, 4);
    const end = Buffer.from(zip.subarray(header + 47 + TIME_BYTES));
    end.writeUInt32LE(47 + 12, 12);
    const { directory } = await list(Buffer.concat([zip.subarray(0, header), entry, extra, end]));
    assert.equal(directory?.entries[0]?.sizeBytes, 5_000_000_000);
  });

  test("a damaged archive has no list, whichever byte of its end or directory is wrong or missing", async () => {
    const zip = await zipOf(["a.txt", "b.txt"]);
    const header = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    assert.equal((await list(Buffer.from("no archive"))).directory, undefined);
    for (let length = header; length < zip.length; length += 1) assert.equal((await list(zip.subarray(0, length))).directory, undefined);
    for (let at = header; at < zip.length; at += 1) {
      for (const value of [0x00, 0x7f, 0xff]) {
        const damaged = Buffer.from(zip);
        damaged[at] = value;
        await list(damaged);
      }
    }
  });
});
