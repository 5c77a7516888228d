import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { createKey, getMe } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "another horse battery";
const ENDED = { status: 403, code: "FORBIDDEN" } as const;
const tokenIn = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/** sign in, "Changing the email address". */
describe("the address of an account", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  let people = 0;
  before(async () => {
    server = await startMailServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const newAddress = (): string => `changed${++people}@example.org`;

  async function signUp({ isVerified = true } = {}) {
    people += 1;
    const input = { email: `mover${people}@example.org`, password: PASSWORD, name: "Ada" };
    const headers = fromAddress(`198.51.100.${people}`);
    const { data } = await clientOf(server, { headers }).call("signUp", input);
    const key = data.sessionToken;
    const verification = tokenIn(linkIn(await smtp.next(input.email), "verify"));
    if (isVerified) await call(server, "POST", "/api/auth/verify", { key, json: { token: verification } });
    return { ...input, headers, key, id: data.owner.id, verification };
  }
  type Person = Awaited<ReturnType<typeof signUp>>;
  const ask = ({ key, headers }: Pick<Person, "key" | "headers">, newEmail: string) =>
    call(server, "POST", "/api/auth/email", { key, headers, json: { newEmail } });
  const confirm = (key: string, token: string) => call(server, "POST", "/api/auth/email/confirm", { key, json: { token } });
  const signIn = (login: string, password = PASSWORD) =>
    call(server, "POST", "/api/auth/sign-in", { json: { login, password }, headers: fromAddress(`203.0.113.${people}`) });
  const tokenTo = async (email: string): Promise<string> => tokenIn(linkIn(await smtp.next(email), "email"));
  const pendingOf = async (key: string) => (await clientOf(server, { key }).call("getEmail", {})).data.pending?.email;

  test("changes when the new one is confirmed, and the old one gets two mails", async () => {
    const person = await signUp();
    const email = newAddress();
    const asked = await ask(person, ` ${email.toUpperCase()}`.trim());
    const { data } = asked.body as { data: { email: string; pending: { email: string } } };
    assert.deepEqual([asked.status, data.email, data.pending.email], [200, person.email, email]);
    assert.match((await smtp.next(person.email)).text, /asked to change its address.*If it was not you, set a new password/s);
    const mail = await smtp.next(email);
    assert.ok(!mail.text.includes(person.email));
    assert.equal((await signIn(email)).status, 401);
    assert.equal((await getMe(server, person.key)).owner.email, person.email);
    const token = tokenIn(linkIn(mail, "email"));
    const confirmed = await confirm(person.key, token);
    assert.deepEqual([confirmed.status, confirmed.body.data], [200, { email, isProved: true, pending: null }]);
    const told = await smtp.next(person.email);
    assert.match(told.text, /can no longer sign in with this address.*tell the administrator/s);
    assert.ok(!told.text.includes(email));
    const { owner } = await getMe(server, person.key);
    assert.deepEqual([owner.email, owner.emailVerified], [email, true]);
    assert.equal((await signIn(person.email)).status, 401);
    assert.equal((await signIn(email)).status, 200);
    assertRefused(await confirm(person.key, token), ENDED);
    const log = await server.run(["audit-log", "--subject", person.id, "--json"]);
    assert.match(log.stdout, /account\.email_changed.*account\.email_change_requested/s);
    assert.ok(!log.stdout.includes(person.email));
  });

  test("gets the same response and the same rows if another account has it, and a mail in place of the link", async () => {
    const owner = await signUp();
    const free = await signUp();
    const taken = await signUp();
    const email = newAddress();
    const rowsOf = (id: string) =>
      withDatabase(server, async (db) => [
        await db.selectFrom("account_links").select(["purpose", "user_id"]).where("user_id", "=", id).execute(),
        await db.selectFrom("audit_log").select(["action"]).where("account_id", "=", id).orderBy("id").execute(),
      ]);
    const responses = [];
    for (const [person, address] of [[free, email] as const, [taken, owner.email] as const]) {
      const { status, body } = await ask(person, address);
      const rows = JSON.stringify(await rowsOf(person.id)).replaceAll(person.id, "ID");
      const text = JSON.stringify(body).replaceAll(person.email, "OLD").replaceAll(address, "NEW");
      responses.push([status, text.replace(/\d{4}-[^"]+Z/, "TIME"), rows]);
    }
    assert.deepEqual(responses[0], responses[1]);
    const mail = await smtp.next(owner.email);
    assert.match(mail.text, /already has an account, so nothing changed/);
    assert.ok(!/settings\/email/.test(mail.text));
  });

  test("is confirmed only by a session of its account", async () => {
    const person = await signUp();
    const other = await signUp();
    const email = newAddress();
    await ask(person, email);
    const token = await tokenTo(email);
    assertRefused(await call(server, "POST", "/api/auth/email/confirm", { json: { token } }), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await confirm(other.key, token), ENDED);
    const { key } = await createKey(server, person.key);
    assertRefused(await confirm(key, token), { status: 409, code: "CONFLICT" });
    assertRefused(await ask({ ...person, key }, email), { status: 403, code: "PROOF_REQUIRED" });
    const browse = (key: string, method = "GET") =>
      fetch(`${server.url}/settings/email/${token}`, {
        method,
        redirect: "manual",
        headers: { Cookie: `session=${key}`, Accept: "text/html", Origin: new URL(server.url).origin.replace("127.0.0.1", "localhost") },
      });
    const anonymous = await browse("");
    assert.equal(anonymous.headers.get("location"), `/signin?next=%2Fsettings%2Femail%2F${token}`);
    const foreign = await browse(other.key);
    assert.equal(foreign.status, 403);
    assert.ok(!(await foreign.text()).includes(email));
    assert.equal((await browse(other.key, "POST")).status, 403);
    for (let opened = 0; opened < 2; opened++) assert.equal((await browse(person.key)).status, 200);
    assert.equal((await getMe(server, person.key)).owner.email, person.email);
    assert.equal((await browse(person.key, "POST")).status, 200);
    assert.equal((await getMe(server, person.key)).owner.email, email);
  });

  test("belongs to one of two accounts that confirm it at the same time", async () => {
    const persons = [await signUp(), await signUp(), await signUp()];
    const email = newAddress();
    const tokens: string[] = [];
    for (const person of persons) {
      await ask(person, email);
      tokens.push(await tokenTo(email));
    }
    const tries = await Promise.all(persons.map(({ key }, index) => confirm(key, tokens[index] ?? "")));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 409, 409]);
    const owners = await withDatabase(server, (db) => db.selectFrom("users").select("id").where("email", "=", email).execute());
    assert.deepEqual(owners, [{ id: persons[tries.findIndex(({ status }) => status === 200)]?.id }]);
  });

  test("has one pending change, which another one replaces and the owner cancels", async () => {
    const person = await signUp();
    const [first, second] = [newAddress(), newAddress()];
    await ask(person, first);
    const token = await tokenTo(first);
    await ask(person, second);
    assertRefused(await confirm(person.key, token), ENDED);
    assert.equal(await pendingOf(person.key), second);
    assert.equal((await call(server, "DELETE", "/api/auth/email", { key: person.key })).status, 200);
    assert.equal(await pendingOf(person.key), undefined);
    assertRefused(await confirm(person.key, await tokenTo(second)), ENDED);
    assertRefused(await call(server, "DELETE", "/api/auth/email", { key: person.key }), { status: 409, code: "CONFLICT" });
    assertRefused(await ask(person, person.email), { status: 409, code: "CONFLICT" });
    assertRefused(await ask(person, "no address"), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("is not changed after a day, a new password, a disabled account", async () => {
    const late = await signUp();
    const changed = await signUp();
    const disabled = await signUp();
    const tokens = new Map<Person, string>();
    for (const person of [late, changed, disabled]) {
      const email = newAddress();
      await ask(person, email);
      tokens.set(person, await tokenTo(email));
    }
    await withDatabase(server, (db) =>
      db
        .updateTable("account_links")
        .set({ expires_at: Date.now() - 1 })
        .where("user_id", "=", late.id)
        .execute(),
    );
    await clientOf(server, changed).call("changePassword", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    await server.run(["users", "disable", disabled.id]);
    await server.run(["users", "enable", disabled.id]);
    for (const person of [late, changed, disabled]) {
      assertRefused(await confirm(person.key, tokens.get(person) ?? ""), ENDED);
      assert.equal(await pendingOf(person.key), undefined);
    }
  });

  test("ends links that were mailed to the old one when it is confirmed", async () => {
    const person = await signUp({ isVerified: false });
    const email = newAddress();
    await ask(person, email);
    const token = await tokenTo(email);
    await call(server, "POST", "/api/auth/forgot", { json: { email: person.email }, headers: person.headers });
    const reset = tokenIn(linkIn(await smtp.next(person.email), "reset"));
    assert.equal((await confirm(person.key, token)).status, 200);
    assertRefused(await call(server, "POST", "/api/auth/reset", { json: { token: reset, newPassword: NEW_PASSWORD } }), ENDED);
    const verify = await call(server, "POST", "/api/auth/verify", { key: person.key, json: { token: person.verification } });
    assertRefused(verify, ENDED);
    assert.equal((await getMe(server, person.key)).owner.emailVerified, true);
    assert.ok(!smtp.mails.some(({ to, subject }) => to.includes(person.email) && /has changed|another address/.test(subject)));
  });

  test("can be requested 3 times an hour", async () => {
    const person = await signUp();
    const tries = [];
    for (let index = 0; index < 4; index++) tries.push((await ask(person, newAddress())).status);
    assert.deepEqual(tries, [200, 200, 200, 429]);
  });

  test("changes immediately if no mail is sent, and signs in after mail is configured", async () => {
    await using plain = await startPlainServer();
    const { data } = await clientOf(plain).call("signUp", { email: "ada@example.org", password: PASSWORD, name: "Ada" });
    await clientOf(plain).call("signUp", { email: "eve@example.org", password: PASSWORD, name: "Eve" });
    const client = clientOf(plain, { key: data.sessionToken });
    const taken = await call(plain, "POST", "/api/auth/email", { key: data.sessionToken, json: { newEmail: "eve@example.org" } });
    assertRefused(taken, { status: 409, code: "CONFLICT" });
    assert.deepEqual((await client.call("changeEmail", { newEmail: "Love@example.org" })).data, {
      email: "love@example.org",
      isProved: false,
      pending: null,
    });
    const { owner, tier } = await getMe(plain, data.sessionToken);
    assert.deepEqual([owner.email, owner.emailVerified, tier], ["love@example.org", true, "free"]);
    const { key } = await createKey(plain, data.sessionToken);
    await withDatabase(plain, (db) => db.updateTable("sessions").set({ proved_at: 0 }).execute());
    const unproved = await call(plain, "POST", "/api/auth/email", { key: data.sessionToken, json: { newEmail: "b@example.org" } });
    assertRefused(unproved, { status: 403, code: "PROOF_REQUIRED" });
    await plain.restart({ env: smtp.env });
    assert.equal((await getMe(plain, data.sessionToken)).tier, "free");
    assert.equal((await getMe(plain, key)).owner.email, "love@example.org");
    const post = (path: string, json: object) => call(plain, "POST", `/api/auth/${path}`, { json });
    assert.equal((await post("sign-in", { login: "love@example.org", password: PASSWORD })).status, 200);
    await post("forgot", { email: "love@example.org" });
    const token = tokenIn(linkIn(await smtp.next("love@example.org"), "reset"));
    assert.equal((await post("reset", { token, newPassword: NEW_PASSWORD })).status, 200);
    // Nobody had proved the address: the key may have been a stranger's.
    assertRefused(await call(plain, "GET", "/api/me", { key }), { status: 401, code: "UNAUTHENTICATED" });
  });
});
