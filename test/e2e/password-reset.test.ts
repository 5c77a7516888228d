import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { linkIn, startSmtpServer, type TestSmtpServer } from "../support/smtp-server.ts";
import { until } from "../support/until.ts";
import { createKey, getMe } from "./support/accounts.ts";
import { fromAddress } from "./support/agents.ts";
import { assertRefused, call, clientOf } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { withDatabase } from "./support/state.ts";
import { codeOf } from "./support/two-step.ts";

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
  let server: TestServer;
  before(async () => {
    smtp = await startSmtpServer();
    server = await startPlainServer({ ...smtp.env, FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await smtp[Symbol.asyncDispose]();
  });

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
    assert.equal((await call(server, "POST", "/api/auth/verify", { json: { token: verification } })).status, 200);
    const { key } = await createKey(server, session);
    assert.equal((await forget(` ${email.toUpperCase()}`.trim())).status, 200);
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
  });

  test("gives an account that was made with a stranger's address to its owner alone", async () => {
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

  test("gets the same response for an address without an account, a disabled one, and the same mail for nobody", async () => {
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

  test("gets a link that ends with time and with the next one", async () => {
    const { email } = await signUp();
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

  test("is set by one of several uses of its link at the same time", async () => {
    const { email } = await signUp();
    await forget(email);
    const token = tokenIn(linkIn(await smtp.next(email), "reset"));
    const passwords = [1, 2, 3].map((index) => `${NEW_PASSWORD} ${index}`);
    const tries = await Promise.all(passwords.map((password) => reset(token, password)));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 403]);
    const chosen = passwords[tries.findIndex(({ status }) => status === 200)] ?? "";
    assert.equal((await signIn(email, chosen)).status, 200);
  });

  test("is asked for 3 times an hour per email address, known or not, and 10 times per address", async () => {
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

  test("is set by an administrator's link, also at first and without mail", async () => {
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

  test("that is changed in the settings is told to the account's address", async () => {
    const { email, key } = await signUp();
    await clientOf(server, { key }).call("changePassword", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    assert.match((await smtp.next(email)).text, /password of your account was changed/);
  });

  test("is not all that is told: a second factor is too, which needs a verified address", async () => {
    const { email, key, token } = await signUp();
    assertRefused(await call(server, "POST", "/api/auth/totp", { key }), { status: 403, code: "FORBIDDEN" });
    await call(server, "POST", "/api/auth/verify", { json: { token } });
    const client = clientOf(server, { key });
    const { secret } = (await client.call("startTotp", {})).data;
    await client.call("confirmTotp", { code: codeOf(secret) });
    assert.match((await smtp.next(email)).text, /now needs a second factor/);
    await client.call("endTotp", {});
    assert.match((await smtp.next(email)).text, /no longer needs a second factor/);
  });
});
