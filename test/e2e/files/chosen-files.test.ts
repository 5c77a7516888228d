import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeFolder as makeTestFolder } from "../../support/folder.ts";
import { unzipMissing } from "../../support/formats/unzip.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, authorize, call, clientOf, findInfo, getShare, listFiles, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** folders, "Choosing files"; sharing, "Sharing files with one link"; downloads, "Archives of an account". */
describe("chosen files", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {}, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const owner = () => clientOf(server, { key: server.owner.key });
  const makeFolder = async (name: string, parentId?: string): Promise<string> =>
    (await owner().call("createFolder", { name, parentId })).data.id;
  const add = (name: string, fields: Record<string, string> = {}) =>
    upload(server, { name, bytes: `bytes of ${name}`, fields }, { key: server.owner.key });
  const refused = async (path: string, json: object, expected: { status: number; code: string }, key = server.owner.key) =>
    assertRefused(await call(server, "POST", path, { key, json }), expected);

  /** A folder `Trip/2030` with a file in each, and a file beside it. */
  async function makeTrip() {
    const trip = await makeFolder("Trip");
    const inner = await makeFolder("20/30", trip);
    const [map, photo, note] = [
      await add("map.txt", { folderId: trip }),
      await add("photo.txt", { folderId: inner }),
      await add("note.txt"),
    ];
    return { trip, inner, map, photo, note };
  }

  test("get one link with their folders, and leave their earlier shares", async () => {
    const { trip, inner, map, photo, note } = await makeTrip();
    const chosen = { fileIds: [note.id], folderIds: [trip, inner] };
    const early = await signedUrl(server, map.id);
    const { data } = await owner().call("shareFiles", { ...chosen, move: true, title: "Trip" });
    const share = await getShare(server, data.shortId);
    assert.deepEqual([share.kind, share.title], ["shipment", "Trip"]);
    assert.deepEqual(share.files?.map(({ name, relativePath }) => relativePath ?? name).sort(), [
      "Trip/20_30/photo.txt",
      "Trip/map.txt",
      "note.txt",
    ]);
    for (const { shortId } of [map, photo, note]) {
      assertRefused(await call(server, "GET", `/api/files/share/${shortId}`), { status: 404, code: "NOT_FOUND" });
      assert.equal((await fetch(`${server.url}/d/${shortId}`)).status, 404);
      assert.equal((await findInfo(server, shortId))?.status_field, "deleted");
    }
    assert.equal((await fetch(early)).status, 403, "the URL of the share that ended");
    assert.equal((await fetch(await signedUrl(server, map.id))).status, 200);
    assert.deepEqual(
      (await listFiles(server, server.owner.key, { folderId: trip })).files.map(({ id }) => id),
      [map.id],
      "the folders stay",
    );
    const log = await owner().call("listShares", { state: "active" });
    assert.equal(log.data.filter(({ shortId }) => [map.shortId, photo.shortId, note.shortId].includes(shortId)).length, 0);
  });

  test("have their path from the outermost chosen folder, whatever its name", async () => {
    const outer = await makeFolder("A");
    const inner = await makeFolder("Z", outer);
    const file = await add("deep.txt", { folderId: inner });
    await add("beside.txt", { folderId: outer });
    const { data } = await owner().call("shareFiles", { folderIds: [inner, outer] });
    const { files } = await getShare(server, data.shortId);
    assert.equal(files?.find(({ name }) => name === file.name)?.relativePath, "A/Z/deep.txt");
  });

  test("are refused if a path would be longer than 1,024 characters", async () => {
    let folder = await makeFolder("top");
    const top = folder;
    for (let level = 0; level < 6; level += 1) folder = await makeFolder("x".repeat(200), folder);
    await add("deep.txt", { folderId: folder });
    for (const path of ["/api/files/share", "/api/files/archive"])
      await refused(path, { folderIds: [top] }, { status: 400, code: "VALIDATION_FAILED" });
    await owner().call("shareFiles", { folderIds: [folder], move: true });
  });

  test("leave a shipment that still has other files", async () => {
    const first = await add("first.txt", { openShare: "true" });
    const second = await add("second.txt", { shareShortId: first.shortId });
    const { data } = await owner().call("shareFiles", { fileIds: [first.id], move: true, protect: true });
    assert.equal((await getShare(server, data.shortId)).kind, "file");
    assertRefused(await authorize(server, first.id), { status: 403, code: "UNLOCK_REQUIRED" });
    assert.deepEqual(
      (await getShare(server, first.shortId)).files?.map(({ id }) => id),
      [second.id],
    );
  });

  test("are refused if one is immutable, unknown or another account's, and then nothing changes", async () => {
    const [file, fixed] = [await add("a.txt"), await add("fixed.txt")];
    await owner().call("updateShareSettings", { fileId: fixed.id, immutable: true });
    await refused("/api/files/share", { fileIds: [file.id, fixed.id], move: true }, { status: 409, code: "IMMUTABLE" });
    const missing = { status: 404, code: "NOT_FOUND" };
    const empty = await makeFolder("Empty");
    for (const path of ["/api/files/share", "/api/files/archive"]) {
      await refused(path, { fileIds: [file.id, "unknown"], move: true }, missing);
      await refused(path, { folderIds: [crypto.randomUUID()] }, missing);
      await refused(path, { folderIds: [empty] }, missing);
      await refused(path, { fileIds: [file.id], folderIds: [empty], move: true }, missing, server.other.key);
      await refused(path, {}, { status: 400, code: "VALIDATION_FAILED" });
    }
    assert.equal((await getShare(server, file.shortId)).id, file.id);
  });

  test("are downloaded as one ZIP, which counts no download", { skip: unzipMissing }, async () => {
    const { trip, note, photo } = await makeTrip();
    const { url } = await owner().call("archiveFiles", { fileIds: [note.id], folderIds: [trip] });
    const head = await fetch(url, { method: "HEAD" });
    assert.match(head.headers.get("content-disposition") ?? "", /filename="?files-\d{4}-\d{2}-\d{2}\.zip/);
    const response = await fetch(url);
    assert.equal(response.headers.get("content-type"), "application/zip");
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(String(bytes.length), head.headers.get("content-length"));
    await using folder = await makeTestFolder();
    const path = join(folder.path, "a.zip");
    await writeFile(path, bytes);
    const listed = spawnSync("unzip", ["-Z1", path], { encoding: "utf8" }).stdout.trim().split("\n");
    assert.deepEqual(listed.sort(), ["Trip/20_30/photo.txt", "Trip/map.txt", "note.txt"]);
    assert.equal(spawnSync("unzip", ["-p", path, "note.txt"], { encoding: "utf8" }).stdout, "bytes of note.txt");
    const { files } = await listFiles(server, server.owner.key);
    assert.equal(files.find(({ id }) => id === note.id)?.downloads, 0);

    await owner().call("deleteFile", { fileId: photo.id });
    const later = await fetch(url);
    assert.ok(Number(later.headers.get("content-length")) < bytes.length, "a deleted file is left out");
    await later.body?.cancel();
    const { url: named } = await owner().call("archiveFiles", { folderIds: [trip] });
    assert.match((await fetch(named, { method: "HEAD" })).headers.get("content-disposition") ?? "", /filename="?Trip\.zip/);
  });

  test("have a ZIP whose URL cannot be changed", async () => {
    const [first, second] = [await add("one.txt"), await add("two.txt")];
    const [a, b] = await Promise.all([first, second].map(async ({ id }) => (await owner().call("archiveFiles", { fileIds: [id] })).url));
    const forged = `${a?.split("?")[0]}?${b?.split("?")[1]}`;
    for (const url of [forged, a?.split("?")[0] ?? ""])
      assertRefused(await call(server, "GET", new URL(url).pathname + new URL(url).search), { status: 403, code: "SIGNATURE_INVALID" });
  });
});
