import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AdminKeyView } from "../../../src/service/accounts/admin-keys.ts";
import type { Output } from "../../../src/service/contract.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { getMe } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "another horse battery";
const tokenIn = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/** sign in, "Verified and proved" and "Addresses that have an account"; administration, "Accounts that share an address". */
describe("an address with which a stranger signed up", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  let people = 0;
  before(async () => {
    server = await startMailServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const site = (): string => new URL(server.url).origin.replace("127.0.0.1", "localhost");
  const newAddress = (): string => `ada${++people}@example.org`;
  const headers = () => fromAddress(`198.51.100.${++people}`);
  const post = (path: string, json: object, key?: string) => call(server, "POST", `/api/auth/${path}`, { key, json, headers: headers() });
  const signUp = async (email: string, fields: object = {}) => {
    const { status, body } = await post("sign-up", { email, password: PASSWORD, name: "Ada", ...fields });
    const { sessionToken: key, owner } = (body.data ?? { owner: {} }) as { sessionToken: string; owner: { id: string } };
    return { status, key, id: owner.id, email };
  };
  /** The token of the next mail with a link to the page. */
  const mailedToken = async (email: string, page: "verify" | "reset" | "invite"): Promise<string> => {
    const mail = await smtp.next(email);
    return mail.text.includes(`/${page}/`) ? tokenIn(linkIn(mail, page)) : await mailedToken(email, page);
  };
  const makeOwner = async (email = newAddress()) => {
    const owner = await signUp(email);
    assert.equal((await post("verify", { token: await mailedToken(email, "verify") }, owner.key)).status, 200);
    return owner;
  };
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await server.run(words);
    return { code, stdout, stderr };
  };
  const administratorKey = async (): Promise<string> => {
    const address = newAddress();
    await run("users", "create", "--email", address, "--name", "Ada", "--admin");
    return (JSON.parse((await run("keys", "create", "--user", address, "--admin", "--json")).stdout) as { key: string }).key;
  };
  const rowOf = (id: string) =>
    withDatabase(server, (db) => db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow());
  const setPassword = (token: string) => post("reset", { token, newPassword: NEW_PASSWORD });

  test("is not used by commands that raise rights for an account that never verified it", async () => {
    const stranger = await signUp(newAddress());
    const { id, email } = stranger;
    for (const words of [
      ["users", "set-role", email, "admin"],
      ["users", "set-tier", email, "pro"],
      ["users", "set-username", email, "ada"],
      ["users", "reset-password", email],
      ["users", "enable", email],
      ["keys", "create", "--user", email],
    ]) {
      const { code, stderr } = await run(...words);
      assert.equal(code, 6, words.join(" "));
      assert.match(stderr, new RegExp(`${id} has not verified this address, so it may be a stranger's`));
    }
    const shown = await run("users", "show", email);
    assert.match(shown.stdout, new RegExp(`${email} \\(not verified\\)`));
    assert.equal((await run("users", "set-tier", email, "free")).code, 0);
    assert.equal((await run("users", "set-tier", id, "pro")).code, 0);

    const boss = clientOf(server, { key: await administratorKey() });
    const sent = await upload(server, { bytes: "x" }, { key: stranger.key });
    const filesOf = async (owner: string) => (await boss.call("listAllFiles", { owner })).data.map((file) => file.id);
    assert.deepEqual([await filesOf(email), await filesOf("nobody@example.org")], [[sent.id], []]);
    const second = await signUp(email);
    await assert.rejects(filesOf(email), new RegExp(`Use the ID of one: ${id}, ${second.id}`));
    for (const words of [
      ["users", "delete", email, "--yes"],
      ["users", "show", email],
    ]) {
      const { code, stderr } = await run(...words);
      assert.equal(code, 6, words.join(" "));
      assert.match(stderr, new RegExp(`2 accounts have the address ${email}.* Use the ID of one: ${id}, ${second.id}`));
    }
    assert.equal((await run("users", "delete", second.id, "--yes")).code, 0);
  });

  test("is used by commands for the account that verified it, which lists show first and the others as not verified", async () => {
    const owner = await makeOwner();
    const { email } = owner;
    const stranger = await signUp(email);
    assert.equal((await run("users", "set-role", email, "admin")).code, 0);
    assert.equal((await rowOf(owner.id)).role, "admin");
    const { key } = JSON.parse((await run("keys", "create", "--user", email, "--admin", "--json")).stdout) as { key: string };
    const admin = clientOf(server, { key });
    const search = async (limit: number) => {
      const found: (readonly [string, boolean])[] = [];
      let cursor: string | undefined;
      do {
        const page: Output<"searchUsers"> = await admin.call("searchUsers", { search: email, limit, cursor });
        found.push(...page.data.map(({ id, emailVerified }) => [id, emailVerified] as const));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return found;
    };
    for (const limit of [1, 10])
      assert.deepEqual(await search(limit), [
        [owner.id, true],
        [stranger.id, false],
      ]);
    const { id: fileId } = await upload(server, { bytes: "x" }, { key: stranger.key });
    const { data: files } = await admin.call("listAllFiles", {});
    assert.deepEqual(files.find((file) => file.id === fileId)?.owner, { id: stranger.id, email, emailVerified: false });
    const { data: entries } = await admin.call("listAuditLog", { actor: email, action: "session" });
    assert.deepEqual(
      entries.map(({ actor }) => [actor?.id, actor?.emailVerified]),
      [
        [stranger.id, false],
        [owner.id, true],
      ],
    );
    const keys = JSON.parse((await run("keys", "list", "--user", email, "--json")).stdout) as AdminKeyView[];
    assert.deepEqual(
      keys.map(({ userId, emailVerified }) => [userId, emailVerified]),
      [[owner.id, true]],
    );
    assert.match((await run("audit-log", "--actor", email)).stdout, new RegExp(`${email} \\(not verified\\)`));
  });

  test("is available with its mailed invite, also after many sign-ups, and for an account that an administrator creates", async () => {
    const email = newAddress();
    const strangers = [];
    for (let index = 0; index < 5; index++) strangers.push(await signUp(email));
    assert.equal((await signUp(email)).status, 429);
    await run("invites", "create", "--email", email, "--admin");
    const invite = await mailedToken(email, "invite");
    const boss = await signUp(email, { invite });
    assert.equal(boss.status, 200);
    const { owner } = await getMe(server, boss.key);
    assert.deepEqual([owner.email, owner.emailVerified, owner.role], [email, true, "admin"]);
    assert.equal((await post("sign-in", { login: email, password: PASSWORD })).status, 200);
    for (const { id } of strangers) assert.equal((await rowOf(id)).claimed_email, email);
    const shared = newAddress();
    await signUp(shared);
    await signUp(shared);
    const found = await fetch(`${server.url}/admin/files?owner=${shared}`, {
      headers: { Accept: "text/html", Cookie: `session=${boss.key}`, ...headers() },
    });
    assert.deepEqual([found.status, /Several accounts have this address/.test(await found.text())], [409, true]);

    const other = await signUp(newAddress());
    const made = JSON.parse((await run("users", "create", "--email", other.email, "--name", "Ada", "--json")).stdout) as { id: string };
    assert.equal((await rowOf(made.id)).email, other.email);
    assert.equal((await rowOf(other.id)).claimed_email, other.email);
    const again = await run("users", "create", "--email", other.email, "--name", "Ada");
    assert.deepEqual([again.code, /use that account if you know whose it is/.test(again.stderr)], [6, true]);
  });

  test("is taken over without keys and applications of the account, also if it was verified while no mail was sent", async () => {
    const setMail = (isOn: boolean) =>
      server.restart({ env: isOn ? smtp.env : Object.fromEntries(Object.keys(smtp.env).map((name) => [name, ""])) });
    for (const isProved of [false, true]) {
      await setMail(false);
      const stranger = await signUp(newAddress());
      const { email, id } = stranger;
      const client = clientOf(server, { key: stranger.key });
      const { key } = (await client.call("createKey", {})).data;
      const { shortId, shareToken } = (await client.call("createShare", { title: "Photos" })).data;
      await setMail(true);
      assert.equal((await getMe(server, key)).owner.emailVerified, true);
      if (isProved) {
        const profile = (method: "GET" | "POST") =>
          fetch(`${server.url}/settings`, {
            method,
            headers: {
              Accept: "text/html",
              Cookie: `session=${stranger.key}`,
              Origin: site(),
              ...headers(),
            },
            body: method === "POST" ? new URLSearchParams({ action: "prove-email" }) : null,
          }).then((response) => response.text());
        assert.match(await profile("GET"), /value="prove-email"/);
        assert.match(await profile("POST"), new RegExp(`We sent a link to ${email}`));
        const token = await mailedToken(email, "verify");
        const mail = smtp.mails.find(({ to, text }) => to.includes(email) && text.includes(token));
        assert.match(mail?.text ?? "", /You asked for a link that verifies the address of your account/);
        const page = async (method: "GET" | "POST", path: string) => {
          const response = await fetch(server.url + path, {
            method,
            headers: { Accept: "text/html", Cookie: `session=${stranger.key}`, Origin: site(), ...headers() },
            redirect: "manual",
          });
          return { location: response.headers.get("location"), text: await response.text() };
        };
        assert.equal((await page("GET", "/verify")).location, "/settings#address");
        assert.match((await page("POST", `/verify/${token}`)).text, /you now keep your keys, passkeys and webhooks/);
        assert.equal((await page("GET", "/verify")).location, "/");
        assert.doesNotMatch(await profile("GET"), /value="prove-email"/);
        assertRefused(await post("verify/resend", {}, stranger.key), { status: 409, code: "CONFLICT" });
      }
      await post("forgot", { email });
      const token = await mailedToken(email, "reset");
      const page = await fetch(`${server.url}/reset/${token}`, { headers: { Accept: "text/html" } });
      assert.equal(/This address was never verified/.test(await page.text()), !isProved);
      assert.equal((await setPassword(token)).status, 200);
      assert.notEqual((await rowOf(id)).email_proved_at, null);
      const { status } = await call(server, "GET", "/api/me", { key });
      const joining = upload(server, { bytes: "x", fields: { shareShortId: shortId, shareToken } });
      if (isProved) await joining;
      else await assert.rejects(joining, /share token/);
      assert.equal(status, isProved ? 200 : 401);
    }
  });

  test("does not help a stranger after an administrator's link sets the password, which proves nothing", async () => {
    const stranger = await signUp(newAddress());
    const { requestUrl } = (await clientOf(server, { key: stranger.key }).call("createRequest", { title: "Photos" })).data;
    const { id, email } = stranger;
    const identity = { id: crypto.randomUUID(), user_id: id, account_id: "subject", provider_id: "oidc:https://login.example.org/" };
    await withDatabase(server, (db) =>
      db
        .insertInto("sign_in_methods")
        .values({ ...identity, created_at: 1, updated_at: 1 })
        .execute(),
    );
    const handed = tokenIn((await run("users", "reset-password", id)).stdout.trim());
    await post("forgot", { email });
    const mailed = await mailedToken(email, "reset");
    assert.equal((await setPassword(handed)).status, 200, "asking for a mail does not end the administrator's link");
    assertRefused(await setPassword(mailed), { status: 403, code: "FORBIDDEN" });
    assert.equal((await fetch(server.url + new URL(requestUrl).pathname)).status, 404);
    const methods = await withDatabase(server, (db) => db.selectFrom("sign_in_methods").selectAll().where("user_id", "=", id).execute());
    assert.deepEqual(
      methods.map(({ provider_id }) => provider_id),
      ["credential"],
    );
    const { email_verified, email_proved_at } = await rowOf(id);
    assert.deepEqual([email_verified, email_proved_at], [1, null]);
  });

  test("gets its mails although a stranger's account with it is deleted", async () => {
    for (const isVerified of [false, true]) {
      const stranger = isVerified ? await makeOwner() : await signUp(newAddress());
      const { email, key } = stranger;
      const mail = { id: crypto.randomUUID(), recipient: email, language: null, content: "", created_at: 1, failed_at: Date.now() };
      await withDatabase(server, (db) =>
        db
          .insertInto("mails")
          .values({ ...mail, error: "refused" })
          .execute(),
      );
      assert.equal((await call(server, "DELETE", "/api/me", { key, json: { confirm: email } })).status, 200);
      const mails = await withDatabase(server, (db) => db.selectFrom("mails").select("id").where("id", "=", mail.id).execute());
      assert.equal(mails.length, isVerified ? 0 : 1);
    }
  });

  test("is refused to the link of another account without creating a session", async () => {
    const stranger = await signUp(newAddress());
    const { id, email } = stranger;
    const strangers = await mailedToken(email, "verify");
    const second = await signUp(email);
    const seconds = await mailedToken(email, "verify");
    assert.equal((await post("verify", { token: strangers }, stranger.key)).status, 200);
    const sessions = () => withDatabase(server, (db) => db.selectFrom("sessions").select("id").where("user_id", "=", second.id).execute());
    const before = await sessions();
    const response = await fetch(`${server.url}/verify/${seconds}`, {
      method: "POST",
      headers: { Accept: "text/html", Origin: site(), ...headers() },
      body: new URLSearchParams({ password: PASSWORD }),
      redirect: "manual",
    });
    assert.deepEqual([response.status, response.headers.get("set-cookie")], [409, null]);
    assert.deepEqual(await sessions(), before);
    assert.equal((await rowOf(id)).email, email);
  });
});
