import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { readFile, rm, stat, truncate } from "node:fs/promises";
import { join as joinPath } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import { crc32 } from "node:zlib";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { unzipMissing } from "../../support/formats/unzip.ts";
import { longSkipped } from "../../support/long.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import {
  type ApiResponse,
  assertRefused,
  authorize,
  call,
  clientOf,
  deleteFile,
  getShare,
  signedUrl,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { eventsOf } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings } from "../support/shares/shares.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { complete, init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

/** downloads, "Archives"; archives, "Names of the entries". */
describeUnless(unzipMissing, "an archive", () => {
  let server: ServerWith<"owner">;
  let folder: TestFolder;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
    folder = await makeFolder();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const add = (name: string, bytes: string | Uint8Array<ArrayBuffer>, fields: Record<string, string>): Promise<Upload> =>
    putFile(server, `/${encodeURIComponent(name)}?${new URLSearchParams(fields)}`, bytes, server.owner.key);
  const open = (name: string, bytes: string | Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}): Promise<Upload> =>
    add(name, bytes, { openShare: "true", ...fields });
  const ask = (shortId: string, query = ""): Promise<ApiResponse> => call(server, "GET", `/api/files/share/${shortId}/archive${query}`);
  const urlOf = async (shortId: string): Promise<string> => {
    const { success, url, ...rest } = await clientOf(server).call("authorizeArchive", { shortId });
    assert.deepEqual({ success, rest }, { success: true, rest: {} });
    return url;
  };
  const counts = (shortId: string) =>
    withDatabase(server, async (db) =>
      (await db.selectFrom("files").select("download_count").where("short_id", "=", shortId).orderBy("created_at").execute()).map(
        (row) => row.download_count,
      ),
    );

  /** Downloads the archive, checks its declared length and tests it with unzip; resolves to its path. */
  async function fetchArchive(url: string, name = "a.zip"): Promise<{ path: string; response: Response }> {
    const path = joinPath(folder.path, name);
    const head = await fetch(url, { method: "HEAD" });
    assert.equal(head.status, 200);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.ok(response.body);
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path));
    assert.equal((await stat(path)).size, Number(head.headers.get("content-length")));
    const tested = spawnSync("unzip", ["-tqq", path], { encoding: "utf8" });
    assert.equal(tested.status, 0, tested.stdout + tested.stderr);
    return { path, response };
  }
  const namesIn = (path: string): string[] => spawnSync("unzip", ["-Z1", path], { encoding: "utf8" }).stdout.trim().split("\n");
  const memberOf = (path: string, name: string): Buffer => spawnSync("unzip", ["-p", path, name], { maxBuffer: 64 * MB }).stdout;

  test("contains every file of the share under its path and a unique name", async () => {
    const first = await open("note.txt", "one");
    const join = (name: string, bytes: string, relativePath?: string) =>
      add(name, bytes, { shareShortId: first.shortId, ...(relativePath !== undefined && { relativePath }) });
    await join("note.txt", "two");
    await join("NOTE.txt", "three");
    await join("x.txt", "four", "docs/deep/note.txt");
    await join("docs", "five");
    await join("größe – 文.txt", "six");
    await join("empty", "");
    const { path, response } = await fetchArchive(await urlOf(first.shortId));
    const names = namesIn(path);
    assert.equal(names.length, 7);
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, 7);
    assert.ok(names.includes("note.txt") && names.includes("note (2).txt") && names.includes("docs/deep/note.txt"), names.join());
    assert.ok(!names.includes("docs"), "a file has the name of a folder");
    assert.equal(memberOf(path, "note.txt").toString(), "one");
    assert.equal(memberOf(path, "note (2).txt").toString(), "two");
    assert.equal(memberOf(path, "docs/deep/note.txt").toString(), "four");
    assert.equal(response.headers.get("content-type"), "application/zip");
    assert.match(
      response.headers.get("content-disposition") ?? "",
      /^attachment; filename="note and 6 more-\w+\.zip"; filename\*=UTF-8''\S+\.zip$/,
    );
    assert.equal(response.headers.get("cache-control"), "private, no-store");
    assert.match(response.headers.get("content-security-policy") ?? "", /sandbox/);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.match(response.headers.get("x-robots-tag") ?? "", /noindex/);
    assert.equal(response.headers.get("content-length"), String((await stat(path)).size));
  });

  /** archives, "Entries". */
  test("has the checksum, the sizes and the time of each file before its bytes, however it was sent", async () => {
    const { key } = server.owner;
    const [large, small] = [someBytes(6 * MB), someBytes(70_000, 2)];
    const { shortId } = await open("direct.bin", small);
    const join = { shareShortId: shortId };
    await upload(server, { bytes: "form", name: "form.txt", fields: join }, { key });
    await postBatch(server, join, [{ relativePath: "batch.txt", bytes: "batch" }, { relativePath: "empty" }], { key });
    const inParts = async (fileName: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
      const session = await init(server, { fileName, fileSize: bytes.length, partSize: 5 * MB, ...join }, { key });
      await sendParts(server, session, bytes, { key });
      await complete(server, session, {}, { key });
    };
    await inParts("part.bin", small);
    await inParts("parts.bin", large);
    await until("all digests are known", async () => (await getShare(server, shortId)).files?.every(({ sha256 }) => sha256 !== null));
    const { path } = await fetchArchive(await urlOf(shortId));
    const heads = readHeads(await readFile(path));
    const bytesOf: Readonly<Record<string, Uint8Array | string>> = {
      "direct.bin": small,
      "form.txt": "form",
      "batch.txt": "batch",
      empty: "",
      "part.bin": small,
      "parts.bin": large,
    };
    assert.deepEqual(
      new Map(heads.map(({ name, checksum, sizeBytes }) => [name, { checksum, sizeBytes }])),
      new Map(Object.entries(bytesOf).map(([name, bytes]) => [name, { checksum: crc32(bytes), sizeBytes: bytes.length }])),
    );
    for (const { name, flags, changedMs } of heads) {
      assert.equal(flags, 0x0800, name);
      assert.ok(Math.abs(changedMs - Date.now()) < 600_000, name);
    }
  });

  test("contains files that were stored before checksums existed", async () => {
    const first = await open("old.txt", "stored earlier");
    await add("new.txt", "stored now", { shareShortId: first.shortId });
    await withDatabase(server, (db) => db.updateTable("files").set({ crc32: null }).where("id", "=", first.id).execute());
    const { path } = await fetchArchive(await urlOf(first.shortId));
    assert.equal(memberOf(path, "old.txt").toString(), "stored earlier");
    assert.equal(memberOf(path, "new.txt").toString(), "stored now");
  });

  /** archives, "Names of the archives". */
  test("has the name of the folder that contains all its files, or of its files, if its share has no title", async () => {
    const first = await open("a.txt", "1", { relativePath: "Summer: 2026/a.txt" });
    await add("b.txt", "2", { shareShortId: first.shortId, relativePath: "Summer: 2026/deep/b.txt" });
    const nameOf = async (): Promise<string | null> =>
      (await fetchArchive(await urlOf(first.shortId))).response.headers.get("content-disposition");
    assert.equal(await nameOf(), "attachment; filename=\"Summer_ 2026.zip\"; filename*=UTF-8''Summer_%202026.zip");
    await add("c.txt", "3", { shareShortId: first.shortId, relativePath: "c.txt" });
    assert.equal(
      await nameOf(),
      `attachment; filename="a and 2 more-${first.shortId}.zip"; filename*=UTF-8''a%20and%202%20more-${first.shortId}.zip`,
    );
    const titled = await open("a.txt", "1", { relativePath: "Trip/a.txt", title: "For you" });
    const { response } = await fetchArchive(await urlOf(titled.shortId));
    assert.equal(
      response.headers.get("content-disposition"),
      `attachment; filename="For you-${titled.shortId}.zip"; filename*=UTF-8''For%20you-${titled.shortId}.zip`,
    );
  });

  test("replaces names that an operating system reads as a device, drive, stream or other folder", async () => {
    const first = await open("nul.txt", "device");
    for (const [name, path] of [["a.txt:evil"], ["report. ."], ["x", "docs/C:/aux/q?.txt"], ["_NUL.txt"]] as const)
      await add(name, name, { shareShortId: first.shortId, ...(path !== undefined && { relativePath: path }) });
    const { path } = await fetchArchive(await urlOf(first.shortId));
    assert.deepEqual(namesIn(path).sort(), ["_NUL (2).txt", "_nul.txt", "a.txt_evil", "docs/C_/_aux/q_.txt", "report___"]);
    assert.equal(memberOf(path, "_nul.txt").toString(), "device");
  });

  test("exists for a share of one file", async () => {
    const file = await add("single.txt", "hello", {});
    const { path } = await fetchArchive(await urlOf(file.shortId));
    assert.deepEqual(namesIn(path), ["single.txt"]);
  });

  test("counts one download per file when authorized, and records an event per file when downloaded", async () => {
    const first = await open("a", someBytes(100));
    const second = await add("b", someBytes(200), { shareShortId: first.shortId });
    const url = await urlOf(first.shortId);
    assert.deepEqual(await counts(first.shortId), [1, 1]);
    await fetchArchive(url);
    for (const { id } of [first, second]) {
      const types = await until("the download is recorded", async () => {
        const types = (await eventsOf(server, id)).map(({ type }) => type);
        return types.includes("file.downloaded") ? types : undefined;
      });
      assert.deepEqual(types.sort(), ["file.authorized", "file.downloaded", "file.ready"]);
    }
    assert.deepEqual(await counts(first.shortId), [1, 1]);
    await urlOf(first.shortId);
    assert.deepEqual(await counts(first.shortId), [2, 2]);
  });

  test("includes each file of a limited share no more often than its limit", async () => {
    const first = await open("a", someBytes(1000), { maxDownloads: "2" });
    const second = await add("b", someBytes(2000), { shareShortId: first.shortId });
    await signedUrl(server, first.id);
    const [both, one] = [await urlOf(first.shortId), await urlOf(first.shortId)];
    assert.deepEqual(namesIn((await fetchArchive(both)).path), ["a", "b"]);
    assert.deepEqual(namesIn((await fetchArchive(one)).path), ["b"]);
    for (const url of [both, one]) assert.equal((await fetch(url)).status, 404);
    assertRefused(await ask(first.shortId), { status: 404, code: "NOT_FOUND" });
    assertRefused(await authorize(server, second.id), { status: 404, code: "NOT_FOUND" });
  });

  test("contains only chosen files and folders, counts only them, and stays the same when the share changes", async () => {
    const first = await open("a.txt", "one");
    const [inTrip, other] = [
      await add("b.txt", "two", { shareShortId: first.shortId, relativePath: "Trip/b.txt" }),
      await add("c.txt", "three", { shareShortId: first.shortId }),
    ];
    const choose = async (fields: { readonly fileIds?: string; readonly folder?: string }) =>
      (await clientOf(server).call("authorizeArchive", { shortId: first.shortId, ...fields })).url;
    const url = await choose({ fileIds: other.id, folder: "Trip" });
    assert.deepEqual(await counts(first.shortId), [0, 1, 1]);
    await add("d.txt", "four", { shareShortId: first.shortId, relativePath: "Trip/d.txt" });
    assert.deepEqual(namesIn((await fetchArchive(url)).path), ["Trip/b.txt", "c.txt"]);
    await deleteFile(server, { fileId: inTrip.id }, { key: server.owner.key });
    assert.deepEqual(namesIn((await fetchArchive(url)).path), ["c.txt"]);
    for (const folder of ["Trip/", "/Trip//"])
      assert.deepEqual(namesIn((await fetchArchive(await choose({ folder }))).path), ["Trip/d.txt"]);
    assert.equal((await fetch(url.replace(/([?&]f=)[^&]+/, "$1AAAA"))).status, 403);
    assert.equal((await fetch(url.replace(/&f=[^&]+/, ""))).status, 403);
    assertRefused(await ask(first.shortId, "?fileIds=unknown"), { status: 404, code: "NOT_FOUND" });
    assertRefused(await ask(first.shortId, "?folder=Tri"), { status: 404, code: "NOT_FOUND" });
  });

  test("contains chosen files of a limited share, each no more often than its limit", async () => {
    const first = await open("a", "1", { maxDownloads: "1" });
    const second = await add("b", "2", { shareShortId: first.shortId });
    const { url } = await clientOf(server).call("authorizeArchive", { shortId: first.shortId, fileIds: second.id });
    assert.deepEqual(await counts(first.shortId), [0, 1]);
    assert.deepEqual(namesIn((await fetchArchive(url)).path), ["b"]);
    assert.equal((await fetch(url)).status, 404);
    assertRefused(await ask(first.shortId, `?fileIds=${second.id}`), { status: 404, code: "NOT_FOUND" });
    assert.deepEqual(namesIn((await fetchArchive(await urlOf(first.shortId))).path), ["a"]);
  });

  test("is authorized once for twenty concurrent requests to a single-use share", async () => {
    const first = await open("a", "x", { once: "true" });
    await add("b", "y", { shareShortId: first.shortId });
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask(first.shortId)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    assert.deepEqual(await counts(first.shortId), [1, 1]);
  });

  test("omits blocked, unscanned and deleted files, and reports the reason when none remains", async () => {
    const first = await open("a", "1");
    const blocked = await add("blocked", "2", { shareShortId: first.shortId });
    const waiting = await add("waiting", "3", { shareShortId: first.shortId });
    const deleted = await add("deleted", "4", { shareShortId: first.shortId });
    await deleteFile(server, { fileId: deleted.id }, { key: server.owner.key });
    const set = (id: string, scan_status: "pending" | "unavailable") =>
      withDatabase(server, (db) => db.updateTable("files").set({ scan_status }).where("id", "=", id).execute());
    await set(blocked.id, "unavailable");
    await set(waiting.id, "pending");
    assert.equal((await getShare(server, first.shortId)).scanStatus, "pending");
    assert.deepEqual(namesIn((await fetchArchive(await urlOf(first.shortId))).path), ["a"]);
    await set(first.id, "unavailable");
    const pending = await ask(first.shortId);
    assertRefused(pending, { status: 409, code: "SCAN_PENDING" });
    assert.equal(pending.body.scanPending, true);
    await set(waiting.id, "unavailable");
    assertRefused(await ask(first.shortId), { status: 404, code: "SCAN_BLOCKED" });
    assert.equal((await getShare(server, first.shortId)).scanStatus, "unavailable");
  });

  test("requires the credentials of a protected share before it reports a pending scan", async () => {
    const first = await open("a", "1", { protect: "true" });
    await withDatabase(server, (db) => db.updateTable("files").set({ scan_status: "pending" }).where("id", "=", first.id).execute());
    assertRefused(await ask(first.shortId), { status: 403, code: "UNLOCK_REQUIRED" });
  });

  test("has a signed URL bound to the share, an expiry and the protection", async () => {
    const [first, other] = [await open("a", "1"), await open("b", "2")];
    const url = await urlOf(first.shortId);
    assert.equal((await fetch(url.replace(first.shortId, other.shortId))).status, 403);
    assert.equal((await fetch(url.replace(/([?&]e=)\w+/, "$1zzzzzzzz"))).status, 403);
    assert.equal((await fetch(url.split("?")[0] ?? "")).status, 403);
    await changeSettings(server, { shortId: first.shortId, protect: true }, server.owner.key);
    assert.equal((await fetch(url)).status, 403);
    assertRefused(await ask("aaaaaaaa"), { status: 404, code: "NOT_FOUND" });
    const removed = await open("c", "3");
    const removedUrl = await urlOf(removed.shortId);
    await deleteFile(server, { fileId: removed.id }, { key: server.owner.key });
    assert.equal((await fetch(removedUrl)).status, 404);
  });

  test("contains 200 files with the same name beside a large file", async () => {
    const first = await open("0", someBytes(24 * MB));
    for (let n = 0; n < 10; n += 1) {
      const batch = Array.from({ length: 20 }, (_, i) =>
        upload(server, { bytes: `${n}-${i}`, name: "same.txt", fields: { shareShortId: first.shortId } }, { key: server.owner.key }),
      );
      await Promise.all(batch);
    }
    const { path } = await fetchArchive(await urlOf(first.shortId));
    const names = namesIn(path);
    assert.equal(names.length, 201);
    assert.equal(new Set(names).size, 201);
    assert.ok(memberOf(path, "0").equals(Buffer.from(someBytes(24 * MB))));
    await rm(path);
  });

  test("uses Zip64 beyond 4 GiB, with the declared length and in constant memory", { skip: longSkipped }, async () => {
    const first = await open("first.txt", "before");
    const large = await add("large.bin", someBytes(1000), { shareShortId: first.shortId });
    await add("last.txt", "after", { shareShortId: first.shortId });
    const sizeBytes = 4 * 1024 * MB + 123;
    // A sparse file replaces an upload of that size, which would take minutes.
    const row = await withDatabase(server, async (db) => {
      await db.updateTable("files").set({ size_bytes: sizeBytes, sha256: null }).where("id", "=", large.id).execute();
      return await db.selectFrom("files").select("blob_key").where("id", "=", large.id).executeTakeFirstOrThrow();
    });
    const found = spawnSync("find", [joinPath(server.dataDir, "blobs"), "-name", row.blob_key], { encoding: "utf8" }).stdout.trim();
    await truncate(found, sizeBytes);
    assert.equal((await stat(found)).size, sizeBytes);
    await server.restart();
    const url = await urlOf(first.shortId);
    const declared = Number((await fetch(url, { method: "HEAD" })).headers.get("content-length"));
    assert.ok(declared > sizeBytes);
    const response = await fetch(url);
    let received = 0;
    let peakKb = 0;
    let tail = Buffer.alloc(0);
    for await (const chunk of response.body ?? []) {
      received += chunk.length;
      tail = Buffer.concat([tail, chunk]).subarray(-400);
      if (received % (64 * MB) < chunk.length) peakKb = Math.max(peakKb, await residentKb(server.pid));
    }
    assert.equal(received, declared);
    const text = tail.toString("latin1");
    assert.ok(text.includes("PK\x06\x06") && text.includes("PK\x06\x07") && text.includes("PK\x05\x06"), "no Zip64 end");
    assert.ok(text.includes("last.txt"));
    assert.ok(peakKb < 250 * 1024, `${peakKb} KB`);
  });
});

/** The local heads of a ZIP whose members are stored, with their sizes before their bytes. */
function readHeads(zip: Buffer) {
  const heads = [];
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [flags, checksum, sizeBytes] = [zip.readUInt16LE(at + 6), zip.readUInt32LE(at + 14), zip.readUInt32LE(at + 22)];
    const [nameEnd, extraBytes] = [at + 30 + zip.readUInt16LE(at + 26), zip.readUInt16LE(at + 28)];
    assert.equal(zip.readUInt16LE(nameEnd), 0x5455);
    heads.push({
      name: zip.subarray(at + 30, nameEnd).toString(),
      flags,
      checksum,
      sizeBytes,
      changedMs: zip.readUInt32LE(nameEnd + 5) * 1000,
    });
    at = nameEnd + extraBytes + sizeBytes;
  }
  return heads;
}

async function residentKb(pid: number): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}
