import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts.ts";
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
} from "../support/api.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { idsIn, shareFiles } from "../support/shares.ts";
import { withDatabase } from "../support/state.ts";

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
    assert.equal((await clientOf(server, { key }).call("listFileIds", {})).data.ids.length, 1);
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

  test("two IDs of one file give it one place in a new share", async () => {
    const { key, places } = await makeThree();
    assert.equal((await share(key, places)).ids.length, 1);
    assert.equal((await listFiles(server, key)).files[0]?.linkCount, 4);
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
