import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, clientOf, deleteFile, getShare, type InputOf, type Upload } from "../support/api/api.ts";
import { BYTES, makeDelegation } from "../support/api/fixtures.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { assertNear, inDays } from "../support/shares/settings.ts";
import { authorizeWith, changeSettings, credentialsIn, patchSettings, unlock } from "../support/shares/shares.ts";
import { complete, init, type Session, sendParts, sha256 } from "../support/uploads/multipart.ts";

/** sharing, "Changing a share"; uploads, "Completing". For each field the latest value applies. */
describe("settings of a share that is still uploading", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro", username: "grace" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const startUpload = (fields: object): Promise<Session> => init(server, { fileSize: BYTES.length, ...fields }, { key: server.owner.key });
  const patch = ({ fileId }: { readonly fileId: string }, settings: Omit<InputOf<"updateShareSettings">, "fileId">) =>
    changeSettings(server, { fileId, ...settings }, server.owner.key);
  const finish = async (session: Session, fields: object = {}): Promise<Upload> => {
    await sendParts(server, session, BYTES, { key: server.owner.key });
    return await complete(server, session, fields, { key: server.owner.key });
  };
  const shareOf = (shortId: string) =>
    withDatabase(server, async (db) => {
      const { visibility, direct, retention, expires_at, handoff_message } = await db
        .selectFrom("shares")
        .selectAll()
        .where("short_id", "=", shortId)
        .executeTakeFirstOrThrow();
      return { visibility, direct, retention, expires_at, message: handoff_message };
    });

  test("changes during the upload are kept at completion", async () => {
    const session = await startUpload({ visibility: "unlisted", direct: true, ttl: "1d", handoffMessage: "first" });
    const expiresAt = inDays(20);
    assert.equal((await patch(session, { visibility: "public", direct: false, expiresAt, handoffMessage: "second" })).visibility, "public");
    const file = await finish(session);
    assert.equal(file.expiresAt, expiresAt);
    const expected = { visibility: "public", direct: 0, retention: "ttl", expires_at: Date.parse(expiresAt), message: "second" };
    assert.deepEqual(await shareOf(file.shortId), expected);
  });

  test("values of init that nobody changed are kept at completion", async () => {
    const session = await startUpload({ visibility: "public", direct: true, handoffMessage: "first" });
    await patch(session, { handoffMessage: null });
    const { shortId } = await finish(session);
    assert.deepEqual(await shareOf(shortId), { visibility: "public", direct: 1, retention: "ttl", expires_at: null, message: null });
  });

  test("fields sent at complete replace earlier values", async () => {
    const session = await startUpload({ visibility: "unlisted" });
    await patch(session, { visibility: "public", direct: true, expiresAt: inDays(20), handoffMessage: "second" });
    const file = await finish(session, { visibility: "unlisted", ttl: "2d", handoffMessage: "third" });
    const { expires_at, ...share } = await shareOf(file.shortId);
    assert.deepEqual(share, { visibility: "unlisted", direct: 1, retention: "ttl", message: "third" });
    assertNear(expires_at ?? 0, Date.parse(inDays(2)));
  });

  test("the title and the message of init can be changed and cleared during the upload", async () => {
    const session = await startUpload({ title: "First", message: "First" });
    await patch(session, { title: "Second", message: null });
    const { shortId } = await finish(session);
    const { title, message } = await getShare(server, shortId);
    assert.deepEqual({ title, message }, { title: "Second", message: null });
  });

  test("a download limit can be set, changed and cleared during the upload", async () => {
    const limitOf = async (fields: object, ...changes: readonly Parameters<typeof patch>[1][]) => {
      const session = await startUpload(fields);
      for (const change of changes) await patch(session, change);
      const { shortId } = await finish(session);
      return await withDatabase(server, (db) =>
        db.selectFrom("shares").select(["once", "max_downloads"]).where("short_id", "=", shortId).executeTakeFirstOrThrow(),
      );
    };
    assert.deepEqual(await limitOf({}, { maxDownloads: 4 }), { once: 0, max_downloads: 4 });
    assert.deepEqual(await limitOf({ maxDownloads: 4 }, { handoffMessage: "x" }), { once: 0, max_downloads: 4 });
    assert.deepEqual(await limitOf({ maxDownloads: 4 }, { maxDownloads: null }), { once: 0, max_downloads: null });
    assert.deepEqual(await limitOf({ maxDownloads: 4 }, { once: true }), { once: 1, max_downloads: 1 });
    assert.deepEqual(await limitOf({ once: true }, { maxDownloads: 4 }), { once: 0, max_downloads: 4 });
    assert.deepEqual(await limitOf({ once: true }, { once: false }), { once: 0, max_downloads: null });
    assert.deepEqual(await limitOf({ maxDownloads: 4 }, { once: false }), { once: 0, max_downloads: 4 });
    assert.deepEqual(await limitOf({}, { once: true }, { once: false }), { once: 0, max_downloads: null });
    const immutable = await startUpload({ maxDownloads: 4 });
    await patch(immutable, { immutable: true });
    assertRefused(await patchSettings(server, { fileId: immutable.fileId, maxDownloads: 3 }, server.owner.key), {
      status: 409,
      code: "IMMUTABLE",
    });
    await patch(immutable, { maxDownloads: 5 });
  });

  test("retention forever can be set and ended during the upload", async () => {
    const session = await startUpload({ visibility: "public", ttl: "1d" });
    await patch(session, { retention: "forever" });
    const forever = await finish(session);
    assert.deepEqual([(await shareOf(forever.shortId)).retention, forever.expiresAt], ["forever", null]);
    const other = await startUpload({ visibility: "public", retention: "forever" });
    await patch(other, { visibility: "unlisted" });
    assert.equal((await shareOf((await finish(other)).shortId)).retention, "ttl");
  });

  test("extendTtl lengthens the expiry of init and never shortens it", async () => {
    const short = await startUpload({ ttl: "1h" });
    await patch(short, { extendTtl: "7d" });
    const longer = Date.parse((await finish(short)).expiresAt ?? "");
    assertNear(longer, Date.parse(inDays(7)));
    const long = await startUpload({ ttl: "30d" });
    await patch(long, { extendTtl: "7d" });
    const same = Date.parse((await finish(long)).expiresAt ?? "");
    assertNear(same, Date.parse(inDays(30)));
  });

  test("the tier's longest expiry applies during the upload", async () => {
    const session = await startUpload({});
    assertRefused(await patchSettings(server, { fileId: session.fileId, expiresAt: inDays(400) }, server.owner.key), {
      status: 400,
      code: "EXPIRY_TOO_LONG",
    });
    assert.equal((await finish(session)).expiresAt, null);
  });

  const opens = async (fileId: string, unlockCode?: string): Promise<number> =>
    (await authorizeWith(server, fileId, { unlockCode })).status;

  test("protection set during the upload replaces that of init", async () => {
    for (const protect of [true, false, undefined]) {
      const session = await startUpload({ protect });
      const { unlockCode } = credentialsIn(await patch(session, { protect: true }));
      const file = await finish(session);
      assert.deepEqual([file.unlockCode, file.handoffUrl], [undefined, undefined]);
      assert.deepEqual([await opens(file.id), await opens(file.id, unlockCode)], [403, 200]);
    }
  });

  test("protection removed during the upload stays removed", async () => {
    const session = await startUpload({ protect: true });
    await patch(session, { protect: false });
    const file = await finish(session);
    assert.deepEqual([file.unlockCode, await opens(file.id)], [undefined, 200]);
  });

  test("protection set at complete ends the earlier credentials and unlock tokens", async () => {
    const session = await startUpload({});
    const old = credentialsIn(await patch(session, { protect: true }));
    const unlocked = await unlock(server, { shortId: session.shortId, unlockCode: old.unlockCode });
    const file = await finish(session, { protect: true });
    assert.deepEqual([await opens(file.id, old.unlockCode), await opens(file.id, file.unlockCode)], [403, 200]);
    assert.equal((await authorizeWith(server, file.id, { unlockToken: unlocked.unlockToken })).status, 403);
    const other = await startUpload({});
    await patch(other, { protect: true });
    assert.equal(await opens((await finish(other, { protect: false })).id), 200);
  });

  test("the owner can change the settings of a delegated upload", async () => {
    const { delegationToken, uploadId, key } = await makeDelegation({ server, owner: server.owner }, { protect: true, immutable: true });
    const json = { delegationToken, uploadId, key, partDigests: { "1": sha256(BYTES) } };
    const { urls } = await clientOf(server).call("batchDelegatedPartUrls", json);
    const state = await clientOf(server, { key: server.owner.key }).call("getMultipart", { uploadId });
    const { unlockCode } = credentialsIn(await patch(state.data, { immutable: false, protect: true, visibility: "public" }));
    const put = await fetch(urls["1"] ?? "", { method: "PUT", body: BYTES });
    assert.equal(put.status, 200);
    const made = await clientOf(server).call("completeDelegatedMultipart", { delegationToken, uploadId, key });
    const { id, shortId } = made.data;
    assert.deepEqual([await opens(id), await opens(id, unlockCode)], [403, 200]);
    assert.equal((await shareOf(shortId)).visibility, "public");
    await deleteFile(server, { fileId: id }, { key: server.owner.key });
  });
});
