import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { open, refresh, registerApp, sendForm, sendTo, useMcp } from "../support/accounts/oauth.ts";
import { homeOf } from "../support/accounts/person.ts";
import { type ApiResponse, call, clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const CLIENT = { client_id: "filehost-cli" } as const;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** oauth, "Devices". */
describe("a program without a browser", () => {
  let server: TestServer;
  let account: Account;
  let session: string;
  const home = (): string => homeOf(server);
  before(async () => {
    server = await startPlainServer({ FILEHOST_LIMITS: '{"rates":{"deviceTries":12}}' });
    account = await addAccount(server);
    session = await startSession(server, account);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  async function start(fields: Readonly<Record<string, string>> = {}) {
    const { status, body } = await sendTo(server, "/oauth/device", { ...CLIENT, ...fields });
    assert.equal(status, 200, JSON.stringify(body));
    return { deviceCode: String(body.device_code), userCode: String(body.user_code), body };
  }

  /** Asks for the tokens, as if the last question was long ago. */
  async function poll(deviceCode: string, change: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    await withDatabase(server, (db) => db.updateTable("device_codes").set({ last_polled_at: 0 }).execute());
    return await sendTo(server, "/oauth/token", { ...CLIENT, grant_type: GRANT, device_code: deviceCode, ...change });
  }

  const enter = async (code: string, decision?: "allow" | "deny") => {
    const response = await sendForm(`${home()}/device`, session, { code, ...(decision && { decision, account: account.userId }) });
    return { status: response.status, html: await response.text() };
  };

  test("gets tokens for the API when a person has entered its code, seen its rights, and allowed it", async () => {
    const { deviceCode, userCode, body } = await start({ scope: "files.read" });
    assert.match(userCode, /^[2-9A-Z]{4}-[2-9A-Z]{4}$/);
    assert.equal(body.verification_uri, `${home()}/device`);
    assert.equal(body.verification_uri_complete, `${home()}/device?user_code=${userCode}`);
    assert.deepEqual([body.expires_in, body.interval], [900, 5]);
    assert.equal((await poll(deviceCode)).body.error, "authorization_pending");
    const hurried = await sendTo(server, "/oauth/token", { ...CLIENT, grant_type: GRANT, device_code: deviceCode });
    assert.equal(hurried.body.error, "slow_down");
    const form = await open(String(body.verification_uri_complete), session);
    assert.match(await form.text(), new RegExp(`value="${userCode}"`), "filled in, and still to be confirmed");
    assert.equal((await poll(deviceCode)).body.error, "authorization_pending");
    const question = await enter(userCode.toLowerCase().replace("-", " "));
    assert.equal(question.status, 200);
    assert.match(question.html, /Connect filehost \(command line\)\?/);
    assert.ok(question.html.includes(userCode) && question.html.includes("See your files") && !question.html.includes("Upload, change"));
    assert.match((await enter(userCode, "allow")).html, /Device connected/);
    const { status, body: tokens } = await poll(deviceCode);
    assert.equal(status, 200, JSON.stringify(tokens));
    const key = String(tokens.access_token);
    assert.equal((await call(server, "GET", "/api/files/list", { key })).status, 200);
    assert.equal((await call(server, "POST", "/api/folders", { key, json: { name: "x" } })).status, 403);
    assert.equal((await useMcp(server, key)).status, 401, "it is for the API alone");
    assert.equal((await poll(deviceCode)).body.error, "invalid_grant", "a code gives tokens once");
    assert.equal((await refresh(server, { clientId: CLIENT.client_id }, String(tokens.refresh_token))).status, 200);
    const { data: applications } = await clientOf(server, account).call("listApplications", {});
    assert.deepEqual(
      applications.map(({ name, host, scopes }) => ({ name, host, scopes })),
      [{ name: "filehost (command line)", host: null, scopes: ["files.read"] }],
    );
  });

  test("is told that the person denied it, or that its code has expired", async () => {
    const denied = await start();
    assert.match((await enter(denied.userCode, "deny")).html, /Not connected/);
    assert.equal((await poll(denied.deviceCode)).body.error, "access_denied");
    const expired = await start();
    await withDatabase(server, (db) => db.updateTable("device_codes").set({ expires_at: 1 }).execute());
    assert.equal((await enter(expired.userCode, "allow")).status, 404);
    assert.equal((await poll(expired.deviceCode)).body.error, "expired_token");
  });

  test("cannot request unknown scopes, nor use the code of another program", async () => {
    assert.equal((await sendTo(server, "/oauth/device", { ...CLIENT, resource: "https://evil.example" })).body.error, "invalid_target");
    assert.equal((await sendTo(server, "/oauth/device", { client_id: "client_unknown" })).status, 400);
    assert.equal((await sendTo(server, "/oauth/device", {})).body.error, "invalid_request");
    const { clientId } = await registerApp(server);
    assert.equal((await sendTo(server, "/oauth/device", { client_id: clientId })).status, 400, "it registered for another grant");
    const { deviceCode, userCode } = await start();
    await enter(userCode, "allow");
    assert.equal((await poll(deviceCode, { client_id: clientId })).status, 400);
    assert.equal((await poll(deviceCode)).status, 200);
    const stored = await withDatabase(server, (db) => db.selectFrom("device_codes").selectAll().execute());
    assert.ok(!JSON.stringify(stored).includes(userCode) && !JSON.stringify(stored).includes(deviceCode));
  });

  test("cannot be allowed by another site, nor by a person whose proof is old, and guesses of codes are limited", async () => {
    const { deviceCode, userCode } = await start();
    const fields = { code: userCode, decision: "allow", account: account.userId };
    assert.equal((await sendForm(`${home()}/device`, session, fields, { Origin: "https://evil.example" })).status, 403);
    const unproved = await sendForm(`${home()}/device`, await startSession(server, account, { isUnproved: true }), fields);
    assert.match(unproved.headers.get("location") ?? "", /^\/prove/);
    assert.equal((await poll(deviceCode)).body.error, "authorization_pending");
    const other = await startSession(server, await addAccount(server));
    const question = await sendForm(`${home()}/device`, other, fields);
    assert.match(await question.text(), /Connect filehost/, "the page named another account, so it asks again");
    assert.equal((await poll(deviceCode)).body.error, "authorization_pending");
    const statuses = new Set<number>();
    for (let tries = 0; tries < 13; tries += 1) statuses.add((await enter(`ABCD-${2222 + tries}`)).status);
    assert.deepEqual([...statuses], [404, 429]);
    assert.equal((await enter(userCode, "allow")).status, 429);
  });
});
