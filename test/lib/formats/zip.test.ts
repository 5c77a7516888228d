import assert from "node:assert/strict";
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { createWriteStream, globSync } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import { crc32 } from "node:zlib";
import { crc32 as crc32OfBrowsers } from "../../../src/lib/formats/crc32.ts";
import { writeZip, type ZipMember, zipLength } from "../../../src/lib/formats/zip.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { LIST_STREAM_JAVA, LIST_STREAM_PYTHON } from "../../support/formats/zip-streams.ts";
import { longSkipped } from "../../support/long.ts";

interface Made {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly modifiedMs?: number;
  readonly isExecutable?: boolean;
  /** A file whose checksum is not known: stored by an earlier version, or not yet read. */
  readonly isUnknown?: boolean;
}

const CHANGED_MS = Date.UTC(2026, 6, 1, 2, 3, 5);
const text = (length: number, seed: string): Buffer => Buffer.from(seed.repeat(Math.ceil(length / seed.length)).slice(0, length));

const FILES: readonly Made[] = [
  { name: "a.txt", bytes: text(11, "hello"), modifiedMs: CHANGED_MS },
  { name: "empty", bytes: new Uint8Array(0), modifiedMs: CHANGED_MS },
  { name: "Größe – 文/b 😀.bin", bytes: text(200_001, "PK\x07\x08PK\x03\x04"), modifiedMs: CHANGED_MS },
  { name: "bin/run.sh", bytes: text(40, "#!/bin/sh\n"), modifiedMs: CHANGED_MS, isExecutable: true },
];

const toMember = ({ name, bytes, modifiedMs = CHANGED_MS, isExecutable = false, isUnknown = false }: Made): ZipMember => ({
  name,
  sizeBytes: bytes.length,
  crc32: isUnknown ? undefined : crc32(bytes),
  modifiedMs,
  isExecutable,
  async *read() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  },
});

async function zipOf(files: readonly Made[]): Promise<Buffer> {
  const members = files.map(toMember);
  const zip = Buffer.concat(await Array.fromAsync(writeZip(members, crc32)));
  assert.equal(zip.length, zipLength(members));
  return zip;
}

/** A program, and how it unpacks `a.zip` of its folder. The zone of its clock is behind UTC. */
interface Reader {
  readonly title: string;
  readonly command: readonly string[];
  /** Debian's package with it. */
  readonly package: string;
  readonly keepsTimes: boolean;
  readonly keepsPermissions: boolean;
}

const READERS: readonly Reader[] = [
  { title: "unzip", command: ["unzip", "-qq", "a.zip"], package: "unzip", keepsTimes: true, keepsPermissions: true },
  { title: "7-Zip", command: ["7zz", "x", "-bd", "a.zip"], package: "7zip", keepsTimes: true, keepsPermissions: true },
  { title: "bsdtar", command: ["bsdtar", "-xpf", "a.zip"], package: "libarchive-tools", keepsTimes: true, keepsPermissions: true },
  {
    title: "bsdtar from a pipe",
    command: ["sh", "-c", "cat a.zip | bsdtar -xf -"],
    package: "libarchive-tools",
    keepsTimes: true,
    keepsPermissions: false,
  },
  { title: "jar", command: ["jar", "xf", "a.zip"], package: "default-jdk-headless", keepsTimes: true, keepsPermissions: false },
  { title: "BusyBox", command: ["busybox", "unzip", "-q", "a.zip"], package: "busybox", keepsTimes: false, keepsPermissions: false },
  {
    title: "Python's zipfile",
    command: ["python3", "-m", "zipfile", "-e", "a.zip", "."],
    package: "python3",
    keepsTimes: false,
    keepsPermissions: false,
  },
];

/** Readers that read entries in order, and refuse one whose end they cannot find. */
const READ_STREAMS = ["bsdtar from a pipe", "jar"];

const run = (command: readonly string[], options: SpawnSyncOptions) => {
  const [program = "", ...args] = command;
  return spawnSync(program, args, { ...options, encoding: "utf8", env: { ...process.env, TZ: "America/New_York", LC_ALL: "C.UTF-8" } });
};
const missing = (program: string, of: string): string | false =>
  spawnSync("sh", ["-c", `command -v ${program}`]).status === 0 ? false : `${program} is not installed (Debian: ${of})`;
const [streamPython] = globSync(resolve(import.meta.dirname, "../../../.tools/stream-unzip-*/bin/python3"));
const pythonMissing = streamPython === undefined ? "stream-unzip is not installed (scripts/test installs it)" : false;

/** Reads the `a.zip` of a folder as a stream: name, size, CRC-32 and time of each entry. */
async function readByJava(cwd: string): Promise<string> {
  await writeFile(join(cwd, "Read.java"), LIST_STREAM_JAVA);
  const { status, stdout, stderr } = run(["java", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "Read.java", "a.zip"], { cwd });
  assert.equal(status, 0, String(stderr));
  return String(stdout);
}

const LONG = { skip: longSkipped, timeout: 600_000 };

/** archives, "Entries". */
describe("a ZIP", () => {
  let folder: TestFolder;
  before(async () => {
    folder = await makeFolder();
  });
  after(() => folder[Symbol.asyncDispose]());

  async function place(name: string, zip: Buffer): Promise<string> {
    const cwd = join(folder.path, name);
    await mkdir(cwd);
    await writeFile(join(cwd, "a.zip"), zip);
    return cwd;
  }

  for (const { title, command, package: needed, keepsTimes, keepsPermissions } of READERS) {
    const program = command.find((word) => /bsdtar/.test(word)) ? "bsdtar" : (command[0] ?? "");
    test(`is unpacked by ${title} in another time zone`, { skip: missing(program, needed) }, async () => {
      const cwd = await place(title, await zipOf(FILES));
      const { status, stdout, stderr } = run(command, { cwd });
      assert.equal(status, 0, `${stdout}${stderr}`);
      assert.deepEqual(globSync("**", { cwd, withFileTypes: true }).filter((entry) => entry.isFile()).length, FILES.length + 1);
      for (const { name, bytes, isExecutable = false } of FILES) {
        const path = join(cwd, name);
        assert.ok((await readFile(path)).equals(bytes), name);
        const { mtimeMs, mode } = await stat(path);
        if (keepsTimes) assert.equal(mtimeMs, CHANGED_MS, name);
        if (keepsPermissions) assert.equal((mode & 0o100) !== 0, isExecutable, name);
      }
    });
  }

  const listing = FILES.map(({ name, bytes }) => `${name}\t${bytes.length}\t${crc32(bytes)}`).join("\n");

  test("is read as a stream by Java's ZipInputStream", { skip: missing("java", "default-jdk-headless") }, async () => {
    const cwd = await place("java", await zipOf(FILES));
    assert.equal(
      await readByJava(cwd),
      FILES.map(({ name, bytes }) => `${name}\t${bytes.length}\t${crc32(bytes)}\t${CHANGED_MS}\n`).join(""),
    );
  });

  test("is read as a stream by Python's stream-unzip", { skip: pythonMissing }, async () => {
    const cwd = await place("python", await zipOf(FILES));
    const { status, stdout, stderr } = run([streamPython ?? "", "-c", LIST_STREAM_PYTHON], { cwd });
    assert.equal(status, 0, String(stderr));
    assert.equal(String(stdout).trim(), listing);
  });

  test("has the checksum and the sizes after the bytes of a file alone whose checksum is not known", async () => {
    const [known, unknown] = [
      { name: "k", bytes: text(5, "k") },
      { name: "u", bytes: text(6, "u"), isUnknown: true },
    ];
    const zip = await zipOf([known, unknown]);
    const heads = [0, zip.indexOf("PK\x03\x04", 4, "latin1")];
    assert.deepEqual(
      heads.map((at) => ({ flags: zip.readUInt16LE(at + 6), checksum: zip.readUInt32LE(at + 14), bytes: zip.readUInt32LE(at + 18) })),
      [
        { flags: 0x0800, checksum: crc32(known.bytes), bytes: 5 },
        { flags: 0x0808, checksum: 0, bytes: 0 },
      ],
    );
    const cwd = await place("unknown", zip);
    for (const { command, package: needed, title } of READERS)
      if (!READ_STREAMS.includes(title) && !missing(command[0] ?? "", needed)) {
        assert.equal(run(command, { cwd }).status, 0, title);
        for (const { name, bytes } of [known, unknown]) {
          assert.ok((await readFile(join(cwd, name))).equals(bytes), title);
          await rm(join(cwd, name));
        }
      }
  });

  test("stores a time that its fields cannot represent as the nearest one", { skip: missing("unzip", "unzip") }, async () => {
    const times = [-1, 0, Date.UTC(1979, 5, 1), Date.UTC(2040, 1, 29, 12), Date.UTC(2200, 1, 1), 8.64e15];
    const cwd = await place(
      "times",
      await zipOf(times.map((modifiedMs, index) => ({ name: `${index}`, bytes: text(1, "x"), modifiedMs }))),
    );
    assert.equal(run(["unzip", "-tqq", "a.zip"], { cwd }).status, 0);
  });

  test("with more than 65,535 files is listed by every reader", { skip: missing("unzip", "unzip") }, async () => {
    const files = Array.from({ length: 65_537 }, (_, index) => ({ name: `${index}`, bytes: new Uint8Array(0) }));
    const cwd = await place("many", await zipOf(files));
    const { stdout } = run(["zipinfo", "-t", "a.zip"], { cwd });
    assert.match(String(stdout), /^65537 files/);
    if (!missing("7zz", "7zip")) assert.match(String(run(["7zz", "t", "-bd", "a.zip"], { cwd }).stdout), /Files: 65537/);
    if (!pythonMissing)
      assert.equal(String(run([streamPython ?? "", "-c", LIST_STREAM_PYTHON], { cwd, maxBuffer: 16e6 }).stdout).split("\n").length, 65_538);
  });

  for (const isKnown of [true, false])
    test(`beyond 4 GiB is read by every reader, ${isKnown ? "with" : "without"} a known checksum`, LONG, async () => {
      const chunk = Buffer.alloc(1024 ** 2);
      const sizeBytes = 4097 * chunk.length;
      async function* read(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < sizeBytes; at += chunk.length) yield chunk;
      }
      let checksum = 0;
      for await (const bytes of read()) checksum = crc32(bytes, checksum);
      const members = [
        toMember({ name: "first", bytes: text(3, "a") }),
        { ...toMember({ name: "large", bytes: new Uint8Array(0) }), sizeBytes, crc32: isKnown ? checksum : undefined, read },
        toMember({ name: "last", bytes: text(3, "b") }),
      ];
      const cwd = join(folder.path, `large-${isKnown}`);
      await mkdir(cwd);
      await pipeline(Readable.from(writeZip(members, crc32)), createWriteStream(join(cwd, "a.zip")));
      assert.equal((await stat(join(cwd, "a.zip"))).size, zipLength(members));
      assert.equal(run(["unzip", "-tqq", "a.zip"], { cwd }).status, 0);
      if (!missing("7zz", "7zip")) assert.equal(run(["7zz", "t", "-bd", "a.zip"], { cwd }).status, 0);
      if (isKnown && !missing("java", "default-jdk-headless"))
        assert.match(await readByJava(cwd), new RegExp(`\nlarge\t${sizeBytes}\t${checksum}\t${CHANGED_MS}\nlast\t3\t`));
    });
});

test("the checksum of browsers is the one of the platform, at each length and alignment", () => {
  const bytes = text(70_000, "words of any kind\u0000\u00ff");
  for (const [start, end] of [...Array.from({ length: 40 }, (_, index) => [index % 9, index + 9] as const), [3, 70_000] as const]) {
    const part = bytes.subarray(start, end);
    const half = Math.floor(part.length / 2);
    assert.equal(crc32OfBrowsers(part), crc32(part));
    assert.equal(crc32OfBrowsers(part.subarray(half), crc32OfBrowsers(part.subarray(0, half))), crc32(part));
  }
});
