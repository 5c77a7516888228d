import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount, getMe } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, findInfo, getShare, postUpload, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { cleanUp, holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";

/** accounts, "The end of Pro"; expiry, "How long a share is kept". */
describe("the end of Pro", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const newPro = (username?: string): Promise<Account> => addAccount(server, { tier: "pro", ...(username !== undefined && { username }) });
  const endPro = (account: Account, agoMs: number): Promise<unknown> =>
    withDatabase(server, (db) =>
      db
        .updateTable("users")
        .set({ pro_until: Date.now() - agoMs })
        .where("id", "=", account.userId)
        .execute(),
    );
  const share = (account: Account, fields: Record<string, string> = {}): Promise<Upload> =>
    upload(server, { bytes: "hello", fields }, { key: account.key });
  const expiryOf = async (file: Upload): Promise<number | null> => {
    const share = await getShare(server, file.shortId);
    return share.expires_at === null ? null : Date.parse(share.expires_at);
  };
  const assertNear = (ms: number | null, expected: number): void => {
    assert.ok(ms !== null && Math.abs(ms - expected) < 30_000, `${ms === null ? ms : new Date(ms).toISOString()}`);
  };
  const statusOf = async (file: Upload): Promise<string | undefined> => (await findInfo(server, file.shortId))?.status_field;
  const setTier = async (account: Account, ...args: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await server.run(["users", "set-tier", account.userId, ...args, "--json"]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const tierOf = async (account: Account): Promise<unknown> => (await getMe(server, account.key)).tier;

  test("files have no expiry while Pro is active", async () => {
    const account = await newPro();
    const file = await share(account);
    assert.equal(file.expiresAt, null);
    await cleanUp(server);
    assert.equal(await expiryOf(file), null);
  });

  test("all shares remain and Pro's rules apply within the grace of 24 hours", async () => {
    const account = await newPro("grace");
    const [file, forever, chosen] = [
      await share(account),
      await share(account, { retention: "forever", visibility: "public" }),
      await share(account, { ttl: "20d" }),
    ];
    await endPro(account, 23 * HOUR_MS);
    await cleanUp(server);
    for (const active of [file, forever, chosen]) assertNear(await expiryOf(active), Date.now() + HOUR_MS);
    assert.equal(await tierOf(account), "pro");
    await upload(server, { bytes: "x", fields: { direct: "true" } }, { key: account.key });
  });

  test("the first cleanup after the grace removes every share of Pro, whatever expiry was chosen", async () => {
    const account = await newPro("over");
    const [file, forever, chosen] = [
      await share(account),
      await share(account, { retention: "forever", visibility: "public" }),
      await share(account, { ttl: "20d" }),
    ];
    const shipment = await share(account, { openShare: "true" });
    await endPro(account, DAY_MS + 1000);
    await cleanUp(server);
    for (const gone of [file, forever, chosen, shipment]) {
      assertRefused(await askShare(server, gone.shortId), { status: 404, code: "NOT_FOUND" });
      assert.equal(await statusOf(gone), "expired");
    }
    assert.equal(await tierOf(account), "free");
    assertRefused(await postUpload(server, { bytes: "x", fields: { direct: "true" } }, { key: account.key }), {
      status: 403,
      code: "PRO_REQUIRED",
    });
    const now = await share(account);
    assertNear(Date.parse(now.expiresAt ?? ""), Date.now() + 7 * DAY_MS);
  });

  test("direct shares stop working after the grace", async () => {
    const account = await newPro();
    const file = await share(account, { direct: "true", ttl: "20d" });
    const isDirect = async () => (await getShare(server, file.shortId)).directEffective;
    assert.equal(await isDirect(), true);
    await endPro(account, DAY_MS + 1000);
    assert.equal(await isDirect(), false);
    const open = () => fetch(server.url + file.sharePath, { redirect: "manual", headers: { "User-Agent": "curl/8.7.1" } });
    assert.equal((await open()).status, 200);
  });

  test("set-tier free ends Pro immediately and lets its shares expire 24 hours later", async () => {
    const account = await newPro();
    const file = await share(account);
    const view = await setTier(account, "free");
    assert.deepEqual({ tier: view.tier, proUntil: view.proUntil }, { tier: "free", proUntil: null });
    assert.equal(await tierOf(account), "free");
    assertNear(await expiryOf(file), Date.now() + DAY_MS);
    await cleanUp(server);
    assertNear(await expiryOf(file), Date.now() + DAY_MS);
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", file.shortId)
        .execute(),
    );
    await cleanUp(server);
    assert.equal(await statusOf(file), "expired");
  });

  test("a renewal within the grace keeps the files", async () => {
    const account = await newPro();
    const [file, chosen] = [await share(account), await share(account, { ttl: "20d" })];
    await endPro(account, HOUR_MS);
    await cleanUp(server);
    for (const cut of [file, chosen]) assertNear(await expiryOf(cut), Date.now() + 23 * HOUR_MS);
    await setTier(account, "pro", "--until", "30d");
    assert.equal(await expiryOf(file), null);
    assertNear(await expiryOf(chosen), Date.now() + 20 * DAY_MS);
    await cleanUp(server);
    assert.equal(await expiryOf(file), null);
  });

  test("Pro with --until ends at that time", async () => {
    const account = await addAccount(server);
    const file = await share(account);
    assertNear(await expiryOf(file), Date.now() + 7 * DAY_MS);
    const { proUntil, tier } = await setTier(account, "pro", "--until", "1h");
    assert.equal(tier, "pro");
    assertNear(Date.parse(String(proUntil)), Date.now() + HOUR_MS);
    assert.equal(await expiryOf(file), null);
    await endPro(account, 2 * DAY_MS);
    await cleanUp(server);
    assert.equal(await statusOf(file), "expired");
  });
});
