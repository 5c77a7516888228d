import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAuthenticator } from "../../support/browser/authenticator.ts";
import { sampled } from "../../support/long.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { codeOf, signUpWithTotp, startSignIn } from "../support/accounts/two-step.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";

const PASSWORD = "correct horse battery";
const SITE = "http://files.test";

/**
 * accounts, "Signing in", "Invites", "Passkeys", "Two-step sign-in", "Sessions", "Sessions of browsers" and "Attempts", on two servers with
 * one database.
 */
for (const database of sampled(["server", "file"] as const, 2))
  describe(`attacks on signing in, with a database ${database}`, () => {
    let servers: ServerInstances;
    let people = 0;
    before(async () => {
      servers = await startServerInstances({ count: 2, database, env: { FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_SCANNER: "off" } });
    });
    after(() => servers[Symbol.asyncDispose]());

    function newPerson() {
      people += 1;
      return {
        input: { email: `attacked${people}@example.org`, password: PASSWORD, name: `Person ${people}` },
        headers: fromAddress(`198.51.100.${people}`),
      };
    }
    async function signUp(index = 0) {
      const person = newPerson();
      const { data } = await clientOf(servers.instance(index), person).call("signUp", person.input);
      return { ...person, ...data };
    }
    async function addAdministrator(): Promise<{ readonly key: string }> {
      const { owner, sessionToken } = await signUp();
      await servers.withDatabase((db) => db.updateTable("users").set({ role: "admin" }).where("id", "=", owner.id).execute());
      return { key: sessionToken };
    }
    const signIn = (login: string, password: string, headers = newPerson().headers) =>
      call(servers.instance(people), "POST", "/api/auth/sign-in", { json: { login, password }, headers });
    const sendForm = (index: number, path: string, fields: Record<string, string>, cookie: string) =>
      fetch(servers.instance(index).url + path, {
        method: "POST",
        redirect: "manual",
        headers: { Origin: SITE, "Sec-Fetch-Site": "same-origin", Accept: "text/html", Cookie: cookie, ...newPerson().headers },
        body: new URLSearchParams(fields),
      });
    const show = (index: number, path: string, cookie: string) =>
      fetch(servers.instance(index).url + path, { redirect: "manual", headers: { Accept: "text/html", Cookie: cookie } });
    const cookieOf = (response: Response, name: string): string | undefined =>
      response.headers
        .getSetCookie()
        .map((header) => header.split(";")[0] ?? "")
        .find((cookie) => cookie.startsWith(`${name}=`));

    test("never adopt a session that was in the browser before, however the person signs in or up", async () => {
      const victim = await signUp();
      const attacker = await signUp();
      const victims = clientOf(servers.instance(0), { key: victim.sessionToken });
      const device = createAuthenticator({ origin: SITE });
      const { options: forNew } = (await victims.call("startPasskey", {})).data;
      await victims.call("addPasskey", { credential: device.make(forNew) });
      const { input } = victim;
      const usePasskey = async () => {
        const { options } = (await clientOf(servers.instance(1)).call("startPasskeySignIn", {})).data;
        return { credential: JSON.stringify(device.use(options)) };
      };
      const { url } = (await clientOf(servers.instance(0), await addAdministrator()).call("createInvite", {})).data;
      const ways: readonly (readonly [path: string, fields: () => Promise<Record<string, string>> | Record<string, string>])[] = [
        ["/signin", () => ({ login: input.email, password: PASSWORD })],
        ["/signin/passkey", usePasskey],
        ["/signup", () => newPerson().input],
        [new URL(url).pathname, () => newPerson().input],
      ];
      for (const planted of [`session=session_${"A".repeat(43)}`, `session=${attacker.sessionToken}`])
        for (const [path, fieldsOf] of ways) {
          if (path.startsWith("/invite/") && !planted.includes(attacker.sessionToken)) continue;
          const fields = await fieldsOf();
          const response = await sendForm(1, path, fields, planted);
          assert.equal(response.status, 303, path);
          const cookie = cookieOf(response, "session") ?? assert.fail("no cookie");
          assert.notEqual(cookie, planted);
          const email = fields.email ?? input.email;
          assert.ok((await (await show(0, "/settings", cookie)).text()).includes(email), path);
          assert.ok(!(await (await show(0, "/settings", planted)).text()).includes(email), path);
        }
      assert.ok((await (await show(0, "/settings", `session=${attacker.sessionToken}`)).text()).includes(attacker.input.email));
    });

    test("do not get the victim's password or code by a planted second step of the attacker's account", async () => {
      const attacker = await signUpWithTotp(servers.instance(0), newPerson().input, newPerson().headers);
      const victim = await signUpWithTotp(servers.instance(0), newPerson().input, newPerson().headers);
      const planted = `signin=${await startSignIn(servers.instance(0), attacker.input)}`;
      const entered = await sendForm(0, "/signin/code", { code: codeOf(victim.secret, 1) }, planted);
      assert.equal(entered.status, 403);
      assert.equal(cookieOf(entered, "session"), undefined);
      const own = await sendForm(1, "/signin", { login: victim.input.email, password: PASSWORD }, planted);
      const pending = cookieOf(own, "signin") ?? assert.fail("no cookie");
      assert.notEqual(pending, planted);
      const done = await sendForm(0, "/signin/code", { code: codeOf(victim.secret, 1) }, pending);
      assert.equal(done.status, 303);
      assert.match(done.headers.getSetCookie().join("\n"), /^signin=; Path=\/; Max-Age=0;/m);
      const again = await sendForm(1, "/signin/code", { code: codeOf(victim.secret, 1) }, pending);
      assert.deepEqual([again.status, again.headers.get("location")], [303, "/signin"]);
      assert.equal(cookieOf(again, "session"), undefined);
    });

    test("get the same response for unknown and disabled accounts and wrong passwords, with and without a second step", async () => {
      const plain = await signUp();
      const twoStep = await signUpWithTotp(servers.instance(0), newPerson().input, newPerson().headers);
      const disabled = await signUp();
      const disabledTwoStep = await signUpWithTotp(servers.instance(1), newPerson().input, newPerson().headers);
      await servers.withDatabase((db) =>
        db.updateTable("users").set({ disabled_at: Date.now() }).where("id", "in", [disabled.owner.id, disabledTwoStep.userId]).execute(),
      );
      const answers = await Promise.all([
        signIn("nobody@example.org", PASSWORD),
        signIn(plain.input.email, "wrong horse battery"),
        signIn(twoStep.input.email, "wrong horse battery"),
        signIn(disabled.input.email, PASSWORD),
        signIn(disabledTwoStep.input.email, PASSWORD),
      ]);
      for (const answer of answers) assertRefused(answer, { status: 401, code: "UNAUTHENTICATED" });
      assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
    });

    test("are limited by username without disclosing whose it is", async () => {
      const { input, owner } = await signUp();
      const username = `attacked-${people}-${database}`;
      await servers.withDatabase((db) => db.updateTable("users").set({ username }).where("id", "=", owner.id).execute());
      const refusals = async (login: string) => (await signIn(login, "wrong horse battery")).status;
      for (let tries = 0; tries < 20; tries += 1) assert.equal(await refusals(username), 401);
      assert.equal(await refusals(username.toUpperCase()), 429);
      assert.equal(await refusals(input.email), 401);
      assert.equal((await signIn(input.email, PASSWORD)).status, 200);
      assert.equal((await signIn(username, PASSWORD)).status, 429);
    });

    test("fail with a revoked session immediately, in another browser and on the other server", async () => {
      const { input, headers, sessionToken } = await signUp(0);
      const other = (await clientOf(servers.instance(1), { headers }).call("signIn", { login: input.email, password: PASSWORD })).data;
      const isIn = async (index: number): Promise<boolean> =>
        (await show(index, "/settings", `session=${other.sessionToken}`)).status === 200 &&
        (await call(servers.instance(index), "GET", "/api/me", { key: other.sessionToken })).status === 200;
      assert.deepEqual([await isIn(0), await isIn(1)], [true, true]);
      const client = clientOf(servers.instance(0), { key: sessionToken });
      const id = (await client.call("listSessions", {})).data.find(({ isCurrent }) => !isCurrent)?.id ?? assert.fail();
      await client.call("revokeSession", { id });
      assert.deepEqual([await isIn(0), await isIn(1)], [false, false]);
    });

    test("fail with the sessions of a disabled account on both servers, and with a sign-in that waits for a code", async () => {
      const account = await signUpWithTotp(servers.instance(0), newPerson().input, newPerson().headers);
      const signInToken = await startSignIn(servers.instance(1), account.input);
      await servers.withDatabase((db) =>
        db.updateTable("users").set({ disabled_at: Date.now() }).where("id", "=", account.userId).execute(),
      );
      for (const server of servers.all) {
        assertRefused(await call(server, "GET", "/api/me", { key: account.sessionToken }), { status: 401, code: "UNAUTHENTICATED" });
        const json = { signInToken, code: account.nextCode() };
        assertRefused(await call(server, "POST", "/api/auth/sign-in/code", { json }), { status: 401, code: "UNAUTHENTICATED" });
      }
      assert.equal((await show(1, "/settings", `session=${account.sessionToken}`)).status, 303);
    });

    test("are limited exactly for codes and passwords, with simultaneous tries on both servers", async () => {
      const account = await signUpWithTotp(servers.instance(0), newPerson().input, newPerson().headers);
      const signInToken = await startSignIn(servers.instance(0), account.input);
      const statuses = async (count: number, path: string, json: object) => {
        const tries = Array.from({ length: count }, (_, index) =>
          call(servers.instance(index), "POST", path, { json, headers: fromAddress(`203.0.113.${index}`) }),
        );
        return (await Promise.all(tries)).map(({ status }) => status).sort();
      };
      const codes = await statuses(12, "/api/auth/sign-in/code", { signInToken, code: "not-a-code" });
      assert.deepEqual(codes, [...new Array(5).fill(403), ...new Array(7).fill(429)]);
      const passwords = await statuses(26, "/api/auth/sign-in", { login: account.input.email, password: "wrong horse battery" });
      assert.deepEqual(passwords, [...new Array(20).fill(401), ...new Array(6).fill(429)]);
    });
  });
