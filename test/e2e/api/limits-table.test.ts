import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RateName } from "../../../src/config/rates.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { startOrigin } from "../../support/services/origin-server.ts";
import { addAccount, createKey } from "../support/accounts/accounts.ts";
import { askChallenge, fromAddress, getChallenge, register } from "../support/accounts/agents.ts";
import {
  type ApiResponse,
  assertRefused,
  authorize,
  call,
  clientOf,
  listFiles,
  postUpload,
  signedUrl,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeLink, changeSettings, credentialsIn, patchLink, patchSettings, postClaim, postUnlock } from "../support/shares/shares.ts";
import { abort, init, postInit } from "../support/uploads/multipart.ts";

const GB = 1024 ** 3;

/** limits, "Tiers", "Rates" and "Fields", row by row: a value at the limit is accepted, the next one is refused. */
describe("a documented limit", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({
      FILEHOST_MIN_FREE: "0",
      FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
      FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const assertInvalid = (response: ApiResponse, field: string): void => {
    assertRefused(response, { status: 400, code: "VALIDATION_FAILED" });
    assert.ok(
      response.body.issues?.some(({ path }) => path === field),
      JSON.stringify(response.body),
    );
  };
  const assertAccepted = ({ status, body }: ApiResponse): void => assert.equal(status, 200, JSON.stringify(body));

  test("applies to storage: anonymous 1 GB, Free 10 GB, Pro 1 TB, to the byte", async () => {
    const [free, pro] = [await addAccount(server), await addAccount(server, { tier: "pro" })];
    const address = fromAddress("192.0.2.1");
    // An upload from this address creates the row of its quota.
    const small = await upload(server, { bytes: "x" }, { headers: address });
    const anonymousOwner = await withDatabase(server, async (db) => {
      const file = await db.selectFrom("files").select("quota_owner").where("id", "=", small.id).executeTakeFirstOrThrow();
      return file.quota_owner;
    });
    const tiers = [
      { options: { headers: address }, quota: anonymousOwner, maxBytes: GB, limitKind: "ANON_STORAGE_QUOTA" },
      { options: { key: free.key }, quota: `user:${free.userId}`, maxBytes: 10 * GB, limitKind: "STORAGE_QUOTA" },
      { options: { key: pro.key }, quota: `user:${pro.userId}`, maxBytes: 1024 * GB, limitKind: "STORAGE_QUOTA" },
    ];
    for (const { options, quota, maxBytes, limitKind } of tiers) {
      await withDatabase(server, (db) =>
        db
          .insertInto("quotas")
          .values({ owner: quota, used_bytes: maxBytes - 1000, reserved_bytes: 0 })
          .onConflict((conflict) => conflict.column("owner").doUpdateSet({ used_bytes: maxBytes - 1000 }))
          .execute(),
      );
      const refused = await postInit(server, { fileName: "a", fileSize: 1001 }, options);
      assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
      assert.deepEqual([refused.body.limitKind, refused.body.limitBytes], [limitKind, maxBytes]);
      const session = await init(server, { fileSize: 1000 }, options);
      assertRefused(await postUpload(server, { bytes: "x" }, options), { status: 413, code: "QUOTA_EXCEEDED" });
      await abort(server, session, options);
      await upload(server, { bytes: "x" }, options);
    }
  });

  test("applies to retention: anonymous 3 days, Free 7 days, also for public shares, Pro unlimited", async () => {
    const free = await addAccount(server, { username: "ada" });
    const pro = await addAccount(server, { tier: "pro" });
    const isNear = (at: string | null, ms: number): void =>
      assert.ok(at !== null && Math.abs(Date.parse(at) - Date.now() - ms) < 20_000, String(at));
    isNear((await upload(server, { bytes: "x" })).expiresAt, 3 * DAY_MS);
    isNear((await upload(server, { bytes: "x" }, { key: free.key })).expiresAt, 7 * DAY_MS);
    const shared = await upload(server, { bytes: "x", fields: { visibility: "public" } }, { key: free.key });
    isNear(shared.expiresAt, 7 * DAY_MS);
    for (const fields of [
      { visibility: "public", ttl: "8d" },
      { visibility: "unlisted", ttl: "8d" },
    ])
      assertRefused(await postUpload(server, { bytes: "x", fields }, { key: free.key }), { status: 400, code: "EXPIRY_TOO_LONG" });
    assertRefused(await patchSettings(server, { fileId: shared.id, extendTtl: "8d" }, free.key), { status: 400, code: "EXPIRY_TOO_LONG" });
    assert.equal((await upload(server, { bytes: "x" }, { key: pro.key })).expiresAt, null);
  });

  test("applies to `expiresAt` of share-settings: in the future, at most 90 days ahead with retention `ttl`", async () => {
    const { key } = await addAccount(server, { tier: "pro" });
    const { id } = await upload(server, { bytes: "x" }, { key });
    const patch = (ms: number) =>
      patchSettings(server, { fileId: id, retention: "ttl", expiresAt: new Date(Date.now() + ms).toISOString() }, key);
    assertAccepted(await patch(90 * DAY_MS));
    assertRefused(await patch(90 * DAY_MS + 30_000), { status: 400, code: "EXPIRY_TOO_LONG" });
    for (const ms of [-1_000, 0]) assertInvalid(await patch(ms), "expiresAt");
  });

  test("applies to imports per hour: 10 per address, 30 for a bootstrap agent, 300 for a Pro agent", async () => {
    await using origin = await startOrigin({});
    const json = { url: `${origin.url}/none` };
    const bootstrap = await register(server, { headers: fromAddress("192.0.2.20") });
    const premium = await register(server, { headers: fromAddress("192.0.2.21") });
    assert.equal((await server.run(["users", "set-tier", premium.owner_id, "pro"])).code, 0);
    const callers: readonly { options: object; name: RateName; max: number }[] = [
      { options: { headers: fromAddress("192.0.2.22") }, name: "importsAnonymous", max: 10 },
      { options: { key: bootstrap.key }, name: "importsAgent", max: 30 },
      { options: { key: premium.key }, name: "importsAgentPro", max: 300 },
    ];
    for (const { options, name, max } of callers) {
      const ask = () => call(server, "POST", "/api/files/remote-upload", { ...options, json });
      assertRefused(await ask(), { status: 502, code: "REMOTE_REFUSED" });
      const window = await withDatabase(server, async (db) => {
        await db
          .updateTable("rate_windows")
          .set({ count: max - 1 })
          .where("name", "=", name)
          .execute();
        return await db.selectFrom("rate_windows").select("resets_at").where("name", "=", name).executeTakeFirstOrThrow();
      });
      assertRefused(await ask(), { status: 502, code: "REMOTE_REFUSED" });
      for (const capped of [await ask(), await call(server, "POST", "/api/files/remote-multipart/init", { ...options, json })]) {
        assertRefused(capped, { status: 429, code: "RATE_LIMITED" });
        assert.equal(capped.body.rateLimitExceeded, true);
        assert.equal(capped.body.resetAt, new Date(window.resets_at).toISOString());
        const waitMs = Number(capped.headers.get("retry-after")) * 1000;
        const leftMs = window.resets_at - Date.now();
        assert.ok(waitMs >= leftMs && waitMs <= leftMs + 5_000, `${waitMs} for ${leftMs}`);
      }
    }
  });

  test("ends after Retry-After, for challenges and unlock codes", async () => {
    const headers = fromAddress("192.0.2.30");
    await getChallenge(server, headers);
    const file = await upload(server, { bytes: "x", fields: { protect: "true" } });
    const { unlockCode } = credentialsIn(file as typeof file & { unlockCode: string; handoffUrl: string });
    await postUnlock(server, { shortId: file.shortId, unlockCode: "??????" }, headers);
    const limited: readonly [RateName, number, () => Promise<ApiResponse>][] = [
      ["challenges", 20, () => askChallenge(server, headers)],
      ["unlockPerAddress", 10, () => postUnlock(server, { shortId: file.shortId, unlockCode }, headers)],
    ];
    for (const [name, max, ask] of limited) {
      const setWindow = (leftMs: number) =>
        withDatabase(server, (db) =>
          db
            .updateTable("rate_windows")
            .set({ count: max, resets_at: Date.now() + leftMs })
            .where("name", "=", name)
            .execute(),
        );
      await setWindow(90_000);
      const refused = await ask();
      assertRefused(refused, { status: 429, code: "RATE_LIMITED" });
      const seconds = Number(refused.headers.get("retry-after"));
      assert.ok(seconds > 80 && seconds <= 90, String(seconds));
      assert.equal(refused.body.retryAfterSeconds, seconds);
      await setWindow(-1);
      assertAccepted(await ask());
    }
  });

  test("applies to characters of any length in bytes: `handoffMessage` 480, `runId` 120, `label` 120", async () => {
    const { key } = await addAccount(server);
    for (const character of ["x", "é", "🙂"]) {
      const text = (length: number): string => character.repeat(length);
      const file = await upload(server, { bytes: "x", fields: { protect: "true", handoffMessage: text(480), runId: text(120) } });
      assert.equal(file.runId, text(120));
      assertInvalid(await postUpload(server, { bytes: "x", fields: { handoffMessage: text(481) } }), "handoffMessage");
      assertInvalid(await postUpload(server, { bytes: "x", fields: { runId: text(121) } }), "runId");
      const { handoffToken } = credentialsIn(file as typeof file & { unlockCode: string; handoffUrl: string });
      assert.equal((await clientOf(server).call("getHandoff", { token: handoffToken })).message, text(480));
      const link = { fileId: file.id, claimToken: file.claimToken ?? "", protect: true };
      await changeLink(server, { ...link, handoffMessage: text(480) });
      assertInvalid(await patchLink(server, { ...link, handoffMessage: text(481) }), "handoffMessage");
      const session = await init(server, { fileSize: 1, runId: text(120), handoffMessage: text(480) }, { key });
      await abort(server, session, { key });
      assertInvalid(await postInit(server, { fileName: "a", fileSize: 1, runId: text(121) }, { key }), "runId");
      await upload(server, { bytes: "x", fields: { runId: text(120) } }, { key });
      for (const path of [`list?runId=${encodeURIComponent(text(120))}`, `run/${encodeURIComponent(text(120))}`]) {
        const { status, body } = await call<{ data: { runId: string; artifacts: readonly object[] } }>(
          server,
          "GET",
          `/api/files/${path}`,
          { key },
        );
        assert.deepEqual([status, body.data.runId, body.data.artifacts.length], [200, text(120), 1]);
      }
      for (const path of [`list?runId=${encodeURIComponent(text(121))}`, `run/${encodeURIComponent(text(121))}`])
        assertInvalid(await call(server, "GET", `/api/files/${path}`, { key }), "runId");
      await createKey(server, key, { label: text(120) });
      assertInvalid(await call(server, "POST", "/api/keys", { key, json: { label: text(121) } }), "label");
      const registration = { label: text(120), challenge_id: "ch_unknown", nonce: "1" };
      assertRefused(await call(server, "POST", "/api/agent/register", { json: registration }), { status: 400, code: "INVALID_CHALLENGE" });
      assertInvalid(await call(server, "POST", "/api/agent/register", { json: { ...registration, label: text(121) } }), "label");
    }
  });

  test("applies to a report: `details` 1,000 and `email` 254 characters, 5 reports per hour and address", async () => {
    const { shortId } = await upload(server, { bytes: "x" });
    const headers = fromAddress("192.0.2.40");
    const ask = (fields: object) => call(server, "POST", "/api/reports", { headers, json: { shortId, reason: "other", ...fields } });
    for (const character of ["x", "é", "🙂"]) {
      assertAccepted(await ask({ details: character.repeat(1000) }));
      assertInvalid(await ask({ details: character.repeat(1001) }), "details");
    }
    assertAccepted(await ask({ email: `${"a".repeat(242)}@example.org` }));
    assertInvalid(await ask({ email: `${"a".repeat(243)}@example.org` }), "email");
    assertAccepted(await ask({}));
    assertRefused(await ask({}), { status: 429, code: "RATE_LIMITED" });
  });

  test("applies to `shareShortId`: 4 to 16 characters", async () => {
    const { key } = await addAccount(server);
    for (const length of [3, 17]) {
      assertInvalid(await postUpload(server, { bytes: "x", fields: { shareShortId: "a".repeat(length) } }, { key }), "shareShortId");
      assertInvalid(await postInit(server, { fileName: "a", fileSize: 1, shareShortId: "a".repeat(length) }, { key }), "shareShortId");
    }
    for (const length of [4, 16])
      assertRefused(await postUpload(server, { bytes: "x", fields: { shareShortId: "a".repeat(length) } }, { key }), {
        status: 404,
        code: "NOT_FOUND",
      });
  });

  test("applies to `fileId` and `claimToken` of a claim: at least 8 characters", async () => {
    const { key } = await addAccount(server);
    const [seven, eight] = ["a".repeat(7), "a".repeat(8)];
    assertInvalid(await postClaim(server, { fileId: seven, claimToken: eight }, key), "fileId");
    assertInvalid(await postClaim(server, { fileId: eight, claimToken: seven }, key), "claimToken");
    assertRefused(await postClaim(server, { fileId: eight, claimToken: eight }, key), { status: 404, code: "NOT_FOUND" });
  });

  test("applies to `maxDownloads` (at least 1) and `priceCents` (at least 100)", async () => {
    const { key } = await addAccount(server);
    assertInvalid(await postUpload(server, { bytes: "x", fields: { maxDownloads: "0" } }, { key }), "maxDownloads");
    const file = await upload(server, { bytes: "x", fields: { maxDownloads: "1" } }, { key });
    await signedUrl(server, file.id);
    assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
    const { id } = await upload(server, { bytes: "x" }, { key });
    for (const priceCents of [99, 1, -100]) assertInvalid(await patchSettings(server, { fileId: id, priceCents }, key), "priceCents");
    assertRefused(await patchSettings(server, { fileId: id, priceCents: 100 }, key), { status: 409, code: "SELLER_NOT_READY" });
    for (const priceCents of [0, null]) await changeSettings(server, { fileId: id, priceCents }, key);
  });

  test("applies to lists: page from 1, limit 50 by default and at most 200, with `runId` 100 and 500", async () => {
    const { key } = await addAccount(server);
    const paging = async (input: { page?: number; limit?: number }): Promise<unknown> => {
      const { pagination } = await listFiles(server, key, input);
      return [pagination.page, pagination.limit];
    };
    assert.deepEqual(await paging({}), [1, 50]);
    assert.deepEqual(await paging({ page: 2, limit: 200 }), [2, 200]);
    assert.deepEqual(await paging({ limit: 201 }), [1, 200]);
    for (const query of ["page=0", "limit=0", "page=-1", "limit=one"])
      assertInvalid(await call(server, "GET", `/api/files/list?${query}`, { key }), query.split("=")[0] ?? "");
    await upload(server, { bytes: "x", fields: { runId: "one" } }, { key });
    const ignored = `page=9&folderId=${crypto.randomUUID()}&includeFolders=true`;
    const run = await call<{ data: { artifacts: readonly object[] } }>(server, "GET", `/api/files/list?runId=one&limit=501&${ignored}`, {
      key,
    });
    assert.deepEqual([run.status, Object.keys(run.body.data), run.body.data.artifacts.length], [200, ["runId", "total", "artifacts"], 1]);
  });
});
