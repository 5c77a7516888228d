import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { MAX_FOLDERS } from "../../../src/service/files/folders.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { postBatch, type SentFile } from "../support/uploads/batches.ts";
import { MB, someBytes, uploadInParts } from "../support/uploads/multipart.ts";
import { joining, type OpenedShipment, openShipment } from "../support/uploads/sent-shipments.ts";

/** folders, "Folders that are sent". */
describe("a folder that an account sends", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const open = (key?: string): Promise<OpenedShipment> => openShipment(server, {}, { key });

  const send = async (shipment: OpenedShipment, files: readonly SentFile[], key?: string) =>
    (await postBatch(server, joining(shipment), files, { key })).body.data.files;

  /** Lists the account's folders and files by their paths. */
  async function listPaths(key: string): Promise<readonly string[]> {
    const client = clientOf(server, { key });
    const { data: folders } = await client.call("listFolders", { limit: 200 });
    const pathOf = (id: string | null): string => {
      const folder = folders.find((one) => one.id === id);
      return folder === undefined ? "" : `${pathOf(folder.parent_id)}${folder.name}/`;
    };
    const list = await client.call("listFiles", { limit: 200 });
    assert.ok("pagination" in list);
    const files = list.data.files.map(({ name, folderId }) => pathOf(folderId) + name);
    return [...folders.map(({ id }) => pathOf(id)), ...files].sort();
  }

  test("is a folder with the same structure at the root, also if its files are sent in different ways", async () => {
    const { key } = await addAccount(server);
    const shipment = await open(key);
    await send(
      shipment,
      [
        { relativePath: "Trip/a.txt", bytes: "1" },
        { relativePath: "Trip/Day 1/b.txt", bytes: "2" },
        { relativePath: "loose.txt", bytes: "3" },
      ],
      key,
    );
    const { shortId } = shipment;
    const fields = { shareShortId: shortId, relativePath: "Trip/Day 1/c.txt" };
    await upload(server, { name: "c.txt", bytes: "4", fields }, { key });
    assert.deepEqual(await listPaths(key), ["Trip/", "Trip/Day 1/", "Trip/Day 1/b.txt", "Trip/Day 1/c.txt", "Trip/a.txt", "loose.txt"]);
    const { data: folders } = await clientOf(server, { key }).call("listFolders", { parentId: "null" });
    assert.deepEqual(
      folders.map(({ name, file_count, folder_count, total_size }) => ({ name, file_count, folder_count, total_size })),
      [{ name: "Trip", file_count: 1, folder_count: 1, total_size: 1 }],
    );
  });

  test("joins a folder of exactly the same name", async () => {
    const { key } = await addAccount(server);
    await clientOf(server, { key }).call("createFolders", { paths: ["Trip", "trip/Day 1"] });
    await send(await open(key), [{ relativePath: "Trip/Day 1/a.txt", bytes: "1" }], key);
    await send(await open(key), [{ relativePath: "Trip/Day 1/b.txt", bytes: "2" }], key);
    assert.deepEqual(await listPaths(key), ["Trip/", "Trip/Day 1/", "Trip/Day 1/a.txt", "Trip/Day 1/b.txt", "trip/", "trip/Day 1/"]);
  });

  test("is not created for files that are sent to the root or to another folder", async () => {
    const { key } = await addAccount(server);
    const { id } = (await clientOf(server, { key }).call("createFolder", { name: "Chosen" })).data;
    const shipment = await open(key);
    const { shortId } = shipment;
    const { body } = await postBatch(
      server,
      { shareShortId: shortId },
      [
        { relativePath: "Trip/a.txt", bytes: "1", folderId: id },
        { relativePath: "Trip/b.txt", bytes: "2", folderId: "null" },
      ],
      { key },
    );
    assert.equal(body.data.files.length, 2);
    await postBatch(server, { shareShortId: shortId, folderId: "null" }, [{ relativePath: "Trip/d.txt", bytes: "4" }], { key });
    await upload(
      server,
      { name: "c.txt", bytes: "3", fields: { shareShortId: shortId, relativePath: "Trip/c.txt", folderId: id } },
      { key },
    );
    assert.deepEqual(await listPaths(key), ["Chosen/", "Chosen/a.txt", "Chosen/c.txt", "b.txt", "d.txt"]);
  });

  test("is not created by files that another account sends to the share, or for a caller without an account", async () => {
    const { key } = await addAccount(server);
    const { key: other } = await addAccount(server);
    const shipment = await open(key);
    await send(shipment, [{ relativePath: "Theirs/a.txt", bytes: "1" }], other);
    await send(shipment, [{ relativePath: "Anonymous/b.txt", bytes: "2" }]);
    assert.deepEqual(await listPaths(key), ["a.txt", "b.txt"]);
    assert.deepEqual(await listPaths(other), []);
  });

  test("appears when an account claims the share", async () => {
    const { key } = await addAccount(server);
    const shipment = await open();
    await send(shipment, [
      { relativePath: "Trip/Day 1/a.txt", bytes: "1" },
      { relativePath: "b.txt", bytes: "2" },
    ]);
    assert.ok(shipment.claimToken);
    await clientOf(server, { key }).call("claimFile", { fileId: shipment.shortId, claimToken: shipment.claimToken });
    assert.deepEqual(await listPaths(key), ["Trip/", "Trip/Day 1/", "Trip/Day 1/a.txt", "b.txt"]);
  });

  test("keeps the file above a folder that would be too deep, and cuts a long name", async () => {
    const { key } = await addAccount(server);
    const deepest = Array.from({ length: 32 }, (_, level) => `${level + 1}/`).join("");
    const long = "x".repeat(250);
    const files = await send(
      await open(key),
      [
        { relativePath: `${deepest}33/34/deep.txt`, bytes: "1" },
        { relativePath: `${long}/long.txt`, bytes: "2" },
      ],
      key,
    );
    assert.deepEqual(
      files.map(({ errorCode }) => errorCode),
      [undefined, undefined],
    );
    const paths = await listPaths(key);
    assert.ok(paths.includes(`${deepest}deep.txt`));
    assert.ok(paths.includes(`${"x".repeat(200)}/long.txt`));
    assert.equal(paths.filter((path) => path.endsWith("/")).length, 33);
  });

  test("has another name where no folder can have the name that was sent", async () => {
    const { key } = await addAccount(server);
    const sent = [
      { relativePath: `.${" ".repeat(199)}x/a.txt`, bytes: "1" },
      { relativePath: `Trip/..${" ".repeat(198)}x/b.txt`, bytes: "2" },
    ];
    const files = await send(await open(key), sent, key);
    assert.deepEqual(
      files.map(({ errorCode }) => errorCode),
      [undefined, undefined],
    );
    const expected = ["Trip/", "Trip/folder/", "Trip/folder/b.txt", "folder/", "folder/a.txt"];
    assert.deepEqual(await listPaths(key), expected);
    const { key: claiming } = await addAccount(server);
    const shipment = await open();
    await send(shipment, sent);
    assert.ok(shipment.claimToken);
    await clientOf(server, { key: claiming }).call("claimFile", { fileId: shipment.shortId, claimToken: shipment.claimToken });
    assert.deepEqual(await listPaths(claiming), expected);
  });

  test("keeps its files above a folder that would be one too many, not in others with the names below it", async () => {
    const { key, userId } = await addAccount(server);
    const { data } = await clientOf(server, { key }).call("createFolders", { paths: ["Private", "Trip/Private"] });
    const [root, inTrip] = data.folders;
    await withDatabase(server, (db) =>
      sql`WITH RECURSIVE numbers (n) AS (SELECT 4 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MAX_FOLDERS - 1})
        INSERT INTO folders (id, owner_id, parent_id, name, created_at, updated_at)
        SELECT ${userId} || n, ${userId}, NULL, 'folder ' || n, 0, 0 FROM numbers`.execute(db),
    );
    const shipment = await open(key);
    await send(shipment, [{ relativePath: "Last/a.txt", bytes: "1" }], key);
    const sent = ["New/Private/b.txt", "Trip/New/Private/c.txt", "Trip/Private/d.txt"];
    await send(
      shipment,
      sent.map((relativePath) => ({ relativePath, bytes: relativePath })),
      key,
    );
    const list = await clientOf(server, { key }).call("listFiles", { limit: 200 });
    assert.ok("pagination" in list);
    const folderOf = Object.fromEntries(list.data.files.map(({ name, folderId }) => [name, folderId]));
    const { data: roots } = await clientOf(server, { key }).call("listFolders", { parentId: "null", search: "t" });
    const idOf = (wanted: string) => roots.find(({ name }) => name === wanted)?.id;
    assert.ok(idOf("Last"));
    assert.deepEqual(folderOf, { "a.txt": idOf("Last"), "b.txt": null, "c.txt": idOf("Trip"), "d.txt": inTrip?.id });
    assert.notEqual(inTrip?.id, root?.id);
  });

  test("has files that are sent in parts", async () => {
    const { key } = await addAccount(server);
    const { shortId } = await open(key);
    const fields = { fileName: "large.bin", shareShortId: shortId, relativePath: "Trip/large.bin" };
    await uploadInParts(server, someBytes(5 * MB), fields, { key });
    assert.deepEqual(await listPaths(key), ["Trip/", "Trip/large.bin"]);
  });
});
