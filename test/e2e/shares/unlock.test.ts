import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { type ApiResponse, assertRefused, call, clientOf, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { authorizeWith, changeLink, changeSettings, credentialsIn, postUnlock, unlock, wrongCode } from "../support/shares/shares.ts";
import { init } from "../support/uploads/multipart.ts";

type Protected = Upload & ReturnType<typeof credentialsIn>;

const WINDOW_MS = 15 * 60_000;

/** sharing, "Protection"; unlocking, "What counts" and "An address that guesses waits"; downloads, "Getting a signed URL". */
describe("unlocking", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
  });
  after(() => server[Symbol.asyncDispose]());

  const share = async (fields: Record<string, string> = {}): Promise<Protected> => {
    const file: Upload = await upload(server, { bytes: "hello", fields: { protect: "true", ...fields } });
    return { ...file, ...credentialsIn(file) };
  };
  const statuses = (responses: readonly ApiResponse[]): number[] => responses.map(({ status }) => status).sort();
  const guess = (file: Protected, n: number, headers?: Record<string, string>): Promise<ApiResponse> =>
    n % 2 === 0
      ? postUnlock(server, { shortId: file.shortId, unlockCode: wrongCode(file.unlockCode, n) }, headers)
      : authorizeWith(server, file.id, { unlockCode: wrongCode(file.unlockCode, n) }, headers);

  test("a code in any spelling, by shortId or fileId, returns a token that is valid for 15 minutes", async () => {
    const file = await share();
    const { unlockCode } = file;
    for (const json of [
      { shortId: file.shortId, unlockCode },
      { fileId: file.id, unlockCode: unlockCode.toLowerCase() },
      { shortId: file.shortId, fileId: file.id, unlockCode: `${unlockCode.slice(0, 3)}-${unlockCode.slice(3)} ` },
      { handoffToken: file.handoffToken },
    ]) {
      const body = await clientOf(server).call("unlockDownload", json);
      assert.equal(body.shortId, file.shortId);
      const left = Date.parse(body.expiresAt) - Date.now();
      assert.ok(left > WINDOW_MS - 20_000 && left <= WINDOW_MS, String(left));
      assert.deepEqual(body.data, { unlockToken: body.unlockToken, shortId: body.shortId, expiresAt: body.expiresAt });
      await signedUrl(server, file.id, { unlockToken: body.unlockToken });
    }
    for (const query of [{ unlockCode }, { unlockCode: unlockCode.toLowerCase() }, { handoffToken: file.handoffToken }])
      await signedUrl(server, file.id, query);
  });

  test("a request that names no share lists the accepted fields", async () => {
    for (const json of [{}, { unlockCode: "ABCDEF" }, { shortId: null, fileId: null, handoffToken: null }, { handoffToken: "" }]) {
      const response = await postUnlock(server, json);
      assertRefused(response, { status: 400, code: "VALIDATION_FAILED" });
      assert.match(response.body.error ?? "", /shortId, fileId, handoffToken/);
    }
  });

  test("missing, wrong and foreign credentials are refused", async () => {
    const [file, other] = [await share(), await share()];
    const required = await authorizeWith(server, file.id);
    assertRefused(required, { status: 403, code: "UNLOCK_REQUIRED" });
    const foreign = await unlock(server, { handoffToken: other.handoffToken });
    for (const query of [
      { unlockToken: foreign.unlockToken },
      { unlockToken: "ul_zzzzzzzz.AAAA" },
      { unlockToken: "nonsense" },
      { handoffToken: other.handoffToken },
      { handoffToken: "ho_nonsense" },
      { unlockCode: wrongCode(file.unlockCode) },
      { unlockCode: "short" },
    ])
      assertRefused(await authorizeWith(server, file.id, query), { status: 403, code: "UNLOCK_INVALID" });
    assertRefused(await postUnlock(server, { handoffToken: "ho_nonsense" }), { status: 403, code: "UNLOCK_INVALID" });
    assertRefused(await postUnlock(server, { shortId: file.shortId, handoffToken: other.handoffToken }), {
      status: 403,
      code: "UNLOCK_INVALID",
    });
    assertRefused(await postUnlock(server, { shortId: "aaaaaaaa", unlockCode: "AAAAAA" }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await postUnlock(server, { fileId: "aaaaaaaaaaaaaaaa", unlockCode: "AAAAAA" }), { status: 404, code: "NOT_FOUND" });
    for (const json of [{}, { unlockCode: "AAAAAA" }, { shortId: file.shortId }, { fileId: file.id }])
      assertRefused(await postUnlock(server, json), { status: 400, code: "VALIDATION_FAILED" });
    // A token with a forged expiry has another signature.
    const token = foreign.unlockToken;
    const longer = token.replace(/^ul_[0-9a-z]+/, `ul_${(Date.now() + 9e9).toString(36)}`);
    assertRefused(await authorizeWith(server, other.id, { unlockToken: longer }), { status: 403, code: "UNLOCK_INVALID" });
  });

  test("protection is checked before upload and scan state, and after existence", async () => {
    const session = await init(server, { fileSize: 3000 });
    assertRefused(await authorizeWith(server, session.fileId), { status: 409, code: "SCAN_PENDING" });
    const { key } = await addAccount(server);
    const owned = await init(server, { fileSize: 3000 }, { key });
    const patched = await changeSettings(server, { fileId: owned.fileId, protect: true }, key);
    assertRefused(await authorizeWith(server, owned.fileId), { status: 403, code: "UNLOCK_REQUIRED" });
    const { unlockCode } = credentialsIn(patched);
    assertRefused(await authorizeWith(server, owned.fileId, { unlockCode }), { status: 409, code: "SCAN_PENDING" });
    const usedUp = await share({ once: "true" });
    await signedUrl(server, usedUp.id, { unlockCode: usedUp.unlockCode });
    assertRefused(await authorizeWith(server, usedUp.id), { status: 404, code: "NOT_FOUND" });
  });

  test("a refused attempt counts no download", async () => {
    const file = await share({ maxDownloads: "1" });
    assertRefused(await authorizeWith(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
    assertRefused(await guess(file, 1), { status: 403, code: "UNLOCK_INVALID" });
    await signedUrl(server, file.id, { unlockCode: file.unlockCode });
  });

  test("ten wrong codes on both routes are allowed, then even the right one returns 429", async () => {
    const file = await share();
    const responses = await Promise.all(Array.from({ length: 25 }, (_, n) => guess(file, n)));
    assert.deepEqual(statuses(responses), [...Array<number>(10).fill(403), ...Array<number>(15).fill(429)]);
    const late = await authorizeWith(server, file.id, { unlockCode: file.unlockCode });
    assertRefused(late, { status: 429, code: "RATE_LIMITED" });
    const wait = Number(late.headers.get("retry-after"));
    assert.ok(wait > 800 && wait <= 900, String(wait));
    assertRefused(await postUnlock(server, { shortId: file.shortId, unlockCode: file.unlockCode }), { status: 429, code: "RATE_LIMITED" });
  });

  test("right codes, tokens and private links are neither counted nor limited", async () => {
    const file = await share();
    const first = await unlock(server, { shortId: file.shortId, unlockCode: file.unlockCode });
    for (let n = 0; n < 15; n += 1) await signedUrl(server, file.id, { unlockCode: file.unlockCode });
    for (let n = 0; n < 15; n += 1) await authorizeWith(server, file.id, { handoffToken: "ho_wrong" });
    for (let n = 0; n < 9; n += 1) assert.equal((await guess(file, n)).status, 403);
    await signedUrl(server, file.id, { unlockCode: file.unlockCode });
    assert.equal((await guess(file, 9)).status, 403);
    assert.equal((await guess(file, 10)).status, 429);
    await signedUrl(server, file.id, { unlockToken: first.unlockToken });
    await signedUrl(server, file.id, { handoffToken: file.handoffToken });
    await unlock(server, { handoffToken: file.handoffToken });
  });

  test("wrong codes count per address and per share", async () => {
    const [file, other] = [await share(), await share()];
    for (let n = 0; n < 11; n += 1) await guess(file, n, fromAddress("203.0.113.7"));
    assert.equal((await guess(file, 12, fromAddress("203.0.113.7"))).status, 429);
    assert.equal((await guess(file, 12, fromAddress("::ffff:203.0.113.7"))).status, 429);
    assert.equal((await guess(file, 12, fromAddress("203.0.113.8"))).status, 403);
    assert.equal((await guess(other, 12, fromAddress("203.0.113.7"))).status, 403);
    for (let n = 0; n < 11; n += 1) await guess(other, n, fromAddress(`2001:db8::${n + 1}`));
    assert.equal((await guess(other, 12, fromAddress("2001:db8::ffff"))).status, 429);
    assert.equal((await guess(other, 12, fromAddress("2001:db8:0:1::1"))).status, 403);
  });

  test("a share accepts a thousand wrong codes an hour from all addresses together", async () => {
    const file = await share();
    await guess(file, 0, fromAddress("198.51.100.1"));
    await withDatabase(server, async (db) => {
      await db
        .updateTable("rate_windows")
        .set({ count: 999 })
        .where("name", "=", "unlockPerShare")
        .where("subject", "=", file.shortId)
        .execute();
    });
    const responses = await Promise.all(Array.from({ length: 5 }, (_, n) => guess(file, n, fromAddress(`198.51.100.${n + 2}`))));
    assert.deepEqual(statuses(responses), [403, 429, 429, 429, 429]);
    await signedUrl(server, file.id, { handoffToken: file.handoffToken });
  });

  test("ten more codes are accepted after 15 minutes", async () => {
    const file = await share();
    for (let n = 0; n < 10; n += 1) assert.equal((await guess(file, n)).status, 403);
    assert.equal((await guess(file, 10)).status, 429);
    await withDatabase(server, async (db) => {
      await db
        .updateTable("rate_windows")
        .set({ resets_at: Date.now() - 1 })
        .where("name", "=", "unlockPerAddress")
        .where("subject", "like", `${file.shortId} %`)
        .execute();
    });
    assert.equal((await guess(file, 11)).status, 403);
    await signedUrl(server, file.id, { unlockCode: file.unlockCode });
  });

  test("an unprotected share accepts any code", async () => {
    const file = await upload(server, { bytes: "x" });
    await unlock(server, { shortId: file.shortId, unlockCode: "AAAAAA" });
    await signedUrl(server, file.id, { unlockCode: "AAAAAA" });
  });

  test("tokens issued while the credentials change do not work afterwards", async () => {
    const file = await share();
    const json = { fileId: file.id, claimToken: file.claimToken ?? "", protect: true };
    const [, ...unlocked] = await Promise.all([
      changeLink(server, json),
      ...Array.from({ length: 10 }, () => postUnlock(server, { shortId: file.shortId, unlockCode: file.unlockCode })),
    ]);
    for (const { status, body } of unlocked) {
      if (status !== 200) continue;
      const late = await authorizeWith(server, file.id, { unlockToken: String(body.unlockToken) });
      assertRefused(late, { status: 403, code: "UNLOCK_INVALID" });
    }
  });

  test("an archive requires the same credentials", async () => {
    const file = await share();
    const archive = (query: Record<string, string>) =>
      call(server, "GET", `/api/files/share/${file.shortId}/archive?${new URLSearchParams(query)}`);
    assertRefused(await archive({}), { status: 403, code: "UNLOCK_REQUIRED" });
    assertRefused(await archive({ unlockCode: wrongCode(file.unlockCode) }), { status: 403, code: "UNLOCK_INVALID" });
    assert.equal((await archive({ unlockCode: file.unlockCode })).status, 200);
    assert.equal((await archive({ handoffToken: file.handoffToken })).status, 200);
  });
});

test("wrong codes stay counted and tokens stay valid after a restart", async () => {
  await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
  const file: Upload = await upload(server, { bytes: "x", fields: { protect: "true" } });
  const { unlockCode } = credentialsIn(file);
  const unlocked = await unlock(server, { shortId: file.shortId, unlockCode });
  for (let n = 0; n < 10; n += 1) await postUnlock(server, { shortId: file.shortId, unlockCode: wrongCode(unlockCode, n) });
  await server.restart({ signal: "SIGKILL" });
  assertRefused(await postUnlock(server, { shortId: file.shortId, unlockCode }), { status: 429, code: "RATE_LIMITED" });
  await signedUrl(server, file.id, { unlockToken: unlocked.unlockToken });
});
