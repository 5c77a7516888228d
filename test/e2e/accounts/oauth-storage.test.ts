import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { insertMany } from "../../../src/db/bulk.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { connectApp, MANY_REGISTRATIONS, refresh, registerApp, sendRegistration, useMcp } from "../support/accounts/oauth.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** oauth, "Registration" and "Tokens": what applications leave is bounded. */
describe("the storage of applications", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer(MANY_REGISTRATIONS);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  const listClients = () =>
    withDatabase(server, async (db) => (await db.selectFrom("oauth_clients").select("client_id").execute()).map((row) => row.client_id));

  test("refuses a list of addresses above 4 KB", async () => {
    const uris = ["a", "b", "c"].map((name) => `https://app.example/${name.repeat(1400)}`);
    const refused = await sendRegistration(server, { redirect_uris: uris });
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_redirect_uri"]);
    assert.equal((await sendRegistration(server, { redirect_uris: uris.slice(1) })).status, 201);
  });

  test("keeps an application for a day if it was never used, and for 7 days if it was", async () => {
    const account = await addAccount(server);
    const [never, once] = [await registerApp(server), await registerApp(server)];
    await connectApp(server, once, await startSession(server, account));
    const age = (days: number) =>
      withDatabase(server, async (db) => {
        await db.deleteFrom("oauth_consents").where("client_id", "=", once.clientId).execute();
        const times = { created_at: Date.now() - days * DAY_MS, used_at: Date.now() - days * DAY_MS };
        await db.updateTable("oauth_clients").set(times).where("client_id", "=", never.clientId).execute();
        const later = { ...times, used_at: times.used_at + 1 };
        await db.updateTable("oauth_clients").set(later).where("client_id", "=", once.clientId).execute();
      });
    const findKept = async () => {
      await server.run(["cleanup"]);
      const clients = await listClients();
      return [never, once].map(({ clientId }) => clients.includes(clientId));
    };
    await age(0.9);
    assert.deepEqual(await findKept(), [true, true]);
    await age(2);
    assert.deepEqual(await findKept(), [false, true]);
    await age(8);
    assert.deepEqual(await findKept(), [false, false]);
    assert.ok((await listClients()).includes("filehost-cli"));
  });

  test("keeps the newest of the applications that were never used", async () => {
    const nowMs = Date.now();
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      id: `old${index}`,
      client_id: `client_old${index}`,
      name: "",
      redirect_uris: "[]",
      grant_types: "[]",
      token_endpoint_auth_method: "none",
      created_at: nowMs - 10_000 + index,
      used_at: nowMs - 10_000 + index,
    }));
    await withDatabase(server, async (db) => {
      await db.deleteFrom("oauth_clients").where("client_id", "<>", "filehost-cli").execute();
      await insertMany(db, "oauth_clients", rows);
    });
    const { clientId } = await registerApp(server);
    const clients = await listClients();
    assert.deepEqual(
      ["filehost-cli", clientId, "client_old9999", "client_old1", "client_old0"].map((id) => clients.includes(id)),
      [true, true, true, true, false],
    );
  });

  test("keeps 100 replaced refresh tokens of a connection", async () => {
    const app = await registerApp(server);
    const first = await connectApp(server, app, await startSession(server, await addAccount(server)));
    let tokens = { access_token: first.access_token, refresh_token: first.refresh_token };
    for (let count = 0; count < 105; count += 1) {
      const { status, body } = await refresh(server, app, tokens.refresh_token);
      assert.equal(status, 200, JSON.stringify(body));
      tokens = { access_token: String(body.access_token), refresh_token: String(body.refresh_token) };
    }
    const kept = await withDatabase(server, (db) =>
      db.selectFrom("oauth_refresh_tokens").select("id").where("client_id", "=", app.clientId).execute(),
    );
    assert.equal(kept.length, 101);
    assert.equal((await refresh(server, app, first.refresh_token)).body.error, "invalid_grant");
    assert.equal((await useMcp(server, tokens.access_token)).status, 200, "an unknown token ends nothing");
  });
});
