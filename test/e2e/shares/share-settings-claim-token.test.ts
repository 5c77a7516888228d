import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { ownershipContract, publishFields } from "../../../src/service/shares/contract.ts";
import {
  assertRefused,
  authorize,
  clientOf,
  deleteFile,
  getShare,
  type InputOf,
  signedUrl,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { withDatabase } from "../support/servers/state.ts";
import { assertNear, inDays, type SettingsServer, settingsCalls, startSettingsServer, UNCHANGED } from "../support/shares/settings.ts";
import { authorizeWith, claim, credentialsIn, patchSettings, postClaim } from "../support/shares/shares.ts";

/** The fields that name the share, and those that a claim token may change. */
const ALLOWED = [
  ...["force", "currency"],
  ...["fileId", "shortId", "claimToken"],
  ...["title", "message", "expiresAt", "extendTtl", "protect", "password", "handoffMessage", "maxDownloads", "once"],
];

/** sharing, "Changing a share" and "Claiming"; expiry, "How long a share is kept". */
describe("share settings by claim token", () => {
  let server: SettingsServer;
  before(async () => {
    server = await startSettingsServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const { expiryOf } = settingsCalls(() => server);
  const anonymous = (fields: Record<string, string> = {}): Promise<Upload> => upload(server, { bytes: "hello", fields });
  /** Changes settings, and returns those of the response but the latest expiry. */
  const settings = async (fields: InputOf<"updateShareSettings">) => {
    const { latestExpiresAt: _, ...data } = (await clientOf(server).call("updateShareSettings", fields)).data;
    return data;
  };
  const change = ({ id, claimToken }: Upload, fields: InputOf<"updateShareSettings">) => settings({ fileId: id, claimToken, ...fields });
  const patch = ({ id, claimToken }: Upload, fields: object, key?: string) =>
    patchSettings(server, { fileId: id, claimToken, ...fields }, key);
  const setShare = (file: Upload, columns: { created_at?: number; expires_at?: number }) =>
    withDatabase(server, (db) => db.updateTable("shares").set(columns).where("short_id", "=", file.shortId).execute());

  test("names the share by fileId or shortId and returns its settings", async () => {
    const file = await anonymous();
    const { expires_at } = await getShare(server, file.shortId);
    const expected = { fileId: file.id, shortId: file.shortId, ...UNCHANGED, expiresAt: expires_at };
    assert.deepEqual(await change(file, {}), expected);
    for (const named of [{ fileId: file.shortId }, { fileId: null, shortId: file.shortId }])
      assert.deepEqual(await change(file, { ...named, extendTtl: "1d" }), expected);
  });

  test("sets protection, the message of the handoff link and download limits", async () => {
    const file = await anonymous();
    const { unlockCode, handoffToken } = credentialsIn(await change(file, { protect: true, handoffMessage: "For you" }));
    assert.equal((await clientOf(server).call("getHandoff", { token: handoffToken })).message, "For you");
    await signedUrl(server, file.id, { unlockCode });
    assertRefused(await authorize(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
    const url = await signedUrl(server, file.id, { unlockCode });
    await change(file, { maxDownloads: 3 });
    assert.equal((await fetch(url)).status, 403);
    assert.equal((await change(file, { protect: false })).unlockRequired, false);
    await signedUrl(server, file.id);
    assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
    const once = await anonymous({ once: "true" });
    await change(once, { once: false });
    await signedUrl(server, once.id);
    await change(once, { once: true });
    assertRefused(await authorize(server, once.id), { status: 404, code: "NOT_FOUND" });
  });

  test("sets and clears the title and the message", async () => {
    const file = await anonymous();
    const shown = async () => {
      const { title, message } = await getShare(server, file.shortId);
      return { title, message };
    };
    await change(file, { title: "  Slides\n", message: "Room 12\nat nine" });
    assert.deepEqual(await shown(), { title: "Slides", message: "Room 12\nat nine" });
    await change(file, { title: "t".repeat(120) });
    assert.deepEqual(await shown(), { title: "t".repeat(120), message: "Room 12\nat nine" });
    for (const fields of [{ title: "t".repeat(121) }, { message: "m".repeat(481) }])
      assertRefused(await patch(file, fields), { status: 400, code: "VALIDATION_FAILED" });
    await change(file, { title: "a\u202eb\u0007\u2066", message: "a\u202eb\u0007\n\tc\u2069" });
    assert.deepEqual(await shown(), { title: "ab", message: "ab\n\tc" });
    await change(file, { title: null, message: "" });
    assert.deepEqual(await shown(), { title: null, message: null });
  });

  test("changes a shipment, empty or with files, by its shortId or a file", async () => {
    const { shortId, claimToken, shareToken } = (await clientOf(server).call("createShare", { title: "One" })).data;
    const { expires_at } = await getShare(server, shortId);
    const expected = { fileId: shortId, shortId, ...UNCHANGED, expiresAt: expires_at, title: "Two", maxDownloads: 2 };
    const empty = { ...expected, scanStatus: "pending" };
    assert.deepEqual(await settings({ claimToken, shortId, title: "Two", maxDownloads: 2 }), empty);
    assertRefused(await patchSettings(server, { shortId, claimToken: shareToken, title: "x" }), { status: 403, code: "WRONG_TOKEN" });
    const [first, second] = [
      await anonymous({ shareShortId: shortId, shareToken }),
      await anonymous({ shareShortId: shortId, shareToken }),
    ];
    assert.deepEqual(await settings({ claimToken, fileId: shortId, extendTtl: "1d" }), expected);
    assert.deepEqual(await settings({ claimToken, fileId: first.id, message: "Hello" }), {
      ...expected,
      fileId: first.id,
      message: "Hello",
    });
    const { title, message } = await getShare(server, shortId);
    assert.deepEqual({ title, message }, { title: "Two", message: "Hello" });
    await signedUrl(server, first.id);
    await settings({ claimToken, shortId, once: true });
    assertRefused(await authorize(server, first.id), { status: 404, code: "NOT_FOUND" });
    await signedUrl(server, second.id);
    assertRefused(await patchSettings(server, { shortId, claimToken, title: "x" }), { status: 404, code: "NOT_FOUND" });
  });

  test("is refused after a shipment is claimed", async () => {
    const { shortId, claimToken = "" } = (await clientOf(server).call("createShare", {})).data;
    await claim(server, { id: shortId, claimToken }, server.free.key);
    assertRefused(await patchSettings(server, { shortId, claimToken, title: "x" }), { status: 409, code: "CONFLICT" });
    await clientOf(server, server.free).call("updateShareSettings", { shortId, title: "Mine" });
    assert.equal((await getShare(server, shortId)).title, "Mine");
  });

  test("changes the expiry within the retention of anonymous uploads since the upload", async () => {
    const file = await anonymous({ ttl: "2h" });
    await change(file, { expiresAt: inDays(0.01) });
    assertNear(await expiryOf(file), Date.now() + 0.01 * DAY_MS);
    await change(file, { extendTtl: "2d" });
    assertNear(await expiryOf(file), Date.now() + 2 * DAY_MS);
    const createdAtMs = Date.now() - DAY_MS;
    await setShare(file, { created_at: createdAtMs });
    const latestMs = createdAtMs + 3 * DAY_MS;
    for (const fields of [{ extendTtl: "3d" }, { extendTtl: "49h" }, { expiresAt: inDays(2.1) }, { expiresAt: inDays(40) }]) {
      const response = await patch(file, fields);
      assertRefused(response, { status: 400, code: "EXPIRY_TOO_LONG" });
      assert.match(response.body.error ?? "", new RegExp(new Date(latestMs).toISOString()));
      assertNear(Date.now() + Number(response.body.maxTtlSeconds) * 1000, latestMs);
    }
    const { latestExpiresAt } = (await clientOf(server).call("updateShareSettings", { fileId: file.id, claimToken: file.claimToken })).data;
    assert.equal(Date.parse(latestExpiresAt), latestMs);
    await change(file, { expiresAt: latestExpiresAt });
    assert.equal(await expiryOf(file), latestMs);
    assertRefused(await patch(file, { expiresAt: inDays(-1) }), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await patch(file, { expiresAt: inDays(1), extendTtl: "1d" }), { status: 400, code: "VALIDATION_FAILED" });
    const unchanged = await anonymous();
    await change(unchanged, { expiresAt: unchanged.expiresAt });
  });

  test("refuses every other field, names it and changes nothing", async () => {
    const file = await anonymous();
    const others = {
      visibility: "public",
      direct: true,
      retention: "ttl",
      immutable: false,
      upstreamFileIds: [],
      priceCents: 0,
      priceThumbnails: true,
      ttl: "1h",
      runId: "build-42",
      folderId: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
      relativePath: "a/b.txt",
      modifiedAt: "2030-01-31T12:00:00Z",
      executable: true,
      openShare: false,
      shareShortId: file.shortId,
      shareToken: "share_invented",
      notify: true,
      alias: "trip-to-rome",
      requestToken: "rq_invented",
      senderName: "Ada",
      senderNote: "For Monday",
    };
    const all = Object.keys({ ...ownershipContract.updateShareSettings.input.shape, ...publishFields });
    assert.deepEqual(new Set([...Object.keys(others), ...ALLOWED]), new Set(all));
    for (const [name, value] of Object.entries(others)) {
      const response = await patch(file, { [name]: value, protect: true });
      assertRefused(response, { status: 403, code: "FORBIDDEN" });
      assert.match(response.body.error ?? "", new RegExp(`\\b${name}\\b`));
    }
    assert.equal((await patch(file, { ttl: null, direct: null, unknown: 1 })).status, 200);
    assert.equal((await getShare(server, file.shortId)).unlockRequired, false);
  });

  test("requires the token of this share", async () => {
    const [file, other] = [await anonymous(), await anonymous()];
    for (const claimToken of [other.claimToken, file.deletionToken, "claim_invented"])
      assertRefused(await patch(file, { claimToken, protect: true }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await patch(file, { fileId: "aaaaaaaaaaaaaaaa" }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await patch(file, { claimToken: "short" }), { status: 400, code: "VALIDATION_FAILED" });
    for (const claimToken of [undefined, null]) {
      const response = await patch(file, { claimToken, protect: true });
      assertRefused(response, { status: 401, code: "UNAUTHENTICATED" });
      assert.match(response.body.error ?? "", /claimToken/);
    }
    assert.equal((await getShare(server, file.shortId)).unlockRequired, false);
  });

  test("applies in place of a key that is sent too, which must be able to write", async () => {
    const file = await anonymous();
    assert.equal((await patch(file, { protect: true }, server.pro.key)).status, 200);
    assertRefused(await patch(file, { expiresAt: inDays(4) }, server.pro.key), { status: 400, code: "EXPIRY_TOO_LONG" });
    assertRefused(await patch(file, { direct: true }, server.pro.key), { status: 403, code: "FORBIDDEN" });
    assertRefused(await patch(file, { protect: true }, server.reader.key), { status: 403, code: "INSUFFICIENT_SCOPE" });
  });

  test("returns the same credentials to a repeated Idempotency-Key", async () => {
    const file = await anonymous();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const input = { fileId: file.id, claimToken: file.claimToken, protect: true };
    const [first, again] = [
      await clientOf(server, { headers }).call("updateShareSettings", input),
      await clientOf(server, { headers }).call("updateShareSettings", input),
    ];
    assert.deepEqual(credentialsIn(again.data), credentialsIn(first.data));
    await signedUrl(server, file.id, { unlockCode: first.data.unlockCode });
  });

  test("is refused for claimed, owned, expired and deleted shares", async () => {
    const claimed = await anonymous();
    await claim(server, claimed, server.free.key);
    for (const key of [undefined, server.free.key])
      assertRefused(await patch(claimed, { protect: true }, key), { status: 409, code: "CONFLICT" });
    assertRefused(await patch(claimed, { claimToken: "claim_invented" }), { status: 403, code: "WRONG_TOKEN" });
    const owned = await upload(server, { bytes: "x" }, server.free);
    assertRefused(await patch(owned, { claimToken: "claim_invented" }), { status: 404, code: "NOT_FOUND" });
    const expired = await anonymous();
    await setShare(expired, { expires_at: Date.now() - 1 });
    const deleted = await anonymous();
    await deleteFile(server, { fileId: deleted.id, token: deleted.deletionToken });
    for (const file of [expired, deleted]) assertRefused(await patch(file, { extendTtl: "1d" }), { status: 404, code: "NOT_FOUND" });
  });

  test("applies before a concurrent claim, or is refused after it", async () => {
    for (let round = 0; round < 30; round += 1) {
      const file = await anonymous();
      const ask = () => postClaim(server, { fileId: file.id, claimToken: file.claimToken }, server.free.key);
      const set = () => patch(file, { protect: true, expiresAt: inDays(1) });
      const [changed, claimed] = await Promise.all(round % 2 === 0 ? [set(), ask()] : [ask(), set()].reverse());
      assert.equal(claimed?.status, 200);
      const isChanged = changed?.status === 200;
      if (changed && !isChanged) assertRefused(changed, { status: 409, code: "CONFLICT" });
      assert.equal((await authorizeWith(server, file.id)).status, isChanged ? 403 : 200);
      assertNear(await expiryOf(file), Date.now() + (isChanged ? 1 : 7) * DAY_MS);
    }
  });
});
