import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { type App, connectApp, MANY_REGISTRATIONS, registerApp, sendTo, type Tokens } from "../support/accounts/oauth.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { createImport, startImportingServer, startStalledOrigin, waitForBytes, waitForEnd } from "../support/shares/imports.ts";

interface Connected {
  readonly person: Account;
  readonly app: App;
  readonly tokens: Tokens;
}

/** oauth, "Connected applications"; uploads, "Delegations"; imports, "Interruptions". */
describe("the end of a connection", () => {
  let server: TestServer;
  const { delegate, put } = delegationCalls(() => ({ ...server, owner: { key: "" } as Account }));
  before(async () => {
    server = await startImportingServer(MANY_REGISTRATIONS);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  const connect = async (): Promise<Connected> => {
    const person = await addAccount(server, { scope: "full" });
    const app = await registerApp(server);
    const tokens = await connectApp(server, app, await startSession(server, person), { resource: `${homeOf(server)}/api` });
    return { person, app, tokens };
  };

  const ends: Readonly<Record<string, (connected: Connected) => Promise<unknown>>> = {
    "the application revokes its refresh token": ({ app, tokens }) =>
      sendTo(server, "/oauth/revoke", { client_id: app.clientId, token: tokens.refresh_token }),
    "the account disconnects it": async ({ person }) => {
      const client = clientOf(server, person);
      const [listed] = (await client.call("listApplications", {})).data;
      await client.call("disconnectApplication", { id: listed?.id ?? "" });
    },
    "an administrator signs the account out": ({ person }) => server.run(["users", "sign-out", person.userId, "--yes"]),
  };
  for (const [what, end] of Object.entries(ends))
    test(`ends the delegations and imports of the application: ${what}`, async () => {
      const connected = await connect();
      const { access_token: token } = connected.tokens;
      await using origin = await startStalledOrigin();
      const [ofApp, ofPerson] = [await delegate({}, token), await delegate({}, connected.person.key)];
      const created = await createImport(server, { url: `${origin.url}/a` }, token);
      await waitForBytes(server, created, 600);
      await end(connected);
      assert.equal((await put(ofApp, "late")).status, 404);
      assert.equal((await put(ofPerson, "in time")).status, 200, "those of the account itself go on");
      const job = await waitForEnd(server, created);
      assert.deepEqual([job.status, job.errorCode, job.fileId], ["failed", "UNAUTHENTICATED", null]);
      assert.match(job.error ?? "", /application .* disconnected/);
      await connectApp(server, connected.app, await startSession(server, connected.person));
      assert.equal((await put(ofApp, "later")).status, 404, "the next connection is another one");
    });
});
