import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { getMe } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, upload } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const OTHER_PASSWORD = "another horse battery";
const tokenIn = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/** sign in, "Addresses that have an account". */
describe("signing up if mail is configured", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  let people = 0;
  before(async () => {
    server = await startMailServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const newAddress = (): string => `owner${++people}@example.org`;
  const post = (path: string, json: object, key?: string) =>
    call(server, "POST", `/api/auth/${path}`, { key, json, headers: fromAddress(`198.51.100.${++people}`) });
  const signUp = async (email: string, password = PASSWORD) => {
    const { status, body } = await post("sign-up", { email, password, name: "Ada" });
    const { sessionToken: key, owner } = body.data as { sessionToken: string; owner: { id: string; email: string } };
    return { status, body, key, owner, email };
  };
  const verify = async (key: string, email: string) =>
    await post("verify", { token: tokenIn(linkIn(await smtp.next(email), "verify")) }, key);

  async function makeOwner() {
    const owner = await signUp(newAddress());
    assert.equal((await verify(owner.key, owner.email)).status, 200);
    return owner;
  }

  /** How many rows each table has. */
  const countRows = () =>
    withDatabase(server, async (db) => {
      const tables = await db.introspection.getTables();
      const counts: Record<string, number> = {};
      for (const { name } of tables) {
        // Jobs and mails end when they are done, and rates and processes count on their own.
        if (/^(jobs|job_keys|mails|rate_windows|server_instances|schedule_runs)$/.test(name)) continue;
        const { count } = await db
          .selectFrom(name as "users")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow();
        counts[name] = count;
      }
      return counts;
    });

  test("responds the same and writes the same rows for a taken address, whose account keeps it", async () => {
    const owner = await makeOwner();
    const unverified = await signUp(newAddress());
    const outcomes = [];
    for (const email of [newAddress(), owner.email, unverified.email]) {
      const earlier = await countRows();
      const made = await signUp(email, OTHER_PASSWORD);
      const later = await countRows();
      const written = Object.fromEntries(Object.entries(later).map(([table, count]) => [table, count - (earlier[table] ?? 0)]));
      const me = await getMe(server, made.key);
      const seen = [
        made.body,
        me,
        (await call(server, "GET", "/api/auth/email", { key: made.key })).body,
        (await post("verify/resend", {}, made.key)).body,
        (await post("sign-in", { login: email, password: OTHER_PASSWORD })).body,
        (await post("email", { newEmail: email }, made.key)).body,
        (await call(server, "POST", "/api/keys", { key: made.key, json: {} })).body,
      ];
      const text = JSON.stringify(seen)
        .replaceAll(email, "ADDRESS")
        .replaceAll(made.owner.id, "ID")
        .replace(/session_[\w-]+/g, "TOKEN")
        .replace(/\d{4}-\d\d-\d\dT[^"]+/g, "TIME")
        .replace(/"requestId":"[^"]+"/g, "");
      outcomes.push({ status: made.status, text, written });
    }
    assert.deepEqual(outcomes[1], outcomes[0]);
    assert.deepEqual(outcomes[2], outcomes[0]);
    assert.equal(outcomes[0]?.status, 200);
    // The password is hashed for both.
    assert.equal(outcomes[1]?.written.sign_in_methods, 1);
    const mail = await smtp.next(owner.email);
    assert.match(mail.text, /already has an account, so nothing changed/);
    assert.ok(!/verify/.test(mail.text));
    assert.equal((await post("sign-in", { login: owner.email, password: PASSWORD })).status, 200);
    assert.equal((await getMe(server, owner.key)).owner.emailVerified, true);
  });

  test("gives an address to the first account that verifies it, and discloses nothing to the others", async () => {
    const stranger = await signUp(newAddress());
    const { email } = stranger;
    const strangers = tokenIn(linkIn(await smtp.next(email), "verify"));
    const seen = async () => [
      await getMe(server, stranger.key),
      (await call(server, "GET", "/api/auth/email", { key: stranger.key })).body.data,
      (await post("sign-in", { login: email, password: PASSWORD })).body.errorCode,
    ];
    await post("email", { newEmail: newAddress() }, stranger.key);
    await post("forgot", { email });
    const reset = tokenIn(linkIn(await smtp.next(email), "reset"));
    const owner = await signUp(email, OTHER_PASSWORD);
    const { id } = await upload(server, { bytes: "x" }, { key: owner.key });
    const earlier = await seen();
    assert.equal((await verify(owner.key, email)).status, 200);
    assert.deepEqual(await seen(), earlier);
    assertRefused(await post("verify", { token: strangers }, stranger.key), { status: 403, code: "FORBIDDEN" });
    assertRefused(await post("reset", { token: reset, newPassword: PASSWORD }), { status: 403, code: "FORBIDDEN" });
    const { body } = await post("sign-in", { login: email, password: OTHER_PASSWORD });
    const { sessionToken: key } = body.data as { sessionToken: string };
    assert.equal((await getMe(server, key)).owner.emailVerified, true);
    assert.ok(JSON.stringify((await call(server, "GET", "/api/files/list", { key })).body).includes(id));
    await post("verify/resend", {}, stranger.key);
    assert.match((await smtp.next(email)).text, /already has an account, so nothing changed/);
  });

  test("allows a change to an address that another account never verified", async () => {
    const stranger = await signUp(newAddress());
    const { email } = stranger;
    await smtp.next(email);
    const owner = await makeOwner();
    assert.equal((await post("email", { newEmail: email }, owner.key)).status, 200);
    const token = tokenIn(linkIn(await smtp.next(email), "email"));
    assert.equal((await post("email/confirm", { token }, owner.key)).status, 200);
    const addresses = [owner, stranger].map(async ({ key }) => (await getMe(server, key)).owner);
    const [own, strangers] = await Promise.all(addresses);
    assert.deepEqual([own?.email, own?.emailVerified, strangers?.email, strangers?.emailVerified], [email, true, email, false]);
    assert.equal((await post("sign-in", { login: email, password: PASSWORD })).status, 200);
  });

  test("gives the second account of an address nothing of it, and another address after its confirmation", async () => {
    const owner = await makeOwner();
    const second = await signUp(owner.email, OTHER_PASSWORD);
    await smtp.next(owner.email);
    await post("forgot", { email: owner.email });
    const reset = tokenIn(linkIn(await smtp.next(owner.email), "reset"));
    assert.equal((await post("reset", { token: reset, newPassword: PASSWORD })).status, 200);
    await smtp.next(owner.email);
    await post("password", { currentPassword: OTHER_PASSWORD, newPassword: "third horse battery" }, second.key);
    const signIn = async (login: string) => (await post("sign-in", { login, password: "third horse battery" })).status;
    assert.deepEqual(
      [await signIn(second.owner.id), await signIn(`claimed-${second.owner.id}`), await signIn(owner.email)],
      [200, 401, 401],
    );
    const email = newAddress();
    assert.equal((await post("email", { newEmail: email }, second.key)).status, 200);
    const token = tokenIn(linkIn(await smtp.next(email), "email"));
    assert.equal((await post("email/confirm", { token }, second.key)).status, 200);
    assert.equal((await post("sign-in", { login: email, password: "third horse battery" })).status, 200);
    assert.equal((await getMe(server, second.key)).owner.email, email);
    assert.ok(!smtp.mails.some(({ to, text }) => to.includes(owner.email) && /asked to change|no longer sign in/.test(text)));
    const { stdout } = await server.run(["users", "list", "--json"]);
    assert.equal(stdout.split(owner.email).length, 2);
  });

  test("allows the second account of an address to be deleted, and the third to get the address after it is free", async () => {
    const owner = await makeOwner();
    const [second, third] = [await signUp(owner.email), await signUp(owner.email)];
    await smtp.next(owner.email);
    await smtp.next(owner.email);
    const remove = (key: string) => call(server, "DELETE", "/api/me", { key, json: { confirm: owner.email } });
    assert.equal((await remove(second.key)).status, 200);
    assert.equal((await getMe(server, owner.key)).owner.email, owner.email);
    assert.equal((await remove(owner.key)).status, 200);
    await withDatabase(server, (db) => db.deleteFrom("rate_windows").execute());
    assert.equal((await post("verify/resend", {}, third.key)).status, 200);
    assert.equal((await verify(third.key, owner.email)).status, 200);
    const { email, emailVerified } = (await getMe(server, third.key)).owner;
    assert.deepEqual([email, emailVerified], [owner.email, true]);
  });

  test("signs in by its username or ID before the address is verified, and by the address after it", async () => {
    const { key, owner, email } = await signUp(newAddress());
    await call(server, "PATCH", "/api/me", { key, json: { username: "newcomer" } });
    const signIn = async (login: string) => (await post("sign-in", { login, password: PASSWORD })).status;
    assert.deepEqual([await signIn(email), await signIn("newcomer"), await signIn(owner.id)], [401, 200, 200]);
    await verify(key, email);
    assert.equal(await signIn(email), 200);
  });

  test("signs in by the address after an administrator's link set the password, but not to the second account of an address", async () => {
    const { owner, email } = await signUp(newAddress());
    const second = await signUp(email);
    const statuses = [];
    for (const { id } of [second.owner, owner]) {
      const token = tokenIn((await server.run(["users", "reset-password", id])).stdout.trim());
      assert.equal((await post("reset", { token, newPassword: `${OTHER_PASSWORD} ${id}` })).status, 200);
      statuses.push((await post("sign-in", { login: email, password: `${OTHER_PASSWORD} ${id}` })).status);
    }
    assert.deepEqual(statuses, [401, 200]);
  });

  test("is limited to 5 an hour for an email address", async () => {
    const tries = [];
    const email = newAddress();
    for (let index = 0; index < 6; index++) tries.push((await post("sign-up", { email, password: PASSWORD, name: "Ada" })).status);
    assert.deepEqual(tries, [200, 200, 200, 200, 200, 429]);
  });

  test("refuses a taken address to a person with its mailed invite", async () => {
    const owner = await makeOwner();
    await server.run(["invites", "create", "--email", owner.email]);
    const invite = tokenIn(linkIn(await smtp.next(owner.email), "invite"));
    const taken = await post("sign-up", { email: owner.email, password: PASSWORD, name: "Ada", invite });
    assertRefused(taken, { status: 409, code: "CONFLICT" });
  });
});
