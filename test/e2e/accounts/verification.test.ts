import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { getMe } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";

let people = 0;
function newPerson(name = "Ada") {
  people += 1;
  return { input: { email: `new${people}@example.org`, password: PASSWORD, name }, headers: fromAddress(`198.51.100.${people}`) };
}
const tokenIn = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/** accounts, "Verification" and "Attempts". */
describe("an account on a server that sends mail", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  before(async () => {
    server = await startMailServer({
      FILEHOST_URL: "https://files.example.org",
      FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
      FILEHOST_LIMITS: JSON.stringify({ tiers: { anonymous: { fileBytes: 1000 } } }),
    });
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function signUp(name?: string, extra: Record<string, string> = {}) {
    const person = newPerson(name);
    const { data } = await clientOf(server, { headers: { ...person.headers, ...extra } }).call("signUp", person.input);
    const mail = await smtp.next(person.input.email);
    return { ...person.input, headers: person.headers, key: data.sessionToken, mail, token: tokenIn(linkIn(mail, "verify")) };
  }
  const verify = ({ token, key }: { token: string; key: string }) => call(server, "POST", "/api/auth/verify", { key, json: { token } });

  test("has the limits of a caller without a key until its link is opened, and keeps its files", async () => {
    const { key, mail, token, email } = await signUp();
    assert.ok(linkIn(mail, "verify").startsWith("https://files.example.org/verify/verify_"));
    const before = await getMe(server, key);
    assert.deepEqual([before.owner.emailVerified, before.tier, before.limits.fileBytes], [false, "anonymous", 1000]);
    assert.deepEqual([before.limits.maxTtlSeconds, before.limits.importsPerHour], [(3 * DAY_MS) / 1000, 10]);
    const small = await upload(server, { bytes: "x" }, { key });
    const sendLarge = () => call(server, "POST", "/api/files/multipart/init", { key, json: { fileName: "a", fileSize: 1001 } });
    assert.equal((await sendLarge()).status, 413);
    assertRefused(await call(server, "POST", "/api/shares", { key, json: { visibility: "public" } }), { status: 403, code: "FORBIDDEN" });

    const verified = await verify({ token, key });
    assert.deepEqual([verified.status, verified.body.data], [200, { email }]);
    const me = await getMe(server, key);
    assert.deepEqual([me.owner.emailVerified, me.tier, me.limits.importsPerHour], [true, "free", null]);
    assert.equal((await sendLarge()).status, 200);
    const { body } = await call(server, "GET", "/api/files/list", { key });
    assert.ok(JSON.stringify(body).includes(small.id));
    assertRefused(await verify({ token, key }), { status: 403, code: "FORBIDDEN" });
  });

  test("creates nothing that outlives its sessions before the verification, also with Pro, whose limits it has", async () => {
    const { key, token } = await signUp();
    const { id } = (await getMe(server, key)).owner;
    await withDatabase(server, (db) => db.updateTable("users").set({ tier: "pro", pro_until: null }).where("id", "=", id).execute());
    assert.equal((await getMe(server, key)).tier, "pro");
    const webhook = { url: "https://hooks.example.org/x", events: ["file.ready"] };
    const tries = () =>
      Promise.all([
        call(server, "POST", "/api/keys", { key, json: {} }),
        call(server, "POST", "/api/webhooks", { key, json: webhook }),
        call(server, "POST", "/api/auth/totp", { key }),
        call(server, "POST", "/api/auth/passkeys/options", { key }),
      ]);
    for (const response of await tries()) assertRefused(response, { status: 403, code: "FORBIDDEN" });
    assert.equal((await verify({ token, key })).status, 200);
    for (const { status } of await tries()) assert.equal(status, 200);
  });

  test("is verified once of several times at the same time, and not by an expired or invented link", async () => {
    const person = await signUp();
    const tries = await Promise.all([1, 2, 3].map(() => verify(person)));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 403]);
    const late = await signUp();
    await withDatabase(server, (db) =>
      db
        .updateTable("account_links")
        .set({ expires_at: Date.now() - 1 })
        .execute(),
    );
    assertRefused(await verify(late), { status: 403, code: "FORBIDDEN" });
    assertRefused(await verify({ ...late, token: "verify_invented" }), { status: 403, code: "FORBIDDEN" });
    assert.equal((await getMe(server, late.key)).owner.emailVerified, false);
  });

  test("is not verified by a person who only reads its mail, because a stranger may have created it with their address", async () => {
    const made = await signUp();
    const reader = await signUp();
    const page = `${server.url}/verify/${made.token}`;
    const press = (password?: string, cookie = "") =>
      fetch(page, {
        method: "POST",
        redirect: "manual",
        headers: { ...made.headers, "Sec-Fetch-Site": "same-origin", Origin: "https://files.example.org", Cookie: cookie },
        body: new URLSearchParams(password === undefined ? {} : { password }),
      });
    assertRefused(await call(server, "POST", "/api/auth/verify", { json: { token: made.token } }), {
      status: 401,
      code: "UNAUTHENTICATED",
    });
    assertRefused(await verify({ token: made.token, key: reader.key }), { status: 403, code: "FORBIDDEN" });
    for (const refused of [await press(), await press("a wrong password"), await press(undefined, `__Host-session=${reader.key}`)]) {
      assert.deepEqual([refused.status, refused.headers.get("set-cookie")], [401, null]);
      assert.match(await refused.text(), /The password is wrong/);
    }
    assert.equal((await getMe(server, made.key)).owner.emailVerified, false);
    const verified = await press(PASSWORD);
    assert.equal(verified.status, 200);
    const session = /__Host-session=([^;]+)/.exec(verified.headers.get("set-cookie") ?? "")?.[1] ?? "";
    assert.equal((await getMe(server, session)).owner.email, made.email);
    assert.equal((await getMe(server, made.key)).owner.emailVerified, true);
  });

  test("is verified in a browser that is signed in to it by the button only", async () => {
    const { key, token, headers } = await signUp();
    const browser = { ...headers, Origin: "https://files.example.org", Cookie: `__Host-session=${key}` };
    const page = await (await fetch(`${server.url}/verify/${token}`, { headers: browser })).text();
    assert.doesNotMatch(page, /type="password"/);
    assert.equal((await fetch(`${server.url}/verify/${token}`, { method: "POST", headers: browser })).status, 200);
    assert.equal((await getMe(server, key)).owner.emailVerified, true);
  });

  test("gets the link again, in place of the earlier one, and not too often", async () => {
    const { key, email, token } = await signUp();
    const resend = () => call(server, "POST", "/api/auth/verify/resend", { key, headers: fromAddress("192.0.2.77") });
    assert.equal((await resend()).status, 200);
    const second = tokenIn(linkIn(await smtp.next(email), "verify"));
    assertRefused(await verify({ token, key }), { status: 403, code: "FORBIDDEN" });
    assert.equal((await resend()).status, 200);
    assertRefused(await verify({ token: second, key }), { status: 403, code: "FORBIDDEN" });
    assert.equal((await resend()).status, 200);
    assertRefused(await resend(), { status: 429, code: "RATE_LIMITED" });
    await smtp.next(email);
    const last = tokenIn(linkIn(await smtp.next(email), "verify"));
    assert.equal((await verify({ token: last, key })).status, 200);
    assertRefused(await resend(), { status: 409, code: "CONFLICT" });
  });

  test("gets a mail without texts of its owner, in the language of its page", async () => {
    const { mail } = await signUp("You won https://evil.example", { "Accept-Language": "de-AT,en;q=0.5" });
    assert.equal(mail.subject, "Bestätigen Sie Ihre Adresse für filehost");
    assert.match(mail.html, /<html lang="de">/);
    assert.ok(!/evil|You won/.test(mail.text + mail.html + mail.subject));
  });

  test("has no link to its verification in the database, and no address in the log", async () => {
    const { token, email } = await signUp();
    const rows = await withDatabase(server, async (db) => [
      ...(await db.selectFrom("account_links").selectAll().execute()),
      ...(await db.selectFrom("mails").selectAll().execute()),
    ]);
    assert.ok(!JSON.stringify(rows).includes(token));
    assert.ok(!JSON.stringify(server.logs()).includes(email) && !JSON.stringify(server.logs()).includes(token));
  });

  test("is verified from the start by an invite that was mailed to it, and by the administrator's invite", async () => {
    const { input, headers } = newPerson();
    await server.run(["invites", "create", "--email", input.email]);
    const invite = tokenIn(linkIn(await smtp.next(input.email), "invite"));
    const { data } = await clientOf(server, { headers }).call("signUp", { ...input, invite });
    assert.equal((await getMe(server, data.sessionToken)).owner.emailVerified, true);
    const handed = newPerson();
    const url = (await server.run(["invites", "create"])).stdout.trim();
    const other = await clientOf(server, handed).call("signUp", { ...handed.input, invite: tokenIn(url) });
    assert.equal((await getMe(server, other.data.sessionToken)).owner.emailVerified, false);
  });

  test("cannot upload before the verification, if uploads need an account", async () => {
    await using closed = await startPlainServer({ ...smtp.env, FILEHOST_ANONYMOUS: "off" });
    const { input } = newPerson();
    const { data } = await clientOf(closed).call("signUp", input);
    const key = data.sessionToken;
    assertRefused(await call(closed, "POST", "/api/files/multipart/init", { key, json: { fileName: "a", fileSize: 1 } }), {
      status: 403,
      code: "FORBIDDEN",
    });
    await call(closed, "POST", "/api/auth/verify", { key, json: { token: tokenIn(linkIn(await smtp.next(input.email), "verify")) } });
    await upload(closed, { bytes: "x" }, { key });
  });

  test("needs no verification if no mail is sent", async () => {
    await using plain = await startPlainServer();
    const { input } = newPerson();
    const { data } = await clientOf(plain).call("signUp", input);
    const me = await getMe(plain, data.sessionToken);
    assert.deepEqual([me.owner.emailVerified, me.tier], [true, "free"]);
    const resend = await call(plain, "POST", "/api/auth/verify/resend", { key: data.sessionToken });
    assertRefused(resend, { status: 409, code: "CONFLICT" });
  });
});
