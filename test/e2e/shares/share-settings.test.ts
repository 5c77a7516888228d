import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { assertRefused, call, clientOf, deleteFile, getShare, signedUrl, upload } from "../support/api/api.ts";
import { assertNear, inDays, type SettingsServer, settingsCalls, startSettingsServer, UNCHANGED } from "../support/shares/settings.ts";
import { authorizeWith, changeSettings, credentialsIn, patchSettings, unlock } from "../support/shares/shares.ts";

/** sharing, "Changing a share" and "Protection"; expiry, "Keeping a share forever". */
describe("share settings", () => {
  let server: SettingsServer;
  before(async () => {
    server = await startSettingsServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const { uploadAs, patch, patchAccepted, expiryOf } = settingsCalls(() => server);

  test("the response shows the current settings, even if nothing changes", async () => {
    const file = await uploadAs("free");
    const { success, data } = await clientOf(server, server.free).call("updateShareSettings", { fileId: file.id });
    const { expiresAt, latestExpiresAt, ...settings } = data;
    assert.deepEqual([success, settings], [true, { fileId: file.id, shortId: file.shortId, ...UNCHANGED }]);
    assertNear(Date.parse(expiresAt ?? ""), Date.now() + 7 * DAY_MS);
    assertNear(Date.parse(latestExpiresAt), Date.now() + 7 * DAY_MS);
  });

  test("the response shows changed settings and the downloads so far", async () => {
    const file = await uploadAs("free");
    await (await fetch(await signedUrl(server, file.id))).arrayBuffer();
    const change = { title: "Slides", message: "Room 12", maxDownloads: 3, expiresAt: inDays(2) };
    const changed = await patchAccepted("free", file, change);
    const { title, message, maxDownloads, downloads, expiresAt } = changed;
    assert.deepEqual({ title, message, maxDownloads, expiresAt }, change);
    assert.equal(downloads, 1);
  });

  test("a share is found by shortId and by fileId", async () => {
    const file = await uploadAs("free");
    const changed = await changeSettings(server, { shortId: file.shortId, extendTtl: "7d" }, server.free.key);
    assert.deepEqual({ fileId: changed.fileId, shortId: changed.shortId }, { fileId: file.id, shortId: file.shortId });
  });

  test("requests without a key, of another account, or for unknown files are refused", async () => {
    const file = await uploadAs("free");
    assertRefused(await patchSettings(server, { fileId: file.id }), { status: 401, code: "UNAUTHENTICATED" });
    for (const json of [{ fileId: file.id }, { shortId: file.shortId }, { fileId: "aaaaaaaaaaaaaaaa" }, { shortId: "aaaaaaaa" }])
      assertRefused(await patchSettings(server, { ...json, protect: true }, server.pro.key), { status: 404, code: "NOT_FOUND" });
    const anonymous = await upload(server, { bytes: "x" });
    assertRefused(await patch("free", anonymous, { protect: true }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await patchSettings(server, { protect: true }, server.free.key), { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await getShare(server, file.shortId)).unlockRequired, false);
    await deleteFile(server, { fileId: file.id }, server.free);
    assertRefused(await patch("free", file, { protect: true }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await patch("reader", file, {}), { status: 403, code: "INSUFFICIENT_SCOPE" });
  });

  test("wrong values change nothing, and the refusal names the field", async () => {
    const file = await uploadAs("free");
    const wrong: readonly Record<string, unknown>[] = [
      { visibility: "secret" },
      { direct: "yes" },
      { retention: "always" },
      { expiresAt: "tomorrow" },
      { expiresAt: "2001-01-01T00:00:00Z" },
      { extendTtl: "1y" },
      { extendTtl: "7" },
      { extendTtl: "1m" },
      { protect: "maybe" },
      { handoffMessage: "x".repeat(481) },
      { immutable: "maybe" },
      { upstreamFileIds: "abc" },
      { upstreamFileIds: [7] },
      { priceCents: 1 },
      { priceCents: 99 },
      { priceCents: -100 },
      { priceCents: 100.5 },
      { priceCents: "free" },
    ];
    for (const fields of wrong) {
      const response = await patch("free", file, { ...fields, handoffMessage: fields.handoffMessage ?? "changed" });
      assertRefused(response, { status: 400, code: "VALIDATION_FAILED" });
      assert.ok(
        response.body.issues?.some(({ path }) => path.startsWith(Object.keys(fields)[0] ?? "?")),
        JSON.stringify(response.body),
      );
    }
    const { handoffToken } = credentialsIn(await patchAccepted("free", file, { protect: true }));
    assert.equal((await clientOf(server).call("getHandoff", { token: handoffToken })).message, null);
  });

  test("expiresAt accepts any future time up to the tier's maximum, earlier or later than before", async () => {
    const file = await uploadAs("free");
    await patchAccepted("free", file, { expiresAt: inDays(1) });
    assertNear(await expiryOf(file), Date.now() + DAY_MS);
    await patchAccepted("free", file, { expiresAt: inDays(6.9), retention: "ttl" });
    assertNear(await expiryOf(file), Date.now() + 6.9 * DAY_MS);
    const tooLong = await patch("free", file, { expiresAt: inDays(7.1) });
    assertRefused(tooLong, { status: 400, code: "EXPIRY_TOO_LONG" });
    assert.match(tooLong.body.error ?? "", /7 days/);
    assertRefused(await patch("free", file, { expiresAt: new Date(Date.now() - 1).toISOString() }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
    await patchAccepted("free", file, { expiresAt: new Date(Date.now() + 60_000).toISOString() });
    assertNear(await expiryOf(file), Date.now() + 60_000);
    const unlimited = await uploadAs("pro");
    assert.equal(await expiryOf(unlimited), Number.POSITIVE_INFINITY);
    await patchAccepted("pro", unlimited, { expiresAt: inDays(89.9) });
    assertNear(await expiryOf(unlimited), Date.now() + 89.9 * DAY_MS);
    assertRefused(await patch("pro", unlimited, { expiresAt: inDays(90.1) }), { status: 400, code: "EXPIRY_TOO_LONG" });
    assertRefused(await patch("pro", unlimited, { expiresAt: inDays(5), extendTtl: "5d" }), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("extendTtl counts from now and never shortens the expiry", async () => {
    const file = await uploadAs("free", { ttl: "2d" });
    await patchAccepted("free", file, { extendTtl: "5d" });
    assertNear(await expiryOf(file), Date.now() + 5 * DAY_MS);
    await patchAccepted("free", file, { extendTtl: "1d" });
    assertNear(await expiryOf(file), Date.now() + 5 * DAY_MS);
    assertRefused(await patch("free", file, { extendTtl: "8d" }), { status: 400, code: "EXPIRY_TOO_LONG" });
    const unlimited = await uploadAs("pro");
    await patchAccepted("pro", unlimited, { extendTtl: "7d" });
    assert.equal(await expiryOf(unlimited), Number.POSITIVE_INFINITY);
  });

  test("retention forever needs Pro and public visibility, and ends when the share is not public any more", async () => {
    const file = await uploadAs("named", { ttl: "2d" });
    const lone = await uploadAs("pro");
    assertRefused(await patch("free", await uploadAs("free"), { retention: "forever" }), { status: 403, code: "PRO_REQUIRED" });
    assertRefused(await patch("named", file, { retention: "forever" }), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await patch("pro", lone, { retention: "forever", visibility: "public" }), { status: 400, code: "USERNAME_REQUIRED" });
    assertRefused(await patch("named", file, { retention: "forever", visibility: "public", expiresAt: inDays(3) }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
    assert.equal((await patchAccepted("named", file, { retention: "forever", visibility: "public" })).visibility, "public");
    assert.equal(await expiryOf(file), Number.POSITIVE_INFINITY);
    await patchAccepted("named", file, { extendTtl: "7d" });
    assert.equal(await expiryOf(file), Number.POSITIVE_INFINITY);
    assert.equal((await patchAccepted("named", file, { visibility: "unlisted" })).visibility, "unlisted");
    assertRefused(await patch("named", file, { retention: "forever" }), { status: 400, code: "VALIDATION_FAILED" });
    await patchAccepted("named", file, { retention: "ttl", expiresAt: inDays(3) });
    assertNear(await expiryOf(file), Date.now() + 3 * DAY_MS);
  });

  test("public visibility requires a username", async () => {
    const file = await uploadAs("free");
    assertRefused(await patch("free", file, { visibility: "public" }), { status: 400, code: "USERNAME_REQUIRED" });
    const shared = await uploadAs("freeNamed");
    assert.equal((await patchAccepted("freeNamed", shared, { visibility: "public" })).visibility, "public");
    assert.equal((await patchAccepted("freeNamed", shared, {})).visibility, "public");
    assertNear(await expiryOf(shared), Date.now() + 7 * DAY_MS);
  });

  test("direct needs Pro to be set and has no effect on a protected share", async () => {
    const file = await uploadAs("free");
    assertRefused(await patch("free", file, { direct: true }), { status: 403, code: "PRO_REQUIRED" });
    await patchAccepted("free", file, { direct: false });
    const fast = await uploadAs("pro");
    const directEffective = async () => (await getShare(server, fast.shortId)).directEffective;
    await patchAccepted("pro", fast, { direct: true });
    assert.equal(await directEffective(), true);
    const open = () => fetch(server.url + fast.sharePath, { redirect: "manual", headers: { "User-Agent": "curl/8.7.1" } });
    const opened = await open();
    assert.equal(opened.status, 302);
    assert.match(opened.headers.get("location") ?? "", /\/dl\//);
    await patchAccepted("pro", fast, { protect: true });
    assert.equal(await directEffective(), false);
    assert.equal((await open()).status, 200);
    await patchAccepted("pro", fast, { protect: false });
    assert.equal(await directEffective(), true);
    await patchAccepted("pro", fast, { direct: false });
    assert.equal(await directEffective(), false);
    const limited = await uploadAs("pro", { direct: "true", maxDownloads: "2" });
    assert.equal((await getShare(server, limited.shortId)).directEffective, false);
  });

  test("a price needs at least 100 cents and a seller, and 0 or null removes it", async () => {
    const file = await uploadAs("pro");
    assertRefused(await patch("pro", file, { priceCents: 100 }), { status: 409, code: "SELLER_NOT_READY" });
    assertRefused(await patch("pro", file, { priceCents: 500, protect: true }), { status: 409, code: "SELLER_NOT_READY" });
    assert.equal((await getShare(server, file.shortId)).unlockRequired, false);
    for (const priceCents of [0, null]) await patchAccepted("pro", file, { priceCents });
    const { paymentRequired, priceCents } = await getShare(server, file.shortId);
    assert.deepEqual({ paymentRequired, priceCents }, { paymentRequired: false, priceCents: null });
  });

  test("protect creates new credentials each time and ends the old ones, and false removes the protection", async () => {
    const file = await uploadAs("free");
    const old = credentialsIn(await patchAccepted("free", file, { protect: true, handoffMessage: "One" }));
    const { unlockToken } = await unlock(server, { fileId: file.id, unlockCode: old.unlockCode });
    const url = await signedUrl(server, file.id, { unlockToken });
    assert.equal((await fetch(url)).status, 200);
    assert.equal((await patchAccepted("free", file, {})).unlockRequired, true);
    const next = credentialsIn(await patchAccepted("free", file, { protect: true }));
    assert.equal((await fetch(url)).status, 403);
    assert.equal((await fetch(file.url)).status, 403);
    const dead = [{ unlockCode: old.unlockCode }, { unlockToken }, { handoffToken: old.handoffToken }];
    for (const query of dead) {
      if (query.unlockCode === next.unlockCode) continue;
      assertRefused(await authorizeWith(server, file.id, query), { status: 403, code: "UNLOCK_INVALID" });
    }
    assertRefused(await call(server, "GET", `/api/files/handoff/${old.handoffToken}`), { status: 404, code: "NOT_FOUND" });
    assert.equal((await fetch(old.handoffUrl.replace(/^.*(?=\/h\/)/, server.url))).status, 404);
    assert.equal((await clientOf(server).call("getHandoff", { token: next.handoffToken })).message, "One");
    await signedUrl(server, file.id, { handoffToken: next.handoffToken });
    const cleared = await patchAccepted("free", file, { protect: false });
    assert.deepEqual([cleared.unlockRequired, cleared.unlockCode, cleared.handoffUrl], [false, undefined, undefined]);
    await signedUrl(server, file.id);
    assertRefused(await call(server, "GET", `/api/files/handoff/${next.handoffToken}`), { status: 404, code: "NOT_FOUND" });
  });

  test("the owner's key does not open a protected file without its credentials", async () => {
    const file = await uploadAs("free");
    await patchAccepted("free", file, { protect: true });
    assertRefused(await call(server, "GET", `/api/files/download/${file.id}`, { key: server.free.key }), {
      status: 403,
      code: "UNLOCK_REQUIRED",
    });
  });
});
