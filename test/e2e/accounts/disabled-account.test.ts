import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import {
  askShare,
  assertRefused,
  authorize,
  call,
  clientOf,
  findInfo,
  getShare,
  type InputOf,
  signedUrl,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { cleanUp } from "../support/servers/server-context.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import type { Delegation } from "../support/shares/delegations.ts";
import { claim, credentialsIn, postUnlock, unlock } from "../support/shares/shares.ts";
import { complete, init, MB, partUrl, postUrls, putPart, sha256, someBytes } from "../support/uploads/multipart.ts";

/** A request and its expected status: `enabled` while the account is enabled, `disabled` while it is disabled. */
interface Access {
  readonly request: () => Promise<{ readonly status: number }>;
  readonly enabled?: number;
  readonly disabled?: number;
}

/** accounts, "A disabled account". */
describe("a disabled account", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const run = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await server.run(words);
    assert.equal(code, 0, stderr);
  };
  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(path.startsWith("http") ? path : server.url + path, { redirect: "manual", ...init });
  const form = (path: string, fields: Record<string, string>): Promise<Response> =>
    get(path, { method: "POST", headers: { Accept: "text/html" }, body: new URLSearchParams(fields) });
  const archiveUrl = async ({ shortId }: Upload): Promise<string> => (await clientOf(server).call("authorizeArchive", { shortId })).url;

  /** Every way to reach an account's shares, with URLs issued before the account is disabled. */
  async function accessesToShares({ key }: Account): Promise<Record<string, Access>> {
    const share = (fields: Record<string, string> = {}): Promise<Upload> => upload(server, { bytes: "the bytes", fields }, { key });
    const [plain, direct] = [await share(), await share({ direct: "true" })];
    const claimed = await upload(server, { bytes: "claimed" });
    await claim(server, claimed, key);
    const limited = await share({ maxDownloads: "9" });
    const locked: Upload = await share({ protect: "true" });
    const { unlockCode, handoffToken } = credentialsIn(locked);
    const unlocked = await unlock(server, { shortId: locked.shortId, unlockCode });
    const shipment = await share({ openShare: "true" });
    await share({ shareShortId: shipment.shortId });
    const limitedShipment = await share({ openShare: "true", maxDownloads: "9" });
    const limitedUrl = await signedUrl(server, limited.id);
    const given = {
      "a signed URL": await signedUrl(server, plain.id),
      "the uploader's own URL": plain.url,
      "a signed URL of a claimed file": await signedUrl(server, claimed.id),
      "the signed URL of an archive": await archiveUrl(shipment),
    };
    const limitedArchive = await archiveUrl(limitedShipment);
    return {
      ...Object.fromEntries(Object.entries(given).map(([what, url]) => [what, { request: () => get(url) }])),
      "a signed URL, asked with HEAD": { request: () => get(given["a signed URL"], { method: "HEAD" }) },
      "a range of a signed URL of a limited file": { request: () => get(limitedUrl, { headers: { Range: "bytes=0-0" } }), enabled: 206 },
      "a range of the uploader's own URL of a limited file": {
        request: () => get(limited.url, { headers: { Range: "bytes=0-0" } }),
        enabled: 206,
      },
      "the signed URL of a limited archive": { request: () => get(limitedArchive, { method: "HEAD" }) },
      metadata: { request: () => askShare(server, plain.shortId) },
      "metadata of a claimed file": { request: () => askShare(server, claimed.shortId) },
      "metadata of a shipment": { request: () => askShare(server, shipment.shortId) },
      download: { request: () => authorize(server, plain.id) },
      "download of a protected file": { request: () => authorize(server, `${locked.id}?unlockToken=${unlocked.unlockToken}`) },
      archive: { request: () => call(server, "GET", `/api/files/share/${shipment.shortId}/archive`) },
      handoff: { request: () => call(server, "GET", `/api/files/handoff/${handoffToken}`) },
      "unlock by code": { request: () => postUnlock(server, { shortId: locked.shortId, unlockCode }) },
      "unlock by handoff link": { request: () => postUnlock(server, { handoffToken }), disabled: 403 },
      "the page": { request: () => get(plain.sharePath) },
      "the page of a direct share": { request: () => get(direct.sharePath, { headers: { "User-Agent": "curl/8.7.1" } }), enabled: 302 },
      "the handoff page": { request: () => get(`/h/${handoffToken}`) },
      "the page's unlock form": { request: () => form(`${locked.sharePath}/unlock`, { unlockCode }) },
      "the page's download form": { request: () => form(`${plain.sharePath}/download`, {}), enabled: 303 },
      "the page's archive form": { request: () => form(`${shipment.sharePath}/archive`, {}), enabled: 303 },
    };
  }

  /** The account's key, and the upload URLs and tokens that were issued with it. */
  async function accessesForUploads({ key }: Account): Promise<Record<string, Access>> {
    const bytes = someBytes(MB);
    const session = await init(server, { fileSize: 2 * MB, partSize: MB }, { key });
    const part = await partUrl(server, session, 1, bytes, { key });
    const delegate = async (fields: object): Promise<Delegation> =>
      (await clientOf(server, { key }).call("createDelegation", fields as InputOf<"createDelegation">)).data;
    const { delegationToken, uploadId, key: name } = await delegate({ name: "a.bin", sizeBytes: MB });
    const batch = { delegationToken, uploadId, key: name, totalParts: 1, partDigests: { 1: sha256(bytes) } };
    return {
      "the key": { request: () => call(server, "GET", "/api/me", { key }), disabled: 401 },
      "a part URL": { request: () => putPart(part, bytes), disabled: 401 },
      "new part URLs": { request: () => postUrls(server, session, { 1: sha256(bytes) }, { key }), disabled: 401 },
      "part URLs of a delegation": {
        request: () => call(server, "POST", "/api/files/upload-delegations/multipart/batch-urls", { json: batch }),
        disabled: 401,
      },
      // Each call uses another delegation, since a delegation makes one file.
      "a delegation's PUT": { request: await delegatedPuts(delegate), disabled: 401 },
    };
  }

  async function delegatedPuts(delegate: (fields: object) => Promise<Delegation>): Promise<() => Promise<Response>> {
    const made = [await delegate({}), await delegate({}), await delegate({})];
    return () => get(made.shift()?.uploadUrl ?? "", { method: "PUT", body: "delegated" });
  }

  const accounts: Readonly<Record<string, () => Promise<Account>>> = {
    "a person": () => addAccount(server, { tier: "pro" }),
    "an agent": async () => {
      const account = await addAccount(server, { tier: "pro" });
      const agent = { role: "agent", agent_group: "group" } as const;
      await withDatabase(server, (db) => db.updateTable("users").set(agent).where("id", "=", account.userId).execute());
      return account;
    },
  };
  for (const [who, make] of Object.entries(accounts)) {
    test(`makes every share and upload of ${who} unavailable until it is enabled`, async () => {
      const account = await make();
      const other = await upload(server, { bytes: "other" }, { key: (await addAccount(server)).key });
      const accesses = { ...(await accessesToShares(account)), ...(await accessesForUploads(account)) };
      const statuses = async (): Promise<Record<string, number>> => {
        const seen: Record<string, number> = {};
        for (const [what, { request }] of Object.entries(accesses)) seen[what] = (await request()).status;
        return seen;
      };
      const expected = (state: "enabled" | "disabled", standard: number): Record<string, number> =>
        Object.fromEntries(Object.entries(accesses).map(([what, access]) => [what, access[state] ?? standard]));
      assert.deepEqual(await statuses(), expected("enabled", 200));
      await run("users", "disable", account.userId);
      assert.deepEqual(await statuses(), expected("disabled", 404));
      await getShare(server, other.shortId);
      await cleanUp(server);
      await run("users", "enable", account.userId);
      assert.deepEqual(await statuses(), expected("enabled", 200));
    });
  }

  test("shows an unavailable link on pages and an expired share in the API", async () => {
    const account = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, { key: account.key });
    await run("users", "disable", account.userId);
    assertRefused(await askShare(server, file.shortId), { status: 404, code: "NOT_FOUND" });
    assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
    const response = await get(file.sharePath, { headers: { Accept: "text/html" } });
    const page = await response.text();
    assert.deepEqual([response.status, /<h1>(.*?)<\/h1>/.exec(page)?.[1]], [404, "This link is not available"]);
    assert.doesNotMatch(/<main.*<\/main>/s.exec(page)?.[0] ?? page, /note\.txt|account|disabled|expired/i);
    assert.equal((await findInfo(server, file.shortId))?.status_field, "expired");
  });

  test("can resume its uploads in parts once it is enabled", async () => {
    const account = await addAccount(server);
    const options = { key: account.key };
    const bytes = someBytes(2 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: MB }, options);
    const urls = [
      await partUrl(server, session, 1, bytes.slice(0, MB), options),
      await partUrl(server, session, 2, bytes.slice(MB), options),
    ];
    assert.equal((await putPart(urls[0] ?? "", bytes.slice(0, MB))).status, 200);
    await run("users", "disable", account.userId);
    const refused = await putPart(urls[1] ?? "", bytes.slice(MB));
    assertRefused(refused, { status: 401, code: "UNAUTHENTICATED" });
    await cleanUp(server);
    await run("users", "enable", account.userId);
    assert.equal((await putPart(urls[1] ?? "", bytes.slice(MB))).status, 200);
    const file = await complete(server, session, {}, options);
    assert.deepEqual(new Uint8Array(await (await fetch(file.url)).arrayBuffer()), bytes);
  });

  test("gets no file from an upload that was in progress, whose bytes are removed", async () => {
    const account = await addAccount(server);
    const before = await countStoredState(server);
    const { promise: disabled, resolve } = Promise.withResolvers<void>();
    const bytes = someBytes(100_000);
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(bytes.subarray(0, 50_000));
        await disabled;
        controller.enqueue(bytes.subarray(50_000));
        controller.close();
      },
    });
    const headers = { Authorization: `Bearer ${account.key}`, Accept: "application/json" };
    const response = get("/slow.bin", { method: "PUT", headers, body, duplex: "half" } as RequestInit);
    await until("the upload has started", async () => (await countStoredState(server)).sessions > before.sessions);
    await run("users", "disable", account.userId);
    resolve();
    assert.equal((await response).status, 401);
    assert.deepEqual(await countStoredState(server), before);
  });

  test("does not get back files that expired before it is enabled", async () => {
    const account = await addAccount(server);
    const [expiring, lasting] = [
      await upload(server, { bytes: "x" }, { key: account.key }),
      await upload(server, { bytes: "y" }, { key: account.key }),
    ];
    await run("users", "disable", account.userId);
    const past = { expires_at: Date.now() - 1 };
    await withDatabase(server, (db) => db.updateTable("shares").set(past).where("short_id", "=", expiring.shortId).execute());
    await cleanUp(server);
    await run("users", "enable", account.userId);
    assert.deepEqual([(await askShare(server, expiring.shortId)).status, (await askShare(server, lasting.shortId)).status], [404, 200]);
  });
});
