import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newApiKey } from "../../../src/service/accounts/api-key.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { until } from "../../support/until.ts";
import { createKey, getMe } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { codeOf, signUpWithTotp } from "../support/accounts/two-step.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { cancelImport, createImport, getJob, startImportingServer, startStalledOrigin, waitForBytes } from "../support/shares/imports.ts";

const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "another horse battery";

let people = 0;
function newPerson() {
  people += 1;
  return {
    input: { email: `forgetful${people}@example.org`, password: PASSWORD, name: "Ada" },
    headers: fromAddress(`198.51.100.${people}`),
  };
}
const tokenIn = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/** accounts, "A forgotten password", "Notices of changes" and "Attempts". */
describe("a forgotten password", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  before(async () => {
    server = await startMailServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" }, startImportingServer);
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function signUp() {
    const { input, headers } = newPerson();
    const { data } = await clientOf(server, { headers }).call("signUp", input);
    const token = tokenIn(linkIn(await smtp.next(input.email), "verify"));
    return { ...input, headers, key: data.sessionToken, id: data.owner.id, token };
  }
  const forget = (email: string, address = `203.0.113.${people}`) =>
    call(server, "POST", "/api/auth/forgot", { json: { email }, headers: fromAddress(address) });
  const reset = (token: string, newPassword = NEW_PASSWORD) => call(server, "POST", "/api/auth/reset", { json: { token, newPassword } });
  const signIn = (login: string, password: string) =>
    call(server, "POST", "/api/auth/sign-in", { json: { login, password }, headers: fromAddress(`203.0.113.${people}`) });

  test("is replaced by a link that works once, and ends all sessions and no keys", async () => {
    const { email, key: session, token: verification } = await signUp();
    assert.equal((await call(server, "POST", "/api/auth/verify", { key: session, json: { token: verification } })).status, 200);
    const { key } = await createKey(server, session);
    assert.equal((await forget(` ${email.toUpperCase()}`.trim())).status, 200);
    await withDatabase(server, async (db) => {
      const { id } = await db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirstOrThrow();
      const method = { id: crypto.randomUUID(), user_id: id, account_id: "subject", provider_id: "oidc:https://login.example.org/a" };
      await db
        .insertInto("sign_in_methods")
        .values({ ...method, created_at: 1, updated_at: 1 })
        .execute();
    });
    const token = tokenIn(linkIn(await smtp.next(email), "reset"));
    const changed = await reset(token);
    assert.deepEqual([changed.status, changed.body.data], [200, { endedSessions: 1 }]);
    assertRefused(await call(server, "GET", "/api/me", { key: session }), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await getMe(server, key)).owner.emailVerified, true);
    assertRefused(await signIn(email, PASSWORD), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await signIn(email, NEW_PASSWORD)).status, 200);
    assertRefused(await reset(token, PASSWORD), { status: 403, code: "FORBIDDEN" });
    const notice = await smtp.next(email);
    assert.equal(notice.subject, "Your account at filehost has changed");
    assert.match(notice.text, /password of your account was changed/);
    assert.match(notice.text, /You can still sign in with: login\.example\.org\./);
  });

  test("returns an account that was created with a stranger's address only to the owner of the address", async () => {
    const { email, key: session } = await signUp();
    for (const [path, json] of [
      ["/api/keys", {}],
      ["/api/webhooks", { url: "https://example.org/", events: ["file.ready"] }],
    ] as const)
      assertRefused(await call(server, "POST", path, { key: session, json }), { status: 403, code: "FORBIDDEN" });
    await forget(email);
    assert.equal((await reset(tokenIn(linkIn(await smtp.next(email), "reset")))).status, 200);
    assertRefused(await call(server, "GET", "/api/me", { key: session }), { status: 401, code: "UNAUTHENTICATED" });
    const { body } = await signIn(email, NEW_PASSWORD);
    const { sessionToken } = body.data as { sessionToken: string };
    assert.equal((await getMe(server, sessionToken)).owner.emailVerified, true);
  });

  test("ends keys and applications of an account that its owner takes over, and none of a verified account", async () => {
    for (const isVerified of [false, true]) {
      const { email, key, id, token } = await signUp();
      if (isVerified) await call(server, "POST", "/api/auth/verify", { key, json: { token } });
      const client = clientOf(server, { key });
      const delegation = (await client.call("createDelegation", { name: "a.txt", sizeBytes: 1 })).data;
      const { requestUrl } = (await client.call("createRequest", { title: "Photos" })).data;
      // These accounts were made before the server had mail, when nobody had to verify an address.
      const apiKey = newApiKey((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
      await withDatabase(server, async (db) => {
        const { prefix, salt, hash } = apiKey;
        const row = { id: crypto.randomUUID(), owner_id: id, prefix, salt, hash, scope: "full", created_at: Date.now() } as const;
        await db.insertInto("api_keys").values(row).execute();
      });
      const showRequest = async (): Promise<number> => (await fetch(server.url + new URL(requestUrl).pathname)).status;
      assert.equal(await showRequest(), 200);
      await forget(email);
      assert.equal((await reset(tokenIn(linkIn(await smtp.next(email), "reset")))).status, 200);
      const { pathname, search } = new URL(delegation.uploadUrl);
      const put = await fetch(server.url + pathname + search, { method: "PUT", body: "x", headers: { Accept: "application/json" } });
      const me = await call(server, "GET", "/api/me", { key: apiKey.key });
      assert.deepEqual([put.status, await showRequest(), me.status], isVerified ? [200, 200, 200] : [404, 404, 401]);
    }
  });

  test("ends the imports of an account that its owner takes over, and the second factor of an account that was never verified", async () => {
    await using origin = await startStalledOrigin();
    for (const [isVerified, isProved] of [
      [false, false],
      [true, false],
      [true, true],
    ] as const) {
      const { email, key, id } = await signUp();
      const setVerified = (email_verified: 0 | 1, email_proved_at: 1 | null) =>
        withDatabase(server, (db) => db.updateTable("users").set({ email_verified, email_proved_at }).where("id", "=", id).execute());
      // The accounts were made before the server had mail, when nobody had to verify an address.
      await setVerified(1, null);
      const client = clientOf(server, { key });
      const { secret } = (await client.call("startTotp", {})).data;
      await client.call("confirmTotp", { code: codeOf(secret) });
      const created = await createImport(server, { url: `${origin.url}/a` }, key);
      await waitForBytes(server, created, 600);
      await setVerified(isVerified ? 1 : 0, isProved ? 1 : null);
      await forget(email);
      const link = await until("the link is mailed", () => smtp.mails.find(({ to, text }) => to.includes(email) && /\/reset\//.test(text)));
      assert.equal((await reset(tokenIn(linkIn(link, "reset")))).status, 200);
      assert.equal((await signIn(email, NEW_PASSWORD)).status, isVerified ? 403 : 200);
      assert.equal((await getJob(server, created)).status, isProved ? "importing" : "cancelled");
      const codes = await withDatabase(server, (db) =>
        db.selectFrom("recovery_codes").select("user_id").where("user_id", "=", id).execute(),
      );
      assert.equal(codes.length, isVerified ? 10 : 0);
      if (isProved) await cancelImport(server, created);
      await until("nothing of the import is left", async () => (await countStoredState(server)).sessions === 0);
    }
  });

  test("of the first administrator is replaced by a mailed link, and two-step sign-in and keys stay", async () => {
    const invite = await until("the link is in the log", () => server.logs().find(({ msg }) => msg?.includes("/invite/")));
    const { input, headers } = newPerson();
    const admin = await signUpWithTotp(server, { ...input, invite: tokenIn(String(invite.msg)) }, headers);
    const { key } = await createKey(server, admin.sessionToken);
    assert.equal((await getMe(server, key)).owner.role, "admin");
    await forget(input.email);
    const link = await until("the link is mailed", () =>
      smtp.mails.find(({ to, text }) => to.includes(input.email) && /\/reset\//.test(text)),
    );
    assert.equal((await reset(tokenIn(linkIn(link, "reset")))).status, 200);
    const { status, body } = await signIn(input.email, NEW_PASSWORD);
    assert.deepEqual([status, body.errorCode], [403, "SECOND_FACTOR_REQUIRED"]);
    assert.equal((await getMe(server, key)).owner.role, "admin");
  });

  test("gets the same response for an address without an account and a disabled account, which get no mail", async () => {
    const known = await signUp();
    const disabled = await signUp();
    assert.equal((await server.run(["users", "disable", disabled.id])).code, 0);
    const before = smtp.mails.length;
    const responses = [];
    for (const email of ["nobody@example.org", disabled.email, known.email]) responses.push({ email, ...(await forget(email)) });
    for (const { email, status, body } of responses) assert.deepEqual([status, body], [200, { success: true, data: { email } }]);
    await smtp.next(known.email);
    await until("all jobs are done", async () =>
      (await withDatabase(server, (db) => db.selectFrom("jobs").selectAll().execute())).every(({ kind }) => !/password|mail/.test(kind)),
    );
    assert.equal(smtp.mails.length, before + 1);
  });

  test("gets a link that expires, and that the next one replaces", async () => {
    const { email, key, token } = await signUp();
    await call(server, "POST", "/api/auth/verify", { key, json: { token } });
    await forget(email);
    const first = tokenIn(linkIn(await smtp.next(email), "reset"));
    await forget(email);
    const second = tokenIn(linkIn(await smtp.next(email), "reset"));
    assertRefused(await reset(first), { status: 403, code: "FORBIDDEN" });
    await withDatabase(server, (db) =>
      db
        .updateTable("account_links")
        .set({ expires_at: Date.now() - 1 })
        .execute(),
    );
    assertRefused(await reset(second), { status: 403, code: "FORBIDDEN" });
    assert.equal((await signIn(email, PASSWORD)).status, 200);
  });

  test("is set once if its link is used several times at the same time", async () => {
    const { email } = await signUp();
    await forget(email);
    const token = tokenIn(linkIn(await smtp.next(email), "reset"));
    const passwords = [1, 2, 3].map((index) => `${NEW_PASSWORD} ${index}`);
    const tries = await Promise.all(passwords.map((password) => reset(token, password)));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 403]);
    const chosen = passwords[tries.findIndex(({ status }) => status === 200)] ?? "";
    assert.equal((await signIn(email, chosen)).status, 200);
  });

  test("can be requested 3 times an hour per email address, known or not, and 10 times per address", async () => {
    const { email } = await signUp();
    for (const [name, base] of [
      [email, "192.0.2.1"],
      ["unknown@example.org", "192.0.2.2"],
    ] as const) {
      const tries = [];
      for (let index = 0; index < 4; index++) tries.push((await forget(name, `${base}${index}`)).status);
      assert.deepEqual(tries, [200, 200, 200, 429]);
    }
    const others = [];
    for (let index = 0; index < 11; index++) others.push((await forget(`other${index}@example.org`, "192.0.2.99")).status);
    assert.deepEqual(others, [...Array.from({ length: 10 }, () => 200), 429]);
  });

  test("is set by an administrator's link, also for the first time and without mail", async () => {
    await using plain = await startPlainServer();
    assertRefused(await call(plain, "POST", "/api/auth/forgot", { json: { email: "ada@example.org" } }), { status: 409, code: "CONFLICT" });
    const created = await plain.run(["users", "create", "--email", "ada@example.org", "--name", "Ada"]);
    const command = /filehost (users reset-password ada@example\.org)/.exec(created.stderr)?.[1] ?? "";
    const link = await plain.run(command.split(" "));
    assert.match(link.stdout, /^http:\/\/localhost:\S+\/reset\/reset_[\w-]{43}\n$/);
    const token = tokenIn(link.stdout.trim());
    assert.equal((await call(plain, "POST", "/api/auth/reset", { json: { token, newPassword: NEW_PASSWORD } })).status, 200);
    const signedIn = await call(plain, "POST", "/api/auth/sign-in", { json: { login: "ada@example.org", password: NEW_PASSWORD } });
    assert.equal(signedIn.status, 200);
    assert.equal((await plain.run(["users", "reset-password", "nobody@example.org"])).code, 4);
  });

  test("is reported to the account's address after a change in the settings", async () => {
    const { email, key, token } = await signUp();
    await call(server, "POST", "/api/auth/verify", { key, json: { token } });
    await clientOf(server, { key }).call("changePassword", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    assert.match((await smtp.next(email)).text, /password of your account was changed/);
  });

  test("is not reported after a change to an address that was never verified, which may belong to a stranger", async () => {
    const { key, email } = await signUp();
    const client = clientOf(server, { key });
    await client.call("changePassword", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    await client.call("changePassword", { currentPassword: NEW_PASSWORD, newPassword: PASSWORD });
    await until("no mail waits", () =>
      withDatabase(server, async (db) => (await db.selectFrom("mails").select("id").where("recipient", "=", email).execute()).length === 0),
    );
    const mails = smtp.mails.filter(({ to }) => to.includes(email));
    assert.deepEqual(
      mails.map(({ text }) => /\/verify\//.test(text)),
      [true],
    );
  });

  test("is reported like the change of a second factor, which needs a verified address", async () => {
    const { email, key, token } = await signUp();
    assertRefused(await call(server, "POST", "/api/auth/totp", { key }), { status: 403, code: "FORBIDDEN" });
    await call(server, "POST", "/api/auth/verify", { key, json: { token } });
    const client = clientOf(server, { key });
    const { secret } = (await client.call("startTotp", {})).data;
    await client.call("confirmTotp", { code: codeOf(secret) });
    assert.match((await smtp.next(email)).text, /now needs a second factor/);
    await client.call("endTotp", {});
    assert.match((await smtp.next(email)).text, /no longer needs a second factor/);
  });
});
