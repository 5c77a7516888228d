import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, call, clientOf, getShare, type InputOf, signedUrl, upload } from "../support/api/api.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** expiry, "Takedown"; model, "Places". */
describe("a takedown of files in several shares", () => {
  let server: ServerWith<"admin">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { admin: { isAdministrator: true } });
  });
  after(() => server[Symbol.asyncDispose]());

  const admin = () => clientOf(server, { key: server.admin.key });
  const takeDown = async (shortId: string) => (await admin().call("takeDownShare", { shortId })).data;
  const undo = async (shortId: string) => (await admin().call("restoreTakenDown", { shortId })).data;
  const refuseUndo = async (shortId: string) =>
    assertRefused(await call(server, "POST", `/api/admin/shares/${shortId}/restore`, { key: server.admin.key, json: {} }), CONFLICT);
  const CONFLICT = { status: 409, code: "CONFLICT" };

  /** Shares files again. Resolves to the short ID and the IDs of the places. */
  async function share(key: string, fileIds: readonly string[], fields: Partial<InputOf<"shareFiles">> = {}) {
    const { shortId } = (await clientOf(server, { key }).call("shareFiles", { fileIds: [...fileIds], ...fields })).data;
    const ids = await withDatabase(server, (db) => db.selectFrom("files").select(["id", "name"]).where("short_id", "=", shortId).execute());
    return { shortId, idOf: (name: string) => ids.find((file) => file.name === name)?.id ?? "" };
  }
  /** Returns the names of the files that anybody sees in a share; null if it is not open. */
  async function namesIn(shortId: string): Promise<readonly string[] | null> {
    if ((await askShare(server, shortId)).status === 404) return null;
    const { data } = await getShare(server, shortId);
    return (data.files ?? [data]).map(({ name }) => name).sort();
  }

  /** `bad.txt` in the share C, `fine.txt` in another share, and both in the share A. */
  async function makeBadAndFine() {
    const { key } = await addAccount(server);
    const [bad, fine] = [
      await upload(server, { name: "bad.txt", bytes: "bad" }, { key }),
      await upload(server, { name: "fine.txt", bytes: "fine" }, { key }),
    ];
    const { shortId } = await share(key, [bad.id, fine.id]);
    return { key, a: shortId, c: bad.shortId, ofFine: fine.shortId, bad };
  }

  test("its undoing leaves what an earlier takedown has blocked", async () => {
    const { a, c, ofFine } = await makeBadAndFine();
    await takeDown(c);
    assert.deepEqual(await namesIn(a), ["fine.txt"]);
    await takeDown(a);
    const undone = await undo(a);
    assert.deepEqual([undone.files.map(({ name }) => name), undone.stillBlocked, undone.reopenedShares], [["fine.txt"], 1, [ofFine]]);
    assert.deepEqual([await namesIn(a), await namesIn(c)], [["fine.txt"], null]);
    const rest = await undo(c);
    assert.deepEqual(
      rest.otherPlaces.map(({ shortId }) => shortId),
      [a],
    );
    assert.deepEqual([await namesIn(a), await namesIn(c)], [["bad.txt", "fine.txt"], ["bad.txt"]]);
  });

  test("its undoing leaves what a later takedown blocks too", async () => {
    const { a, c } = await makeBadAndFine();
    await takeDown(a);
    assert.equal(await namesIn(c), null);
    await takeDown(c);
    await undo(a);
    assert.deepEqual([await namesIn(a), await namesIn(c)], [["fine.txt"], null]);
    await undo(c);
    assert.deepEqual([await namesIn(a), await namesIn(c)], [["bad.txt", "fine.txt"], ["bad.txt"]]);
  });

  test("its undoing leaves another share that was taken down itself", async () => {
    const { key } = await addAccount(server);
    const [x, phish] = [
      await upload(server, { name: "x", bytes: "x" }, { key }),
      await upload(server, { name: "phish", bytes: "phish" }, { key }),
    ];
    const b = await share(key, [x.id, phish.id]);
    await takeDown(x.shortId);
    await takeDown(b.shortId);
    const undone = await undo(x.shortId);
    assert.deepEqual([undone.otherPlaces, undone.reopenedShares], [[], []]);
    assert.deepEqual([await namesIn(x.shortId), await namesIn(b.shortId)], [null, null], "the takedown of B blocks x everywhere");
    await undo(b.shortId);
    assert.deepEqual([await namesIn(x.shortId), await namesIn(b.shortId)], [["x"], ["phish", "x"]]);
  });

  test("its undoing names the other shares that are open again, also in the audit log and the command", async () => {
    const { a, c } = await makeBadAndFine();
    const again = await admin().call("takeDownShare", { shortId: a });
    assert.equal(again.data.otherPlaceCount, 2);
    const { code, stderr } = await server.run(["takedown", a, "--undo"]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`of the share ${c} back too, which is open again`));
    const { data } = await admin().call("listAuditLog", { subject: c });
    const entries = data.filter(({ action }) => action === "share.taken_down" || action === "share.restored");
    assert.deepEqual(
      entries.map(({ action }) => action),
      ["share.restored", "share.taken_down"],
    );
    assert.equal(new Set(entries.map(({ details }) => details.takedown)).size, 1);
  });

  test("a share that another takedown has closed is restored with that one", async () => {
    const { a, c } = await makeBadAndFine();
    await takeDown(a);
    await refuseUndo(c);
    await undo(a);
    assert.deepEqual(await namesIn(c), ["bad.txt"]);
  });

  test("a file of a share that was taken down comes back alone, with its other places", async () => {
    const { a, c, bad } = await makeBadAndFine();
    await takeDown(a);
    const { data } = await admin().call("restoreFile", { fileId: bad.id });
    assert.deepEqual([data.isBack, await namesIn(a), await namesIn(c)], [true, null, ["bad.txt"]]);
    await undo(a);
    assert.deepEqual(await namesIn(a), ["bad.txt", "fine.txt"]);
  });

  for (const repeat of ["share", "file"] as const) {
    test(`a ${repeat} is taken down again, with its other places, after its file came back alone in another share`, async () => {
      const { a, c, bad } = await makeBadAndFine();
      await takeDown(a);
      await admin().call("restoreFile", { fileId: bad.id });
      assert.deepEqual(await namesIn(c), ["bad.txt"]);
      const places = await withDatabase(server, (db) =>
        db.selectFrom("files").select("id").where("origin_id", "=", bad.id).where("short_id", "=", a).execute(),
      );
      const { data } =
        repeat === "share"
          ? await admin().call("takeDownShare", { shortId: a })
          : await admin().call("takeDownFile", { fileId: places[0]?.id ?? "" });
      assert.deepEqual([data.otherPlaces.map(({ shortId }) => shortId), await namesIn(c)], [[c], null]);
    });
  }

  test("acts on other shares also for a file that the owner has deleted from the named one", async () => {
    const { key, a, c, ofFine, bad } = await makeBadAndFine();
    const [place] = await withDatabase(server, (db) =>
      db.selectFrom("files").select("id").where("origin_id", "=", bad.id).where("short_id", "=", a).execute(),
    );
    await clientOf(server, { key }).call("deleteFile", { fileId: place?.id ?? "" });
    const { data } = await admin().call("takeDownShare", { shortId: a });
    assert.deepEqual(
      data.files.map(({ name }) => name),
      ["fine.txt"],
    );
    assert.deepEqual(data.otherPlaces.map(({ shortId }) => shortId).toSorted(), [c, ofFine].toSorted());
    assert.equal(await namesIn(c), null);
  });

  test("its undoing does not bring back a file that the owner has deleted with all links meanwhile", async () => {
    const { key, a, c, bad } = await makeBadAndFine();
    await takeDown(a);
    await admin().call("restoreFile", { fileId: bad.id });
    await clientOf(server, { key }).call("deleteFile", { fileId: bad.id, allLinks: true });
    await undo(a);
    assert.deepEqual([await namesIn(a), await namesIn(c)], [["fine.txt"], null]);
  });

  test("its undoing leaves the bytes of a used-up place blocked if they were added to the blocklist", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { name: "one", bytes: `used ${key}`, fields: { once: "true" } }, { key });
    const url = await signedUrl(server, file.id);
    await admin().call("takeDownShare", { shortId: file.shortId, block: true });
    await call(server, "POST", `/api/admin/shares/${file.shortId}/restore`, { key: server.admin.key, json: {} });
    assert.equal((await fetch(url)).status, 404);
  });

  for (const [what, end] of [
    ["deleted by its owner", (key: string, fileId: string) => clientOf(server, { key }).call("deleteFile", { fileId })],
    ["used up", (_key: string, fileId: string) => signedUrl(server, fileId)],
  ] as const)
    test(`its undoing opens a share whose last other file was ${what} meanwhile`, async () => {
      const { key } = await addAccount(server);
      const [bad, fine] = [
        await upload(server, { name: "bad.txt", bytes: "bad" }, { key }),
        await upload(server, { name: "fine.txt", bytes: "fine" }, { key }),
      ];
      const both = await share(key, [bad.id, fine.id], { title: "Both", once: true });
      await takeDown(bad.shortId);
      await end(key, both.idOf("fine.txt"));
      assert.equal(await namesIn(both.shortId), null);
      await undo(bad.shortId);
      assert.equal((await getShare(server, both.shortId)).title, "Both");
      assert.equal((await fetch(await signedUrl(server, both.idOf("bad.txt")))).status, 200);
    });

  test("its undoing ends the places that cannot come back, and releases their storage", async () => {
    const { key, a, c, bad } = await makeBadAndFine();
    const files = async () => {
      const { limits } = (await clientOf(server, { key }).call("getMe", {})).data;
      return limits.files - limits.filesLeft;
    };
    const place = () =>
      withDatabase(server, (db) =>
        db
          .selectFrom("files")
          .select(["status", "blob_state"])
          .where("short_id", "=", a)
          .where("size_bytes", "=", "bad".length)
          .executeTakeFirstOrThrow(),
      );
    assert.equal(await files(), 4);
    await takeDown(c);
    await clientOf(server, { key }).call("deleteFile", { fileId: a });
    assert.deepEqual(await place(), { status: "dmca_removed", blob_state: "stored" });
    await undo(c);
    assert.deepEqual([await namesIn(a), await namesIn(c)], [null, ["bad.txt"]]);
    await until("the lost place is removed", async () => (await place()).blob_state === "removed");
    assert.deepEqual([(await place()).status, await files()], ["deleted", 2]);
    assert.equal(await (await fetch(await signedUrl(server, bad.id))).text(), "bad");
    await clientOf(server, { key }).call("deleteFile", { fileId: bad.id });
    assert.equal(await files(), 1);
  });

  test("its undoing expires a share whose used-up file nobody is downloading any more", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { name: "once.txt", bytes: `once ${key}` }, { key });
    const once = await share(key, [file.id], { once: true });
    await signedUrl(server, once.idOf("once.txt"));
    await takeDown(file.shortId);
    const grantsOf = (fileId: string) =>
      withDatabase(server, (db) => db.updateTable("download_grants").set({ expires_at: 1 }).where("file_id", "=", fileId).execute());
    await grantsOf(once.idOf("once.txt"));
    await undo(file.shortId);
    const { status } = await withDatabase(server, (db) =>
      db.selectFrom("shares").select("status").where("short_id", "=", once.shortId).executeTakeFirstOrThrow(),
    );
    assert.equal(status, "expired");
    assert.deepEqual(await namesIn(file.shortId), ["once.txt"]);
  });

  test("acts on other shares although the owner has deleted the named one", async () => {
    const { key, a, c, bad } = await makeBadAndFine();
    const { id: reportId } = (await clientOf(server).call("createReport", { shortId: c, reason: "malware" })).data;
    await clientOf(server, { key }).call("deleteFile", { fileId: bad.id });
    const report = (await admin().call("getReport", { id: reportId })).data;
    assert.deepEqual([report.shareStatus, report.otherPlaces.map(({ shortId }) => shortId)], ["deleted", [a]]);
    const { data } = await admin().call("takeDownReported", { id: reportId });
    assert.deepEqual([data.otherPlaces.map(({ shortId }) => shortId), data.otherPlaceCount], [[a], 1]);
    assert.ok(Date.parse(data.bytesUntil) > Date.now());
    assert.deepEqual(await namesIn(a), ["fine.txt"]);
    const undone = await undo(c);
    assert.deepEqual([undone.files, undone.otherPlaces.length, await namesIn(a), await namesIn(c)], [[], 1, ["bad.txt", "fine.txt"], null]);
  });

  test("acts on other shares although the owner has deleted the named file", async () => {
    const { key, a, bad } = await makeBadAndFine();
    await clientOf(server, { key }).call("deleteFile", { fileId: bad.id });
    const { code, stdout, stderr } = await server.run(["takedown", bad.id, "--json"]);
    assert.equal(code, 0, stderr);
    assert.deepEqual([JSON.parse(stdout).state, JSON.parse(stdout).otherPlaceCount], ["deleted", 1]);
    assert.deepEqual(await namesIn(a), ["fine.txt"]);
    assert.equal((await server.run(["takedown", bad.id])).code, 6, "it was already taken down");
    assert.equal((await server.run(["takedown", bad.id, "--undo"])).code, 0);
    assert.deepEqual(await namesIn(a), ["bad.txt", "fine.txt"]);
  });

  test("is refused for a deleted share whose files are in no other one", async () => {
    const { key } = await addAccount(server);
    const shipment = await uploadShipment(server, { key, paths: ["a.txt"] });
    await clientOf(server, { key }).call("deleteFile", { fileId: shipment.shortId });
    const refused = await call(server, "POST", `/api/admin/shares/${shipment.shortId}/takedown`, { key: server.admin.key, json: {} });
    assertRefused(refused, { status: 404, code: "NOT_FOUND" });
  });

  test("by the ID of an ended place is undone by that ID", async () => {
    const { key, a, c, bad } = await makeBadAndFine();
    await clientOf(server, { key }).call("closeShare", { shortId: c });
    for (const [take, back] of [
      [() => admin().call("takeDownFile", { fileId: bad.id }), () => admin().call("restoreFile", { fileId: bad.id })],
      [() => admin().call("takeDownShare", { shortId: c }), () => admin().call("restoreTakenDown", { shortId: c })],
    ] as const) {
      const taken = await take();
      assert.ok(Date.parse(taken.data.bytesUntil) > Date.now());
      assert.deepEqual(await namesIn(a), ["fine.txt"]);
      const { data } = await back();
      assert.deepEqual(
        [data.otherPlaces.map(({ shortId }) => shortId), await namesIn(a), await namesIn(c)],
        [[a], ["bad.txt", "fine.txt"], null],
      );
    }
  });

  test("several places of one file are one takedown, and one undoing", async () => {
    const { a, bad } = await makeBadAndFine();
    const places = await withDatabase(server, (db) =>
      db.selectFrom("files").select("id").where("origin_id", "=", bad.id).where("short_id", "=", a).execute(),
    );
    const fileIds = [bad.id, ...places.map(({ id }) => id)];
    const taken = (await admin().call("takeDownFiles", { fileIds })).data;
    assert.deepEqual([taken.takenDown.map(({ id }) => id), taken.refused], [fileIds, []]);
    const restored = (await admin().call("restoreFiles", { fileIds: fileIds.toReversed() })).data;
    assert.deepEqual(
      restored.restored.map(({ id, isBack }) => [id, isBack]),
      fileIds.toReversed().map((id) => [id, true]),
    );
  });

  test("its undoing keeps counted URLs of other files of a limited share that stayed open", async () => {
    const { key } = await addAccount(server);
    const [one, two] = [
      await upload(server, { name: "one", bytes: "1" }, { key }),
      await upload(server, { name: "two", bytes: "2" }, { key }),
    ];
    const b = await share(key, [one.id, two.id], { once: true });
    const url = await signedUrl(server, b.idOf("two"));
    await takeDown(one.shortId);
    await undo(one.shortId);
    assert.equal(await (await fetch(url)).text(), "2");
  });

  test("its undoing does not open a used-up place, and lets its counted download finish", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { name: "one", bytes: "used" }, { key });
    const b = await share(key, [file.id], { once: true });
    const url = await signedUrl(server, b.idOf("one"));
    const readEvents = () =>
      withDatabase(server, (db) =>
        db.selectFrom("events").select("id").where("type", "=", "file.expired").where("file_id", "=", b.idOf("one")).execute(),
      );
    const before = await readEvents();
    await takeDown(file.shortId);
    assert.equal((await fetch(url)).status, 404);
    await undo(file.shortId);
    assert.equal((await askShare(server, b.shortId)).status, 404);
    assert.equal(await (await fetch(url)).text(), "used");
    assert.deepEqual(await readEvents(), before);
  });

  test("its undoing leaves a place whose limit was lowered meanwhile used up", async () => {
    const { key } = await addAccount(server);
    const [one, two] = [
      await upload(server, { name: "one", bytes: "1" }, { key }),
      await upload(server, { name: "two", bytes: "2" }, { key }),
    ];
    const b = await share(key, [one.id, two.id], { maxDownloads: 5 });
    await (await fetch(await signedUrl(server, b.idOf("one")))).text();
    await takeDown(one.shortId);
    await clientOf(server, { key }).call("updateShareSettings", { fileId: b.idOf("two"), maxDownloads: 1 });
    await undo(one.shortId);
    await until("the place is used up", async () => (await namesIn(b.shortId))?.join() === "two");
    assert.equal(await (await fetch(await signedUrl(server, b.idOf("two")))).text(), "2");
  });
});
