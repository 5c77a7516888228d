import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const UNPROVED = { status: 403, code: "PROOF_REQUIRED" } as const;

/** sign in, "The first password". */
describe("an account without a password", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  let people = 0;
  before(async () => {
    server = await startMailServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** An account that signed in without one, such as at a provider. */
  async function signUp(on: TestServer = server) {
    people += 1;
    const email = `passwordless${people}@example.org`;
    const headers = fromAddress(`198.51.100.${people}`);
    const { data } = await clientOf(on, { headers }).call("signUp", { email, password: PASSWORD, name: "Ada" });
    if (on === server) {
      const token = linkIn(await smtp.next(email), "verify").replace(/^.*\//, "");
      await call(server, "POST", "/api/auth/verify", { key: data.sessionToken, json: { token } });
    }
    await withDatabase(on, (db) => db.deleteFrom("sign_in_methods").where("user_id", "=", data.owner.id).execute());
    return { email, key: data.sessionToken, id: data.owner.id };
  }
  const set = (key: string, json: Record<string, string>) => call(server, "POST", "/api/auth/password", { key, json });
  const age = (id: string) =>
    withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: 0 }).where("user_id", "=", id).execute());
  const show = async (path: string, key: string, on: TestServer = server): Promise<string> =>
    await (await fetch(on.url + path, { headers: { Cookie: `session=${key}`, Accept: "text/html" } })).text();

  test("sets its first password after a proof, and afterwards changes it with the password", async () => {
    const { email, key, id } = await signUp();
    await age(id);
    assertRefused(await set(key, { newPassword: PASSWORD }), UNPROVED);
    assertRefused(await set(key, { newPassword: PASSWORD, currentPassword: "invented password" }), UNPROVED);
    assert.match(await show("/settings/security", key), /href="\/prove\?next=%2Fsettings%2Fsecurity"/);
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: Date.now() }).where("user_id", "=", id).execute());
    const page = await show("/settings/security", key);
    assert.ok(/name="newPassword"/.test(page) && !/name="currentPassword"/.test(page));
    const tries = await Promise.all([set(key, { newPassword: PASSWORD }), set(key, { newPassword: "another horse battery" })]);
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403]);
    assert.match((await smtp.next(email)).text, /password of your account was changed/);
    const [chosen, lost] = tries[0].status === 200 ? [PASSWORD, "another horse battery"] : ["another horse battery", PASSWORD];
    const signIn = (password: string) => call(server, "POST", "/api/auth/sign-in", { json: { login: email, password } });
    assert.equal((await signIn(chosen)).status, 200);
    assert.equal((await signIn(lost)).status, 401);
    assertRefused(await set(key, { newPassword: PASSWORD }), { status: 403, code: "FORBIDDEN" });
    assert.match(await show("/settings/security", key), /name="currentPassword"/);
  });

  test("changes its address, too", async () => {
    const { key } = await signUp();
    const newEmail = `changed${people}@example.org`;
    assert.equal((await call(server, "POST", "/api/auth/email", { key, json: { newEmail } })).status, 200);
    const token = linkIn(await smtp.next(newEmail), "email").replace(/^.*\//, "");
    const { status, body } = await call(server, "POST", "/api/auth/email/confirm", { key, json: { token } });
    assert.deepEqual([status, body.data], [200, { email: newEmail, isProved: true, pending: null }]);
  });

  test("must prove itself by an available method, and learns how to get a password if it has none", async () => {
    const { key, id } = await signUp();
    await age(id);
    const page = await show("/prove", key);
    assert.ok(!/name="password"/.test(page));
    assert.match(page, /no password, passkey or provider that works here.*href="\/forgot"/s);
    await using plain = await startPlainServer();
    const other = await signUp(plain);
    await withDatabase(plain, (db) => db.updateTable("sessions").set({ proved_at: 0 }).execute());
    assert.match(await show("/prove", other.key, plain), /works here\. Ask the administrator/);
  });
});
