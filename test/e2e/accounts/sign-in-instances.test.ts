import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAuthenticator } from "../../support/browser/authenticator.ts";
import { longSkipped } from "../../support/long.ts";
import { signInAtProvider, startIdentityProvider, type TestIdentityProvider } from "../../support/services/identity-provider.ts";
import { linkIn, startSmtpServer, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { codeOf, startSignIn } from "../support/accounts/two-step.ts";
import { type ApiResponse, call, clientOf, upload } from "../support/api/api.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";

const PASSWORD = "correct horse battery";
const SITE = "http://files.test";
/** The instances that four requests at the same time go to. */
const FOUR = [0, 1, 0, 1] as const;

const tokenIn = (link: string): string => link.trim().slice(link.trim().lastIndexOf("/") + 1);
const statuses = async (responses: readonly Promise<{ readonly status: number }>[]): Promise<readonly number[]> =>
  (await Promise.all(responses)).map(({ status }) => status).sort();

/**
 * accounts, "Signing in", "Invites", "Profile", "Proof", "A forgotten password", "Verification", "Attempts", "Two-step sign-in", "Passkeys"
 * and "OpenID Connect", and notices, "By mail", and sign in, "Changing the email address", on two servers with one database.
 */
for (const database of ["server", "file"] as const)
  describeUnless(longSkipped, `accounts on two server instances with one database, a ${database}`, () => {
    let smtp: TestSmtpServer;
    let provider: TestIdentityProvider;
    let servers: ServerInstances;
    let people = 0;
    before(async () => {
      smtp = await startSmtpServer();
      provider = await startIdentityProvider(`${SITE}/signin/oidc/callback`);
      servers = await startServerInstances({
        count: 2,
        database,
        env: { ...smtp.env, ...provider.env, FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0" },
      });
    });
    after(async () => {
      await servers[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
    });

    function newPerson() {
      people += 1;
      return {
        input: { email: `shared${people}@example.org`, password: PASSWORD, name: "Ada" },
        headers: fromAddress(`198.51.100.${people}`),
      };
    }
    /** Signs up at the first instance; with a verified address unless told otherwise. */
    async function signUp({ isVerified = true } = {}) {
      const { input, headers } = newPerson();
      const { data } = await clientOf(servers.instance(0), { headers }).call("signUp", input);
      if (isVerified) await verify(data.owner.id);
      return { ...input, headers, id: data.owner.id, key: data.sessionToken };
    }
    const verify = (id: string) =>
      servers.withDatabase((db) => db.updateTable("users").set({ email_verified: 1 }).where("id", "=", id).execute());
    const post = (
      index: number,
      path: string,
      json: object,
      options: { key?: string; headers?: Record<string, string> } = {},
    ): Promise<ApiResponse> => call(servers.instance(index), "POST", `/api/auth/${path}`, { json, ...options });
    const run = async (index: number, ...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await servers.instance(index).run(args);
      assert.equal(code, 0, stderr);
      return stdout;
    };

    test("use an invite once if several people use it at the same time", async () => {
      const invite = tokenIn(await run(0, "invites", "create"));
      const emails = FOUR.map(() => newPerson());
      const tries = FOUR.map((index, n) => {
        const { input, headers } = emails[n] ?? newPerson();
        return post(index, "sign-up", { ...input, invite }, { headers });
      });
      assert.deepEqual(await statuses(tries), [200, 403, 403, 403]);
      const made = await servers.withDatabase((db) =>
        db
          .selectFrom("users")
          .select("id")
          .where(
            "email",
            "in",
            emails.map(({ input }) => input.email),
          )
          .execute(),
      );
      assert.equal(made.length, 1);
    });

    test("give one address to one of several people who sign up at the same time", async () => {
      const { input } = newPerson();
      assert.deepEqual(
        await statuses(FOUR.map((index) => post(index, "sign-up", input, { headers: newPerson().headers }))),
        [200, 200, 200, 200],
      );
      const owners = await servers.withDatabase((db) => db.selectFrom("users").select("id").where("email", "=", input.email).execute());
      assert.equal(owners.length, 1);
    });

    test("count sign-ups together", async () => {
      const headers = fromAddress("203.0.113.7");
      const tries = Array.from({ length: 9 }, (_, index) => post(index, "sign-up", newPerson().input, { headers }));
      assert.deepEqual(await statuses(tries), [200, 200, 200, 200, 200, 429, 429, 429, 429]);
    });

    test("accept a link that sets a password once, also if the other instance made it", async () => {
      const { email, headers } = await signUp();
      const token = tokenIn(await run(1, "users", "reset-password", email));
      const passwords = FOUR.map((index) => `password number ${index} of ${Math.random()}`);
      const tries = await Promise.all(FOUR.map((index, n) => post(index, "reset", { token, newPassword: passwords[n] }, { headers })));
      assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 403, 403]);
      const set = tries.findIndex(({ status }) => status === 200);
      for (const index of [0, 1]) {
        assert.equal((await post(index, "sign-in", { login: email, password: passwords[set] }, { headers })).status, 200);
        assert.equal((await post(index, "sign-in", { login: email, password: PASSWORD }, { headers })).status, 401);
      }
    });

    test("accept a link that verifies an address once", async () => {
      const { key, email } = await signUp({ isVerified: false });
      const token = tokenIn(linkIn(await smtp.next(email), "verify"));
      assert.deepEqual(await statuses(FOUR.map((index) => post(index, "verify", { token }, { key }))), [200, 403, 403, 403]);
    });

    test("give one address to one of two accounts at the same time, by a link that works once", async () => {
      const { input } = newPerson();
      const askers: { readonly key: string; readonly token: string }[] = [];
      for (const index of [0, 1]) {
        const { key, headers } = await signUp();
        assert.equal((await post(index, "email", { newEmail: input.email }, { key, headers })).status, 200);
        askers.push({ key, token: tokenIn(linkIn(await smtp.next(input.email), "email")) });
      }
      const tries = await Promise.all(
        FOUR.map((index, n) => {
          const { key, token } = askers[n % 2] ?? { key: "", token: "" };
          return post(index, "email/confirm", { token }, { key });
        }),
      );
      // The other use of the link that won finds none; the other account's link stays, for an address that is taken.
      assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 409, 409]);
      const owners = await servers.withDatabase((db) => db.selectFrom("users").select("id").where("email", "=", input.email).execute());
      assert.equal(owners.length, 1);
    });

    test("accept a code of an app once, of several sign-ins at the same time", async () => {
      const account = await signUp();
      const { headers } = account;
      const { secret } = (await clientOf(servers.instance(0), account).call("startTotp", {})).data;
      await clientOf(servers.instance(1), account).call("confirmTotp", { code: codeOf(secret) });
      const pending = await Promise.all(FOUR.map((index) => startSignIn(servers.instance(index), account)));
      const code = codeOf(secret, 1);
      const tries = FOUR.map((index, n) => post(index, "sign-in/code", { signInToken: pending[n], code }, { headers }));
      assert.deepEqual(await statuses(tries), [200, 403, 403, 403]);
    });

    test("finish at one instance a passkey sign-in that began at the other, once", async () => {
      const { key } = await signUp();
      const device = createAuthenticator({ origin: SITE });
      const begun = await clientOf(servers.instance(0), { key }).call("startPasskey", {});
      const credential = device.make(begun.data.options);
      assert.deepEqual(
        await statuses(FOUR.map((index) => call(servers.instance(index + 1), "POST", "/api/auth/passkeys", { key, json: { credential } }))),
        [200, 403, 403, 403],
      );
      const { options } = (await clientOf(servers.instance(1)).call("startPasskeySignIn", {})).data;
      const used = { credential: device.use(options) };
      assert.deepEqual(await statuses(FOUR.map((index) => post(index, "sign-in/passkey", used))), [200, 401, 401, 401]);
    });

    test("finish at one instance a provider sign-in that began at the other, once", async () => {
      people += 1;
      const login = `provided-${database}-${people}`;
      provider.people.set(login, { email: `${login}@example.org`, email_verified: true, name: "Grace Hopper" });
      const begun = await fetch(`${servers.instance(0).url}/signin/oidc`, {
        method: "POST",
        redirect: "manual",
        headers: { Origin: SITE, "Sec-Fetch-Site": "same-origin", Accept: "text/html", ...fromAddress("203.0.113.9") },
        body: new URLSearchParams(),
      });
      const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? assert.fail("no cookie");
      const back = await signInAtProvider(begun.headers.get("refresh")?.replace(/^0; url=/, "") ?? "", login);
      const tries = FOUR.map((index) =>
        fetch(servers.at(index + 1, back.href), {
          redirect: "manual",
          headers: { Accept: "text/html", Cookie: cookie, ...fromAddress("203.0.113.9") },
        }),
      );
      const responses = (await Promise.all(tries)).toSorted((one, other) => one.status - other.status);
      assert.deepEqual(
        responses.map(({ status }) => status),
        [303, 400, 400, 400],
      );
      const session = responses[0]?.headers
        .getSetCookie()
        .find((header) => header.startsWith("session="))
        ?.split(";")[0];
      for (const server of servers.all) {
        const page = await fetch(`${server.url}/settings`, { redirect: "manual", headers: { Accept: "text/html", Cookie: session ?? "" } });
        assert.ok((await page.text()).includes(`${login}@example.org`));
      }
    });

    test("give a username once, of several that claim it at the same time", async () => {
      const persons = await Promise.all(FOUR.map(() => signUp()));
      const claims = FOUR.map((index, n) =>
        call(servers.instance(index), "PATCH", "/api/me", { key: persons[n]?.key ?? "", json: { username: "wanted" } }),
      );
      assert.deepEqual(await statuses(claims), [200, 409, 409, 409]);
    });

    test("prove a session at one instance, and the other knows it for the next request", async () => {
      const { id, key } = await signUp();
      const createAt = (index: number) => call(servers.instance(index), "POST", "/api/keys", { key, json: {} });
      for (const index of [0, 1]) {
        await servers.withDatabase((db) => db.updateTable("sessions").set({ proved_at: 0 }).where("user_id", "=", id).execute());
        assert.deepEqual([(await createAt(0)).status, (await createAt(1)).status], [403, 403]);
        assert.equal((await post(index, "prove", { password: PASSWORD }, { key })).status, 200);
        assert.equal((await createAt(index + 1)).status, 200);
      }
    });

    test("change the password at one instance, which ends the other sessions at both", async () => {
      const { email, headers, key } = await signUp();
      const other = (await clientOf(servers.instance(1), { headers }).call("signIn", { login: email, password: PASSWORD })).data
        .sessionToken;
      const isIn = (index: number, token: string) => call(servers.instance(index), "GET", "/api/me", { key: token });
      assert.deepEqual(await statuses([0, 1].map((index) => isIn(index, other))), [200, 200]);
      assert.equal((await post(0, "password", { currentPassword: PASSWORD, newPassword: "another horse battery" }, { key })).status, 200);
      assert.deepEqual(await statuses([0, 1].map((index) => isIn(index, other))), [401, 401]);
      assert.deepEqual(await statuses([0, 1].map((index) => isIn(index, key))), [200, 200]);
    });

    test("send one mail of the notices that two schedulers find", async () => {
      const owners = await Promise.all([0, 1, 2, 3].map(() => signUp()));
      for (const [index, { key }] of owners.entries()) {
        const file = await upload(servers.instance(index), { bytes: "x", fields: { notify: "true" } }, { key });
        const download = () => call(servers.instance(index + 1), "GET", `/api/files/download/${file.id}`);
        for (const { status } of await Promise.all([download(), download()])) assert.equal(status, 200);
      }
      const ids = owners.map(({ id }) => id);
      await servers.withDatabase((db) =>
        db.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "notices").where("subject", "in", ids).execute(),
      );
      for (const { email } of owners)
        await until(`a mail to ${email}`, () => smtp.mails.some(({ to, text }) => to.includes(email) && /Downloaded 2\stimes/.test(text)));
      await until("no job is left", () =>
        servers.withDatabase(
          async (db) => (await db.selectFrom("jobs").select("id").where("kind", "in", ["notices", "mail"]).execute()).length === 0,
        ),
      );
      for (const { email } of owners)
        assert.equal(smtp.mails.filter(({ to, text }) => to.includes(email) && text.includes("Downloaded")).length, 1);
    });
  });
