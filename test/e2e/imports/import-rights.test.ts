import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount, createKey } from "../support/accounts/accounts.ts";
import { clientOf } from "../support/api/api.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { countStoredState } from "../support/servers/state.ts";
import { createImport, type Job, startImportingServer, startStalledOrigin, waitForBytes, waitForEnd } from "../support/shares/imports.ts";

/** imports, "Interruptions"; accounts, "A disabled account": an import ends with the key and the account that started it. */
describe("a running import", () => {
  let server: TestServer;
  before(async () => {
    server = await startImportingServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const revoke = async (key: string): Promise<void> => {
    const client = clientOf(server, { key });
    const [listed] = (await client.call("listKeys", {})).data;
    await client.call("revokeKey", { id: listed?.id ?? "" });
  };
  const disable = async (userId: string): Promise<void> => {
    const { code, stderr } = await server.run(["users", "disable", userId]);
    assert.equal(code, 0, stderr);
  };
  const resultOf = ({ status, errorCode, fileId }: Job) => ({ status, errorCode, fileId });
  const FAILED = { status: "failed", errorCode: "UNAUTHENTICATED", fileId: null };

  const ends: Readonly<Record<string, { end: (account: { key: string; userId: string }) => Promise<void>; sentence: RegExp }>> = {
    "key is revoked": { end: ({ key }) => revoke(key), sentence: /key .* has been revoked/ },
    "account is disabled": { end: ({ userId }) => disable(userId), sentence: /account .* disabled/ },
  };
  for (const [what, { end, sentence }] of Object.entries(ends)) {
    test(`fails and leaves nothing when its ${what}`, async () => {
      const account = await addAccount(server, { scope: "full" });
      const before = await countStoredState(server);
      await using origin = await startStalledOrigin();
      const created = await createImport(server, { url: `${origin.url}/a` }, account.key);
      await waitForBytes(server, created, 600);
      await end(account);
      const job = await waitForEnd(server, created);
      assert.deepEqual(resultOf(job), FAILED);
      assert.match(job.error ?? "", sentence);
      await until("the state is as before the import", async () => {
        assert.deepEqual(await countStoredState(server), before);
        return true;
      });
    });

    test(`creates no file when its ${what} before its last bytes`, async () => {
      const account = await addAccount(server, { scope: "full" });
      const before = await countStoredState(server);
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      await using origin = await startOrigin({
        "/a": (_, response) => {
          response.writeHead(200, { "Content-Length": "1000" });
          response.write(randomBytes(900));
          void ended.then(() => response.end(randomBytes(100)));
        },
      });
      const created = await createImport(server, { url: `${origin.url}/a` }, account.key);
      await waitForBytes(server, created, 900);
      await end(account);
      resolve();
      assert.deepEqual(resultOf(await waitForEnd(server, created)), FAILED);
      await until("the state is as before the import", async () => {
        assert.deepEqual(await countStoredState(server), before);
        return true;
      });
    });

    test(`is not resumed after a crash when its ${what}`, async () => {
      const account = await addAccount(server, { scope: "full" });
      const stalls: (number | undefined)[] = [10];
      await using origin = await startOrigin({ "/a": sendFile({ bytes: randomBytes(1000), stallAfter: () => stalls.shift() }) });
      const created = await createImport(server, { url: `${origin.url}/a` }, account.key);
      await waitForBytes(server, created, 10);
      await end(account);
      await server.restart({ signal: "SIGKILL" });
      assert.deepEqual(resultOf(await waitForEnd(server, created)), FAILED);
      await assertNothingLostOrLeft(server);
    });
  }

  test("completes when another key of the account is revoked", async () => {
    const account = await addAccount(server, { scope: "full" });
    const other = await createKey(server, account.key);
    await using origin = await startOrigin({ "/a": sendFile({ bytes: randomBytes(1000) }) });
    const created = await createImport(server, { url: `${origin.url}/a` }, account.key);
    await clientOf(server, { key: account.key }).call("revokeKey", { id: other.id });
    assert.equal((await waitForEnd(server, created)).status, "completed");
  });
});
