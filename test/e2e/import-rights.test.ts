import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../support/origin-server.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { call } from "./support/api.ts";
import { begin, type Job, stalled, startImportingServer, waitForBytes, waitForEnd } from "./support/imports.ts";
import { assertNothingLostOrLeft } from "./support/inside.ts";
import { traces } from "./support/state.ts";

/** decisions, "Accounts, keys, tiers" and "Remote import": what a key or an account may do ends with it. */
describe("an import whose key or account ends while it runs", () => {
  let server: TestServer;
  before(async () => {
    server = await startImportingServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const revoke = async (key: string): Promise<void> => {
    const { body } = await call<{ data: readonly { id: string }[] }>(server, "GET", "/api/keys", { key });
    const { status } = await call(server, "DELETE", `/api/keys/${body.data[0]?.id}`, { key });
    assert.equal(status, 200);
  };
  const disable = async (userId: string): Promise<void> => {
    const { code, stderr } = await server.run(["users", "disable", userId]);
    assert.equal(code, 0, stderr);
  };
  const told = ({ status, errorCode, fileId }: Job) => ({ status, errorCode, fileId });
  const FAILED = { status: "failed", errorCode: "UNAUTHENTICATED", fileId: null };

  const ends: Readonly<Record<string, { end: (account: { key: string; userId: string }) => Promise<void>; sentence: RegExp }>> = {
    "key is revoked": { end: ({ key }) => revoke(key), sentence: /key .* has been revoked/ },
    "account is disabled": { end: ({ userId }) => disable(userId), sentence: /account .* disabled/ },
  };
  for (const [what, { end, sentence }] of Object.entries(ends)) {
    test(`its ${what}: it fails although the source still sends, and leaves nothing`, async () => {
      const account = await addAccount(server, { scope: "full" });
      const before = await traces(server);
      await using origin = await stalled();
      const begun = await begin(server, { url: `${origin.url}/a` }, account.key);
      await waitForBytes(server, begun, 600);
      await end(account);
      const job = await waitForEnd(server, begun);
      assert.deepEqual(told(job), FAILED);
      assert.match(job.error ?? "", sentence);
      await until("nothing is left", async () => {
        assert.deepEqual(await traces(server), before);
        return true;
      });
    });

    test(`its ${what} when all but the last bytes have come: there is no file`, async () => {
      const account = await addAccount(server, { scope: "full" });
      const before = await traces(server);
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      await using origin = await startOrigin({
        "/a": (_, response) => {
          response.writeHead(200, { "Content-Length": "1000" });
          response.write(randomBytes(900));
          void ended.then(() => response.end(randomBytes(100)));
        },
      });
      const begun = await begin(server, { url: `${origin.url}/a` }, account.key);
      await waitForBytes(server, begun, 900);
      await end(account);
      resolve();
      assert.deepEqual(told(await waitForEnd(server, begun)), FAILED);
      await until("nothing is left", async () => {
        assert.deepEqual(await traces(server), before);
        return true;
      });
    });

    test(`its ${what} while the server is down: it is not taken up again`, async () => {
      const account = await addAccount(server, { scope: "full" });
      const stalls: (number | undefined)[] = [10];
      await using origin = await startOrigin({ "/a": sendFile({ bytes: randomBytes(1000), stallAfter: () => stalls.shift() }) });
      const begun = await begin(server, { url: `${origin.url}/a` }, account.key);
      await waitForBytes(server, begun, 10);
      await end(account);
      await server.restart({ signal: "SIGKILL" });
      assert.deepEqual(told(await waitForEnd(server, begun)), FAILED);
      await assertNothingLostOrLeft(server);
    });
  }

  test("goes on where another key of the account is revoked", async () => {
    const account = await addAccount(server, { scope: "full" });
    const other = await call<{ data: { id: string } }>(server, "POST", "/api/keys", { key: account.key, json: {} });
    await using origin = await startOrigin({ "/a": sendFile({ bytes: randomBytes(1000) }) });
    const begun = await begin(server, { url: `${origin.url}/a` }, account.key);
    await call(server, "DELETE", `/api/keys/${other.body.data.id}`, { key: account.key });
    assert.equal((await waitForEnd(server, begun)).status, "completed");
  });
});
