import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, clientOf, listFiles, postUpload, type Upload, upload } from "../support/api/api.ts";
import { countStoredState } from "../support/servers/state.ts";
import { createImport, startImportingServer, waitForEnd } from "../support/shares/imports.ts";
import { changeSettings, patchSettings } from "../support/shares/shares.ts";
import { complete, init, sendParts, someBytes } from "../support/uploads/multipart.ts";

const PUBLIC = { visibility: "public" } as const;

/** accounts, "Usernames"; sharing, "Publish fields". */
describe("the username of an account", () => {
  let server: TestServer;
  before(async () => {
    server = await startImportingServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const setUsername = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await server.run(["users", "set-username", ...words]);
    assert.equal(code, 0, stderr);
  };
  const newPro = (): Promise<Account> => addAccount(server, { tier: "pro" });
  const share = ({ key }: Account, fields: Record<string, string>): Promise<Upload> => upload(server, { bytes: "hello", fields }, { key });
  /** Id → visibility and expiry, as the owner sees them. */
  async function listed({ key }: Account): Promise<Record<string, unknown>> {
    const { files } = await listFiles(server, key);
    return Object.fromEntries(files.map(({ id, visibility, expiresAt }) => [id, [visibility, expiresAt]]));
  }

  test("can be set later and changed, and then allows public shares", async () => {
    const account = await newPro();
    const post = () => postUpload(server, { bytes: "x", fields: PUBLIC }, { key: account.key });
    assertRefused(await post(), { status: 400, code: "USERNAME_REQUIRED" });
    await setUsername(account.userId, "first-name");
    const made = await post();
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await setUsername("first-name", "second-name");
    assert.deepEqual(await listed(account), { [made.body.data.id]: ["public", null] });
  });

  test("makes public shares unlisted when it is removed, and changes nothing else", async () => {
    const account = await newPro();
    await setUsername(account.userId, "leaving");
    const [open, forever, unlisted] = [
      await share(account, PUBLIC),
      await share(account, { ...PUBLIC, retention: "forever" }),
      await share(account, { ttl: "2d" }),
    ];
    const other = await newPro();
    await setUsername(other.userId, "staying");
    const unchanged = await share(other, PUBLIC);
    await setUsername(account.userId, "--none", "--yes");
    assert.deepEqual(await listed(account), {
      [open.id]: ["unlisted", null],
      [forever.id]: ["unlisted", null],
      [unlisted.id]: ["unlisted", unlisted.expiresAt],
    });
    assert.deepEqual(await listed(other), { [unchanged.id]: ["public", null] });
    assertRefused(await patchSettings(server, { fileId: open.id, ...PUBLIC }, account.key), { status: 400, code: "USERNAME_REQUIRED" });
    await setUsername(account.userId, "back-again");
    assert.deepEqual((await listed(account))[forever.id], ["unlisted", null]);
    await changeSettings(server, { fileId: forever.id, ...PUBLIC, retention: "forever" }, account.key);
  });

  test("makes unfinished uploads unlisted when it is removed", async () => {
    const account = await newPro();
    const options = { key: account.key };
    await setUsername(account.userId, "under-way");
    const bytes = someBytes(1000);
    const plan = { ...PUBLIC, retention: "forever" } as const;
    const session = await init(server, { fileSize: bytes.length, ...plan }, options);
    const { data: delegation } = await clientOf(server, options).call("createDelegation", plan);
    const { promise: removed, resolve } = Promise.withResolvers<void>();
    const { promise: fetched, resolve: onFetched } = Promise.withResolvers<void>();
    await using origin = await startOrigin({
      "/a": (request, response) => {
        onFetched();
        void removed.then(() => sendFile({ bytes })(request, response));
      },
    });
    const job = await createImport(server, { url: `${origin.url}/a`, ...plan }, account.key);
    await fetched;
    const slow = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(bytes.subarray(0, 500));
        await removed;
        controller.enqueue(bytes.subarray(500));
        controller.close();
      },
    });
    const headers = { Authorization: `Bearer ${account.key}`, Accept: "application/json" };
    const request = { method: "PUT", headers, body: slow, duplex: "half" } as RequestInit;
    const streamed = fetch(`${server.url}/slow.bin?visibility=public`, request);
    await until("the session of that upload exists", async () => (await countStoredState(server)).sessions === 2);
    await setUsername(account.userId, "--none", "--yes");
    resolve();
    const parts = await sendParts(server, session, bytes, options);
    await complete(server, session, { parts }, options);
    const put = await fetch(delegation.uploadUrl, { method: "PUT", body: "delegated" });
    assert.equal(put.status, 200, await put.text());
    assert.equal((await waitForEnd(server, job)).status, "completed");
    assert.equal((await streamed).status, 200);
    const files = Object.values(await listed(account));
    assert.equal(files.length, 4);
    for (const file of files) assert.deepEqual(file, ["unlisted", null]);
  });
});
