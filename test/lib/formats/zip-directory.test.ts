import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { writeZip } from "../../../src/lib/formats/zip.ts";
import { readZipDirectory, type ZipDirectory } from "../../../src/lib/formats/zip-directory.ts";

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
  return Buffer.concat(await Array.fromAsync(writeZip(members)));
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

  test("names that are not UTF-8 are read as Latin letters, and encrypted entries are marked", async () => {
    const zip = await zipOf(["a.txt"]);
    const header = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    zip.writeUInt16LE(1, header + 8);
    zip.writeUInt8(0xe9, header + 46);
    const { directory } = await list(zip);
    assert.deepEqual(directory?.entries[0], { name: "é.txt", sizeBytes: 3, isFolder: false, isEncrypted: true });
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
