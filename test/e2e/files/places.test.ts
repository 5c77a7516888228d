import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import {
  askShare,
  assertRefused,
  authorize,
  call,
  clientOf,
  getShare,
  type InputOf,
  listFiles,
  signedUrl,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { cleanUp } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { idsIn, shareFiles } from "../support/shares/shares.ts";

/** model, "Places"; listing, "Links of a file"; sharing, "Sharing files with one link", "Deleting". */
describe("the places of a file", () => {
  let server: ServerWith<"admin">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { admin: { isAdministrator: true } });
  });
  after(() => server[Symbol.asyncDispose]());

  const share = (key: string, fileIds: readonly string[], fields: Partial<InputOf<"shareFiles">> = {}) =>
    shareFiles(server, { fileIds: [...fileIds], ...fields }, key);
  const details = async (key: string, fileId: string) => (await clientOf(server, { key }).call("getFile", { fileId })).data;
  const remove = (key: string, input: InputOf<"deleteFile">) => clientOf(server, { key }).call("deleteFile", input);

  const readUsage = (userId: string) =>
    withDatabase(server, (db) =>
      db.selectFrom("quotas").select(["used_bytes", "file_count"]).where("owner", "=", `user:${userId}`).executeTakeFirst(),
    );

  /** A file with its first link and two more. */
  async function makeThree(name = "report.txt") {
    const { key, userId } = await addAccount(server);
    const file = await upload(server, { name, bytes: `bytes of ${name}` }, { key });
    const [second, third] = [await share(key, [file.id], { title: "Second" }), await share(key, [file.id], { maxDownloads: 2 })];
    const places = [file.id, ...second.ids, ...third.ids];
    return { key, userId, file, second, third, places, shortIds: [file.shortId, second.shortId, third.shortId] };
  }

  test("sharing again makes another link and changes no earlier one", async () => {
    const { key } = await addAccount(server);
    const opened = await upload(server, { name: "a.txt", bytes: "a", fields: { openShare: "true", title: "All three" } }, { key });
    const fields = { shareShortId: opened.shortId };
    const b = await upload(server, { name: "b.txt", bytes: "b", fields }, { key });
    await upload(server, { name: "c.txt", bytes: "c", fields }, { key });
    const before = await getShare(server, opened.shortId);
    const again = await share(key, [opened.id, b.id]);
    assert.deepEqual(await getShare(server, opened.shortId), before);
    assert.equal(again.ids.length, 2);
    assert.equal(new Set([...again.ids, ...(await idsIn(server, opened.shortId))]).size, 5);
    for (const id of again.ids) assert.equal((await fetch(await signedUrl(server, id))).status, 200);
  });

  test("the owner's list shows one row for a file, with its links, and every ID names the file", async () => {
    const { key, file, places, shortIds } = await makeThree();
    const { files, pagination } = await listFiles(server, key);
    assert.equal(pagination.total, 1);
    assert.deepEqual(
      files.map(({ id, shortId, linkCount, links }) => ({ id, shortId, linkCount, links: links.map(({ id, shortId }) => [id, shortId]) })),
      [{ id: file.id, shortId: file.shortId, linkCount: 3, links: places.map((id, index) => [id, shortIds[index]]) }],
    );
    const ofThird = await details(key, places[2] ?? "");
    assert.equal(ofThird.shortId, shortIds[2]);
    assert.deepEqual(
      ofThird.links.map(({ title, maxDownloads, downloads }) => ({ title, maxDownloads, downloads })),
      [
        { title: null, maxDownloads: null, downloads: 0 },
        { title: "Second", maxDownloads: null, downloads: 0 },
        { title: null, maxDownloads: 2, downloads: 0 },
      ],
    );
    await upload(server, { name: "single.txt", bytes: "one link" }, { key });
    const { ids, linkedIds } = (await clientOf(server, { key }).call("listFileIds", {})).data;
    assert.deepEqual([ids.length, linkedIds], [2, [file.id]]);
  });

  test("a share names the number of other open links that have its files", async () => {
    const { key, file, second, third } = await makeThree("elsewhere.txt");
    const shipment = await share(key, [file.id, (await upload(server, { name: "alone.txt", bytes: "alone" }, { key })).id]);
    const listed = async () =>
      new Map((await clientOf(server, { key }).call("listShares", {})).data.map(({ shortId, otherLinks }) => [shortId, otherLinks]));
    const settings = async (shortId: string) => (await clientOf(server, { key }).call("updateShareSettings", { shortId })).data.otherLinks;
    assert.deepEqual([(await listed()).get(file.shortId), await settings(shipment.shortId)], [3, 4]);
    await clientOf(server, { key }).call("closeShare", { shortId: second.shortId });
    await withDatabase(server, (db) => db.updateTable("shares").set({ expires_at: 1 }).where("short_id", "=", third.shortId).execute());
    assert.deepEqual([(await listed()).get(file.shortId), await settings(file.shortId)], [1, 1]);
    await clientOf(server, { key }).call("closeShare", { shortId: shipment.shortId });
    assert.deepEqual([(await listed()).get(file.shortId), await settings(file.shortId)], [0, 0]);
  });

  test("the bytes count once, and each place as a file", async () => {
    const { userId, key, file, places } = await makeThree("counted.txt");
    assert.deepEqual(await readUsage(userId), { used_bytes: file.size, file_count: 3 });
    await remove(key, { fileId: places[0] ?? "" });
    assert.deepEqual(await readUsage(userId), { used_bytes: file.size, file_count: 2 });
    await remove(key, { fileId: places[1] ?? "", allLinks: true });
    assert.deepEqual(await readUsage(userId), { used_bytes: 0, file_count: 0 });
  });

  test("a deletion ends one place, and the next oldest one represents the file", async () => {
    const { key, places, shortIds } = await makeThree();
    const { data } = await remove(key, { fileId: places[0] ?? "" });
    assert.equal(data.remainingLinks, 2);
    assert.equal((await askShare(server, shortIds[0] ?? "")).status, 404);
    assert.equal((await fetch(await signedUrl(server, places[1] ?? ""))).status, 200);
    const { files } = await listFiles(server, key);
    assert.deepEqual(
      files.map(({ id, linkCount }) => [id, linkCount]),
      [[places[1], 2]],
    );
    assert.equal((await remove(key, { fileId: places[1] ?? "" })).data.remainingLinks, 1);
    assert.equal((await remove(key, { fileId: places[2] ?? "" })).data.remainingLinks, 0);
    assert.equal((await listFiles(server, key)).pagination.total, 0);
  });

  test("a deletion with allLinks ends all places or none", async () => {
    const { key, places, shortIds } = await makeThree();
    await clientOf(server, { key }).call("updateShareSettings", { fileId: places[2] ?? "", immutable: true });
    const refused = await call(server, "DELETE", `/api/files/delete?fileId=${places[0]}&allLinks=true`, { key });
    assertRefused(refused, { status: 409, code: "IMMUTABLE" });
    for (const shortId of shortIds) assert.equal((await askShare(server, shortId)).status, 200);
    const { data } = await remove(key, { fileId: places[0] ?? "", allLinks: true, force: true });
    assert.equal(data.remainingLinks, 0);
    for (const shortId of shortIds) assert.equal((await askShare(server, shortId)).status, 404);
  });

  test("deleting several files with allLinks ends all their places", async () => {
    const [first, second] = [await makeThree("x.txt"), await makeThree("y.txt")];
    const fileIds = [first.places[1] ?? "", first.places[0] ?? ""];
    const { data } = await clientOf(server, { key: first.key }).call("deleteFiles", { fileIds, allLinks: true });
    assert.deepEqual(data, { deleted: fileIds, refused: [] });
    for (const shortId of first.shortIds) assert.equal((await askShare(server, shortId)).status, 404);
    for (const shortId of second.shortIds) assert.equal((await askShare(server, shortId)).status, 200);
  });

  test("deleting several files with allLinks leaves the other places of a file that was deleted in the named share", async () => {
    const { key, places, shortIds } = await makeThree();
    const [, second = ""] = places;
    await remove(key, { fileId: second });
    const { data } = await clientOf(server, { key }).call("deleteFiles", { fileIds: [second], allLinks: true });
    assert.deepEqual(data.deleted, [second]);
    assert.equal((await askShare(server, shortIds[0] ?? "")).status, 200);
  });

  test("deleting a shipment with allLinks leaves the other links of files that were deleted from it or used up in it before", async () => {
    const { key } = await addAccount(server);
    const [x, y, z] = [
      await upload(server, { name: "x.txt", bytes: "x" }, { key }),
      await upload(server, { name: "y.txt", bytes: "y" }, { key }),
      await upload(server, { name: "z.txt", bytes: "z" }, { key }),
    ];
    const shipment = await share(key, [x.id, y.id, z.id], { once: true });
    const ids = await withDatabase(server, (db) =>
      db.selectFrom("files").select(["id", "name"]).where("short_id", "=", shipment.shortId).execute(),
    );
    const idOf = (name: string): string => ids.find((file) => file.name === name)?.id ?? "";
    await remove(key, { fileId: idOf("x.txt") });
    await signedUrl(server, idOf("y.txt"));
    await remove(key, { fileId: shipment.shortId, allLinks: true });
    const statuses = await Promise.all([x, y, z].map(async ({ shortId }) => (await askShare(server, shortId)).status));
    assert.deepEqual(statuses, [200, 200, 404]);
  });

  test("a file whose share has expired is not shared again, also before the cleanup ends it", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { name: "old.txt", bytes: "old" }, { key });
    await withDatabase(server, (db) => db.updateTable("shares").set({ expires_at: 1 }).where("short_id", "=", file.shortId).execute());
    assertRefused(await call(server, "POST", "/api/files/share", { key, json: { fileIds: [file.id] } }), {
      status: 404,
      code: "NOT_FOUND",
    });
  });

  test("a file whose oldest share has expired is shown by a place in an open share, before the cleanup ends it", async () => {
    const { key, file, second, places, shortIds } = await makeThree("overdue.txt");
    const expire = (shortId: string) =>
      withDatabase(server, (db) => db.updateTable("shares").set({ expires_at: 1 }).where("short_id", "=", shortId).execute());
    const shown = async () =>
      (await listFiles(server, key)).files.map(({ id, shortId, status, linkCount }) => [id, shortId, status, linkCount]);
    await expire(file.shortId);
    assert.deepEqual(await shown(), [[places[1], shortIds[1], "active", 2]]);
    await expire(second.shortId);
    assert.deepEqual(await shown(), [[places[2], shortIds[2], "active", 1]]);
    assert.deepEqual((await clientOf(server, { key }).call("listFileIds", {})).data, { ids: [places[2]], linkedIds: [] });
    await expire(shortIds[2] ?? "");
    assert.deepEqual(await shown(), [[file.id, file.shortId, "expired", 0]]);
  });

  test("a chosen folder has its files by the places whose shares have not expired", async () => {
    const { key, file, shortIds } = await makeThree("folder.txt");
    const { id: folderId } = (await clientOf(server, { key }).call("createFolder", { name: "Reports" })).data;
    const single = await upload(server, { name: "over.txt", bytes: "over" }, { key });
    await clientOf(server, { key }).call("moveFiles", { fileIds: [file.id, single.id], folderId });
    await withDatabase(server, (db) =>
      db.updateTable("shares").set({ expires_at: 1 }).where("short_id", "in", [file.shortId, single.shortId]).execute(),
    );
    const { shortId } = (await clientOf(server, { key }).call("shareFiles", { folderIds: [folderId] })).data;
    assert.equal((await getShare(server, shortId)).data.name, "folder.txt");
    assert.equal((await askShare(server, shortIds[1] ?? "")).status, 200);
  });

  test("the ZIP of an account has a file whose chosen place has ended, from another place", async () => {
    const { key, places } = await makeThree("kept.txt");
    const { url } = await clientOf(server, { key }).call("archiveFiles", { fileIds: [places[0] ?? ""] });
    await remove(key, { fileId: places[0] ?? "" });
    assert.match(await (await fetch(url)).text(), /kept\.txt[\s\S]*bytes of kept\.txt/);
    await remove(key, { fileId: places[1] ?? "", allLinks: true });
    assert.equal((await fetch(url)).status, 404);
  });

  test("closing a share, and the last download of one, end no other place", async () => {
    const { key, places, shortIds } = await makeThree();
    await clientOf(server, { key }).call("closeShare", { shortId: shortIds[1] ?? "" });
    for (let n = 0; n < 2; n++) await fetch(await signedUrl(server, places[2] ?? ""));
    assert.equal((await askShare(server, shortIds[1] ?? "")).status, 404);
    assertRefused(await authorize(server, places[2] ?? ""), { status: 404, code: "NOT_FOUND" });
    assert.equal((await fetch(await signedUrl(server, places[0] ?? ""))).status, 200);
    assert.deepEqual(
      (await details(key, places[0] ?? "")).links.map(({ id }) => id),
      [places[0]],
    );
  });

  test("each place opens by the rules of its own share", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes: "secret" }, { key });
    const guarded = await share(key, [file.id], { protect: true });
    const { links } = await details(key, file.id);
    const [, place] = links;
    assert.equal(place?.unlockRequired, true);
    assertRefused(await authorize(server, place?.id ?? ""), { status: 403, code: "UNLOCK_REQUIRED" });
    assert.equal((await authorize(server, file.id)).status, 200);
    const { unlockToken } = (
      await clientOf(server).call("unlockDownload", { shortId: guarded.shortId, unlockCode: guarded.unlockCode ?? "" })
    ).data;
    assert.equal((await authorize(server, `${place?.id}?unlockToken=${unlockToken}`)).status, 200);
  });

  test("an immutable file can be shared again, and the new place is not immutable", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes: "fixed" }, { key });
    await clientOf(server, { key }).call("updateShareSettings", { fileId: file.id, immutable: true });
    const again = await share(key, [file.id]);
    assert.deepEqual(
      (await details(key, file.id)).links.map(({ immutable }) => immutable),
      [true, false],
    );
    await remove(key, { fileId: again.ids[0] ?? "" });
    assert.equal((await askShare(server, file.shortId)).status, 200);
  });

  test("a rename leaves the names in the links that were sent", async () => {
    const { key, places, shortIds } = await makeThree("draft.txt");
    const { data } = await clientOf(server, { key }).call("changeFile", { fileId: places[1] ?? "", name: "final.txt" });
    assert.equal(data.name, "final.txt");
    const { files } = await listFiles(server, key, { search: "final" });
    assert.deepEqual(
      files.map(({ id, name }) => [id, name]),
      [[places[0], "final.txt"]],
    );
    for (const shortId of shortIds) assert.equal((await getShare(server, shortId)).data.name, "draft.txt");
    const later = await share(key, [places[0] ?? ""]);
    assert.equal((await getShare(server, later.shortId)).data.name, "final.txt");
  });

  test("a move to a folder moves the file with all its places", async () => {
    const { key, places } = await makeThree();
    const client = clientOf(server, { key });
    const folderId = (await client.call("createFolder", { name: "Kept" })).data.id;
    await client.call("moveFiles", { fileIds: [places[2] ?? ""], folderId });
    await remove(key, { fileId: places[0] ?? "" });
    assert.deepEqual(
      (await listFiles(server, key, { folderId })).files.map(({ id }) => id),
      [places[1]],
    );
    assert.equal((await listFiles(server, key, { folderId: "null" })).pagination.total, 0);
    const { data } = await client.call("listFolders", {});
    assert.deepEqual(
      data.map(({ file_count, total_size }) => [file_count, total_size]),
      [[1, 19]],
    );
  });

  test("move takes only the named place out of its share", async () => {
    const { key, places, shortIds } = await makeThree();
    const moved = await share(key, [places[0] ?? ""], { move: true });
    assert.deepEqual(moved.ids, [places[0]]);
    assert.equal((await askShare(server, shortIds[0] ?? "")).status, 404);
    for (const shortId of shortIds.slice(1)) assert.equal((await askShare(server, shortId)).status, 200);
  });

  test("move takes each named place of a file out of its share, or none if one is immutable", async () => {
    const { key, userId, file, places, shortIds } = await makeThree();
    const [first = "", second = "", third = ""] = places;
    const client = clientOf(server, { key });
    await client.call("updateShareSettings", { fileId: third, immutable: true });
    const refused = await call(server, "POST", "/api/files/share", { key, json: { fileIds: [second, third], move: true } });
    assertRefused(refused, { status: 409, code: "IMMUTABLE" });
    for (const shortId of shortIds) assert.equal((await askShare(server, shortId)).status, 200);
    const moved = await share(key, [second, first], { move: true });
    assert.deepEqual(moved.ids, [second], "the first of the IDs moves");
    assert.deepEqual(await Promise.all(shortIds.map(async (shortId) => (await askShare(server, shortId)).status)), [404, 404, 200]);
    assert.deepEqual(
      (await details(key, second)).links.map(({ id }) => id),
      [second, third],
    );
    assert.equal(await (await fetch(await signedUrl(server, second))).text(), "bytes of report.txt");
    await cleanUp(server);
    assert.deepEqual(await readUsage(userId), { used_bytes: file.size, file_count: 2 });
  });

  test("files are added to a shipment of the account, once, and its links and settings stay", async () => {
    const { key, file, second } = await makeThree();
    const client = clientOf(server, { key });
    const opened = (await client.call("createShare", { title: "Together", maxDownloads: 3 })).data;
    const inside = await upload(server, { name: "inside.txt", bytes: "inside", fields: { shareShortId: opened.shortId } }, { key });
    const url = await signedUrl(server, inside.id);
    const other = await upload(server, { name: "other.txt", bytes: "other" }, { key });
    const before = await getShare(server, second.shortId);
    const added = await share(key, [file.id, other.id, inside.id], { shareShortId: opened.shortId });
    assert.equal(added.shareUrl, opened.shareUrl);
    const { title, files } = await getShare(server, opened.shortId);
    assert.equal(title, "Together");
    assert.deepEqual(files?.map(({ name }) => name).sort(), ["inside.txt", "other.txt", "report.txt"]);
    assert.ok(added.ids.includes(inside.id), "a file that is in the shipment keeps its place");
    assert.deepEqual((await share(key, [second.ids[0] ?? "", other.id], { shareShortId: opened.shortId })).ids, added.ids);
    assert.deepEqual(await getShare(server, second.shortId), before);
    assert.equal(await (await fetch(url)).text(), "inside");
    assert.equal((await listFiles(server, key, { search: "report" })).files[0]?.linkCount, 4);
  });

  test("files are added only to an open shipment of the account, without settings", async () => {
    const { key, file, second } = await makeThree();
    const client = clientOf(server, { key });
    const stranger = clientOf(server, { key: (await addAccount(server)).key });
    const shipment = (await client.call("createShare", {})).data.shortId;
    const closed = (await client.call("createShare", {})).data.shortId;
    await client.call("closeShare", { shortId: closed });
    const foreign = (await stranger.call("createShare", {})).data.shortId;
    const refused = async (json: object, expected: { status: number; code: string }) =>
      assertRefused(await call(server, "POST", "/api/files/share", { key, json: { fileIds: [file.id], ...json } }), expected);
    for (const shareShortId of [foreign, second.shortId, "unknown1"]) await refused({ shareShortId }, { status: 404, code: "NOT_FOUND" });
    await refused({ shareShortId: closed }, { status: 409, code: "SHARE_EXPIRED" });
    for (const field of [{ move: true }, { protect: true }, { ttl: "7d" }, { title: "New" }])
      await refused({ shareShortId: shipment, ...field }, { status: 400, code: "VALIDATION_FAILED" });
    assert.deepEqual((await getShare(server, shipment)).files, []);
    assert.equal((await details(key, file.id)).links.length, 3);
  });

  test("a removed file in a chosen folder is left out, and is refused if it was chosen itself or is the only one", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const folderId = (await client.call("createFolder", { name: "Mixed" })).data.id;
    const [infected, clean] = await Promise.all(
      ["infected.txt", "clean.txt"].map((name) => upload(server, { name, bytes: name, fields: { folderId } }, { key })),
    );
    await withDatabase(server, (db) =>
      db
        .updateTable("files")
        .set({ blob_state: "removed", scan_status: "unavailable", scan_reason: "infected" })
        .where("id", "=", infected?.id ?? "")
        .execute(),
    );
    const { shortId } = (await client.call("shareFiles", { folderIds: [folderId] })).data;
    assert.equal((await getShare(server, shortId)).data.name, "clean.txt");
    const conflict = { status: 409, code: "CONFLICT" };
    const chosen = { fileIds: [infected?.id], folderIds: [folderId] };
    assertRefused(await call(server, "POST", "/api/files/share", { key, json: chosen }), conflict);
    await client.call("deleteFile", { fileId: clean?.id ?? "", allLinks: true });
    assertRefused(await call(server, "POST", "/api/files/share", { key, json: { folderIds: [folderId] } }), conflict);
  });

  test("two IDs of one file give it one place in a new share, and one entry in a ZIP", async () => {
    const { key, places } = await makeThree();
    assert.equal((await share(key, places)).ids.length, 1);
    assert.equal((await listFiles(server, key)).files[0]?.linkCount, 4);
    const { url } = await clientOf(server, { key }).call("archiveFiles", { fileIds: places });
    const { url: single } = await clientOf(server, { key }).call("archiveFiles", { fileIds: places.slice(0, 1) });
    const sizeOf = async (address: string) => (await fetch(address, { method: "HEAD" })).headers.get("content-length");
    assert.equal(await sizeOf(url), await sizeOf(single));
  });

  test("a takedown acts on all places, which are listed first, and its undoing restores exactly those", async () => {
    const { key, places, shortIds } = await makeThree();
    await clientOf(server, { key }).call("closeShare", { shortId: shortIds[1] ?? "" });
    const admin = clientOf(server, { key: server.admin.key });
    const [listed] = (await admin.call("listAllFiles", { search: places[0] ?? "" })).data;
    assert.deepEqual(
      listed?.otherPlaces.map(({ id }) => id),
      [places[2]],
    );
    const { data } = await admin.call("takeDownFile", { fileId: places[0] ?? "" });
    assert.deepEqual(
      data.otherPlaces.map(({ shortId }) => shortId),
      [shortIds[2]],
    );
    for (const shortId of shortIds) assert.equal((await askShare(server, shortId)).status, 404);
    assert.deepEqual(
      (await listFiles(server, key)).files.map(({ status, links }) => [status, links.length]),
      [["dmca_removed", 0]],
    );
    await admin.call("restoreFile", { fileId: places[2] ?? "" });
    assert.deepEqual(await Promise.all(shortIds.map(async (shortId) => (await askShare(server, shortId)).status)), [200, 404, 200]);
    assert.deepEqual(
      (await listFiles(server, key)).files.map(({ id, status, linkCount }) => [id, status, linkCount]),
      [[places[0], "active", 2]],
    );
  });

  test("a takedown by the ID of an ended place keeps the bytes of the others in quarantine, and removes them in time", async () => {
    const { key, places, shortIds } = await makeThree();
    await clientOf(server, { key }).call("closeShare", { shortId: shortIds[0] ?? "" });
    const admin = clientOf(server, { key: server.admin.key });
    const readRows = () =>
      withDatabase(server, (db) =>
        db.selectFrom("files").select(["id", "status", "blob_state", "remove_at"]).where("id", "in", places).execute(),
      );
    await until("the ended place has no bytes", async () => (await readRows()).some(({ blob_state }) => blob_state === "removed"));
    const { data } = await admin.call("takeDownFile", { fileId: places[0] ?? "" });
    assert.ok(Date.parse(data.bytesUntil) > Date.now());
    const rows = await readRows();
    assert.equal(rows.length, 3);
    for (const { status, blob_state, remove_at } of rows)
      assert.deepEqual([status, remove_at !== null], ["dmca_removed", blob_state === "stored"]);
    assert.equal(rows.filter(({ remove_at }) => remove_at !== null).length, 2);
  });

  test("the takedown of a share acts on its files in other shares, and on nothing else there", async () => {
    const { key } = await addAccount(server);
    const [a, b] = [await upload(server, { name: "a", bytes: "a" }, { key }), await upload(server, { name: "b", bytes: "b" }, { key })];
    const both = await share(key, [a.id, b.id]);
    const admin = clientOf(server, { key: server.admin.key });
    const { data } = await admin.call("takeDownShare", { shortId: a.shortId });
    assert.deepEqual(
      data.otherPlaces.map(({ shortId }) => shortId),
      [both.shortId],
    );
    assert.deepEqual(
      (await getShare(server, both.shortId)).data.files?.map(({ name }) => name),
      ["b"],
    );
    assert.equal((await askShare(server, b.shortId)).status, 200);
    await admin.call("restoreTakenDown", { shortId: a.shortId });
    assert.deepEqual(
      (await getShare(server, both.shortId)).data.files?.map(({ name }) => name),
      ["a", "b"],
    );
    assert.equal((await askShare(server, a.shortId)).status, 200);
  });
});
