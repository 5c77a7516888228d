import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, listFiles, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** folders, "Moving and renaming files"; listing, "A file". */
describe("organizing files", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const makeFolder = async (key: string, name: string, parentId?: string): Promise<string> =>
    (await clientOf(server, { key }).call("createFolder", { name, parentId })).data.id;

  test("renames a file in its owner's list, finds it by its new name, and leaves the name in its link", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const file = await upload(server, { name: "Draft.txt", bytes: "x" }, { key });
    const { data } = await client.call("changeFile", { fileId: file.id, name: "../Final/\u202eReport.txt" });
    assert.equal(data.name, "Report.txt");
    assert.match((await fetch(data.url)).headers.get("content-disposition") ?? "", /Draft\.txt/);
    assert.equal((await call(server, "GET", `/api/files/share/${file.shortId}`)).body.name, "Draft.txt");
    assert.equal((await listFiles(server, key, { search: "report" })).files.length, 1);
    assert.equal((await listFiles(server, key, { search: "draft" })).files.length, 0);
    assertRefused(await call(server, "PATCH", `/api/files/${file.id}/details`, { key, json: {} }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
  });

  test("leaves the path in a shipment, and renames and moves an immutable file", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const fields = { openShare: "true", relativePath: "docs/a.txt" };
    const file = await upload(server, { name: "a.txt", bytes: "x", fields }, { key });
    await client.call("changeFile", { fileId: file.id, name: "b.txt" });
    const { body } = await call(server, "GET", `/api/files/share/${file.shortId}`);
    assert.equal((body.files as { relativePath: string }[])[0]?.relativePath, "docs/a.txt");
    await client.call("updateShareSettings", { fileId: file.id, immutable: true });
    assert.equal((await client.call("changeFile", { fileId: file.id, name: "c.txt" })).data.name, "c.txt");
    const again = (await client.call("shareFiles", { fileIds: [file.id] })).data;
    assert.equal((await call(server, "GET", `/api/files/share/${again.shortId}`)).body.name, "c.txt");
    const folderId = await makeFolder(key, "Kept");
    assert.equal((await client.call("changeFile", { fileId: file.id, folderId })).data.folderId, folderId);
    assert.equal((await client.call("changeFile", { fileId: file.id, folderId: null })).data.folderId, null);
  });

  test("moves files and folders together, or nothing", async () => {
    const { key } = await addAccount(server);
    const { key: other } = await addAccount(server);
    const client = clientOf(server, { key });
    const files = await Promise.all(["a", "b"].map((name) => upload(server, { name, bytes: name }, { key })));
    const foreign = await upload(server, { name: "c", bytes: "c" }, { key: other });
    const target = await makeFolder(key, "Target");
    const moved = await makeFolder(key, "Moved");
    const fileIds = files.map(({ id }) => id);
    const move = (json: object) => call(server, "POST", "/api/files/move", { key, json });
    assertRefused(await move({ fileIds: [...fileIds, foreign.id], folderId: target }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await move({ fileIds, folderIds: [target], folderId: target }), { status: 409, code: "FOLDER_CYCLE" });
    assertRefused(await move({ fileIds, folderId: await makeFolder(other, "Theirs") }), { status: 404, code: "NOT_FOUND" });
    assert.equal((await listFiles(server, key, { folderId: target })).files.length, 0);
    const { data } = await client.call("moveFiles", { fileIds: [...fileIds, ...fileIds], folderIds: [moved], folderId: target });
    const from = data.from.map((one) => ({ ...one, fileIds: one.fileIds.toSorted() }));
    assert.deepEqual(
      { ...data, from },
      { files: 2, folders: 1, from: [{ folderId: null, fileIds: fileIds.toSorted(), folderIds: [moved] }] },
    );
    const listed = await listFiles(server, key, { folderId: target });
    assert.deepEqual([listed.files.length, listed.folders?.map(({ id }) => id)], [2, [moved]]);
  });

  test("deletes many files independently, and explains why others remain", async () => {
    const { key } = await addAccount(server);
    const { key: other } = await addAccount(server);
    const client = clientOf(server, { key });
    const [kept, gone] = await Promise.all(["a", "b"].map((name) => upload(server, { name, bytes: name }, { key })));
    const foreign = await upload(server, { name: "c", bytes: "c" }, { key: other });
    assert.ok(kept && gone);
    await client.call("updateShareSettings", { fileId: kept.id, immutable: true });
    const fileIds = [kept.id, gone.id, gone.id, foreign.id];
    const { data } = await client.call("deleteFiles", { fileIds });
    assert.deepEqual(data.deleted, [gone.id]);
    assert.deepEqual(
      data.refused.map(({ id, errorCode }) => [id, errorCode]),
      [
        [kept.id, "IMMUTABLE"],
        [foreign.id, "NOT_FOUND"],
      ],
    );
    assert.deepEqual((await client.call("deleteFiles", { fileIds, force: true })).data.deleted, [kept.id, gone.id]);
    assert.equal((await listFiles(server, other)).files.length, 1);
    assert.equal((await fetch(kept.url)).status, 404);
  });

  test("previews which links a deletion ends or takes files out of, and changes nothing", async () => {
    const { key } = await addAccount(server);
    const { key: other } = await addAccount(server);
    const client = clientOf(server, { key });
    const folderId = await makeFolder(key, "Trip");
    const inside = await upload(server, { name: "map", bytes: "map", fields: { folderId } }, { key });
    const loose = await upload(server, { name: "loose", bytes: "loose" }, { key });
    const { shortId } = (await client.call("shareFiles", { fileIds: [inside.id, loose.id], title: "Both" })).data;
    const preview = async (input: { fileIds?: string[]; folderIds?: string[] }, caller = client) => {
      const { links, ...counts } = (await caller.call("previewDeletion", input)).data;
      return { ...counts, links: links.map(({ shortId, remaining }) => [shortId, remaining]) };
    };
    assert.deepEqual(await preview({ folderIds: [folderId] }), {
      filesInside: 1,
      ending: 1,
      shrinking: 1,
      links: [
        [inside.shortId, 0],
        [shortId, 1],
      ],
    });
    assert.deepEqual((await preview({ fileIds: [loose.id, inside.id], folderIds: [folderId] })).links, [
      [shortId, 0],
      [loose.shortId, 0],
      [inside.shortId, 0],
    ]);
    const nothing = { filesInside: 0, ending: 0, shrinking: 0, links: [] };
    assert.deepEqual(await preview({ fileIds: [loose.id], folderIds: [folderId] }, clientOf(server, { key: other })), nothing);
    assert.deepEqual(await preview({ folderIds: [await makeFolder(key, "Empty")] }), nothing);
    assert.equal((await listFiles(server, key)).files.length, 2);
  });

  test("deletes folders with everything in them, each separately", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const [kept, gone] = [await makeFolder(key, "Kept"), await makeFolder(key, "Gone")];
    const file = await upload(server, { name: "a", bytes: "a", fields: { folderId: kept } }, { key });
    await upload(server, { name: "b", bytes: "b", fields: { folderId: gone } }, { key });
    await client.call("updateShareSettings", { fileId: file.id, immutable: true });
    const unknown = crypto.randomUUID();
    const { data } = await client.call("deleteFiles", { folderIds: [kept, gone, unknown] });
    assert.deepEqual(data.deleted, [gone]);
    assert.deepEqual(
      data.refused.map(({ id, errorCode }) => [id, errorCode]),
      [
        [kept, "IMMUTABLE"],
        [unknown, "NOT_FOUND"],
      ],
    );
    const left = await listFiles(server, key);
    assert.deepEqual([left.files.map(({ name }) => name), left.folders?.map(({ id }) => id)], [["a"], [kept]]);
    assert.equal((await call(server, "POST", "/api/files/delete-many", { key, json: {} })).status, 400);
  });

  test("shows a file with the settings of its share, its preview and its lineage", async () => {
    const { key } = await addAccount(server);
    const { key: other } = await addAccount(server);
    const client = clientOf(server, { key });
    const source = await upload(server, { name: "a.txt", bytes: "hello", fields: { title: "Notes", protect: "true" } }, { key });
    const result = await upload(server, { name: "b.txt", bytes: "x" }, { key });
    await client.call("updateShareSettings", { fileId: result.id, upstreamFileIds: [source.id], maxDownloads: 3 });
    const { data } = await client.call("getFile", { fileId: source.id });
    assert.deepEqual([data.share.title, data.share.kind, data.share.files, data.unlockRequired], ["Notes", "file", 1, true]);
    assert.deepEqual([data.madeFrom, data.usedIn], [[], [{ id: result.id, name: "b.txt" }]]);
    assert.equal(data.preview?.kind, "text");
    assert.match(await (await fetch(data.preview?.url ?? "")).text(), /hello/);
    const limited = (await client.call("getFile", { fileId: result.id })).data;
    assert.deepEqual([limited.preview, limited.share.maxDownloads, limited.madeFrom[0]?.name], [null, 3, "a.txt"]);
    assertRefused(await call(server, "GET", `/api/files/${source.id}/details`, { key: other }), { status: 404, code: "NOT_FOUND" });
  });
});
