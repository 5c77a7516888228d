import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { reservePort } from "../../support/network/free-ports.ts";
import type { TestServer } from "../../support/server.ts";
import {
  type ProviderPerson,
  signInAtProvider,
  startIdentityProvider,
  type TestIdentityProvider,
} from "../../support/services/identity-provider.ts";
import { startSmtpServer } from "../../support/services/smtp-server.ts";
import { codeOf } from "../support/accounts/two-step.ts";
import { clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const SIGN_UPS = JSON.stringify({ rates: { signUps: 1000 } });

/** What a browser keeps between requests to the site. */
type Cookies = Map<string, string>;

/** accounts, "OpenID Connect". */
describe("signing in at an OpenID Connect provider", () => {
  let provider: TestIdentityProvider;
  let server: TestServer;
  let home: string;
  let people = 0;
  before(async () => {
    const port = await reservePort();
    home = `http://localhost:${port}`;
    provider = await startIdentityProvider(`${home}/signin/oidc/callback`);
    server = await startPlainServer({ ...provider.env, FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_LIMITS: SIGN_UPS });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  function newPerson(person: ProviderPerson = {}): string {
    const login = `person-${++people}`;
    provider.people.set(login, { email: `${login}@example.org`, email_verified: true, name: "Grace Hopper", ...person });
    return login;
  }

  async function request(cookies: Cookies, path: string, fields?: Record<string, string>, headers: Record<string, string> = {}) {
    const response = await fetch(new URL(path, home), {
      redirect: "manual",
      headers: {
        Accept: "text/html",
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(fields && { Origin: home, "Sec-Fetch-Site": "same-origin" }),
        ...headers,
      },
      ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Where the page sends the browser. */
  const leadsTo = ({ headers }: { headers: Headers }): string => headers.get("refresh")?.replace(/^0; url=/, "") ?? "";

  const begin = async (cookies: Cookies, fields: Record<string, string> = {}, path = "/signin/oidc"): Promise<string> =>
    leadsTo(await request(cookies, path, fields));

  async function signIn(login: string, fields: Record<string, string> = {}, cookies: Cookies = new Map()) {
    const back = await signInAtProvider(await begin(cookies, fields), login);
    return { cookies, back, ...(await request(cookies, back.href)) };
  }

  async function signUpHere(email: string): Promise<Cookies> {
    const cookies: Cookies = new Map();
    assert.equal((await request(cookies, "/signup", { email, name: "Ada", password: PASSWORD })).status, 303);
    return cookies;
  }

  const userOf = (email: string) =>
    withDatabase(server, (db) => db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst());

  test("redirects the browser with PKCE, state and nonce, and a cookie only for this host", async () => {
    const cookies: Cookies = new Map();
    const response = await request(cookies, "/signin/oidc", {});
    const url = new URL(leadsTo(response));
    assert.equal(url.origin, provider.issuer);
    const parameters = Object.fromEntries(url.searchParams);
    assert.deepEqual(
      [parameters.response_type, parameters.code_challenge_method, parameters.scope, parameters.redirect_uri],
      ["code", "S256", "openid email profile", `${home}/signin/oidc/callback`],
    );
    assert.match(
      response.headers.getSetCookie().at(-1) ?? "",
      /^provider-flow=flow_[\w-]{43}; Path=\/; Max-Age=900; SameSite=Lax; HttpOnly$/,
    );
    assert.match(parameters.state ?? "", /^\w{64}$/);
    const secrets = [cookies.get("provider-flow") ?? "", parameters.state ?? "", parameters.nonce ?? ""];
    const rows = JSON.stringify(await withDatabase(server, (db) => db.selectFrom("provider_flows").selectAll().execute()));
    assert.ok(secrets.every((secret) => secret !== "" && !rows.includes(secret)));
    assert.ok(!response.text.includes(secrets[0] ?? ""));
  });

  test("uses a cookie only for TLS if the site has TLS", async () => {
    const site = "https://files.example.org";
    await server.restart({ env: { FILEHOST_URL: site } });
    const { headers } = await request(new Map(), "/signin/oidc", {}, { Origin: site });
    assert.match(headers.getSetCookie().at(-1) ?? "", /^__Host-provider-flow=flow_[\w-]{43}; Path=\/; .*HttpOnly; Secure$/);
    await server.restart({ env: { FILEHOST_URL: "" } });
  });

  test("creates an account, which is verified if no mail is sent", async () => {
    for (const email_verified of [true, false, undefined]) {
      const login = newPerson({ email_verified });
      const { status, headers, cookies } = await signIn(login);
      assert.deepEqual([status, headers.get("location")], [303, "/"]);
      assert.match(cookies.get("session") ?? "", /^session_/);
      assert.equal(cookies.get("provider-flow"), undefined);
      const user = await userOf(`${login}@example.org`);
      assert.deepEqual([user?.email_verified, user?.name, user?.role], [1, "Grace Hopper", "user"]);
      const client = clientOf(server, { key: cookies.get("session") });
      const { owner, tier } = (await client.call("getMe", {})).data;
      assert.deepEqual([owner.emailVerified, tier], [true, "free"]);
      await withDatabase(server, (db) =>
        db.updateTable("sessions").set({ proved_at: Date.now() }).where("user_id", "=", owner.id).execute(),
      );
      assert.match(await begin(cookies, {}, "/settings/security/connect"), new RegExp(`^${provider.issuer}`));
      assert.equal((await client.call("startTotp", {})).data.secret.length, 32);
      await client.call("createKey", {});
    }
  });

  test("creates an account whose address is verified only if the provider says so, if mail is sent", async () => {
    await using smtp = await startSmtpServer();
    await server.restart({ env: smtp.env });
    const verified = [];
    for (const email_verified of [true, false, undefined]) {
      const login = newPerson({ email_verified });
      assert.equal((await signIn(login)).status, 303);
      verified.push((await userOf(`${login}@example.org`))?.email_verified);
    }
    assert.deepEqual(verified, [1, 0, 0]);
    // A stranger's sign-up with an address, which it never verified, does not keep out who has proved it at the provider.
    const login = newPerson();
    const email = `${login}@example.org`;
    const { data: stranger } = await clientOf(server).call("signUp", { email, password: PASSWORD, name: "A stranger" });
    assert.equal((await signIn(login)).status, 303);
    const owner = await userOf(email);
    assert.deepEqual([owner?.name, owner?.email_verified], ["Grace Hopper", 1]);
    assert.notEqual(owner?.id, stranger.owner.id);
    await server.restart({ env: Object.fromEntries(Object.keys(smtp.env).map((name) => [name, ""])) });
  });

  test("finds the account by its subject, not by its address or name", async () => {
    const login = newPerson();
    await signIn(login);
    provider.people.set(login, { email: "moved@example.org", email_verified: true, name: "Other" });
    const { cookies } = await signIn(login);
    const { text } = await request(cookies, "/settings");
    assert.ok(text.includes("Grace Hopper") && text.includes(`${login}@example.org`));
    assert.equal(await userOf("moved@example.org"), undefined);
  });

  test("starts a new session, whatever session was in the browser before", async () => {
    const attacker = await signUpHere("plants-a-session@example.org");
    for (const planted of [`session_${"A".repeat(43)}`, attacker.get("session") ?? ""]) {
      const login = newPerson();
      const { status, cookies } = await signIn(login, {}, new Map([["session", planted]]));
      assert.equal(status, 303);
      assert.notEqual(cookies.get("session"), planted);
      assert.ok((await request(cookies, "/settings")).text.includes(`${login}@example.org`));
    }
    assert.ok((await request(attacker, "/settings")).text.includes("plants-a-session@example.org"));
  });

  test("accepts a name of any form, and refuses somebody without an address", async () => {
    const odd = newPerson({ name: `\u0007${"x".repeat(300)}\n` });
    assert.equal((await signIn(odd)).status, 303);
    assert.equal((await userOf(`${odd}@example.org`))?.name, "x".repeat(100));
    const nameless = newPerson({ name: "" });
    await signIn(nameless);
    assert.equal((await userOf(`${nameless}@example.org`))?.name, nameless);
    for (const email of [undefined, "", "not an address"]) {
      const { status, text, cookies } = await signIn(newPerson({ email }));
      assert.equal(status, 403);
      assert.match(text, /Your email address is missing/);
      assert.equal(cookies.get("session"), undefined);
    }
  });

  test("never signs in to an account of the same address that is not connected", async () => {
    const login = newPerson();
    await signUpHere(`${login}@example.org`);
    const { status, text, cookies } = await signIn(login);
    assert.equal(status, 409);
    assert.match(text, /Your address already has an account/);
    assert.equal(cookies.get("session"), undefined);
  });

  test("refuses the response of a sign-in that another browser began, which can still use it", async () => {
    const mine: Cookies = new Map();
    const back = await signInAtProvider(await begin(mine), newPerson());
    const victims: readonly Cookies[] = [new Map(), new Map()];
    await begin(victims[1] ?? new Map());
    for (const victim of victims) {
      const { status, text } = await request(victim, back.href);
      assert.equal(status, 400);
      assert.match(text, /began in another browser/);
      assert.equal(victim.get("session"), undefined);
    }
    assert.equal((await request(mine, back.href)).status, 303);
  });

  test("refuses a response that was used before, also with its cookie, and a code of another sign-in", async () => {
    const cookies: Cookies = new Map();
    const url = await begin(cookies);
    const kept = cookies.get("provider-flow") ?? "";
    const login = newPerson();
    const back = await signInAtProvider(url, login);
    assert.equal((await request(cookies, back.href)).status, 303);
    const again: Cookies = new Map([["provider-flow", kept]]);
    assert.equal((await request(again, back.href)).status, 400);
    assert.equal(again.get("session"), undefined);

    const stolen = await signInAtProvider(await begin(new Map()), login);
    const other: Cookies = new Map();
    const state = new URL(await begin(other)).searchParams.get("state") ?? "";
    stolen.searchParams.set("state", state);
    assert.equal((await request(other, stolen.href)).status, 400);
    assert.equal(other.get("session"), undefined);
  });

  test("refuses a response of another issuer, and one after 15 minutes", async () => {
    const mixed: Cookies = new Map();
    const back = await signInAtProvider(await begin(mixed), newPerson());
    back.searchParams.set("iss", "https://evil.example");
    assert.equal((await request(mixed, back.href)).status, 400);
    const late: Cookies = new Map();
    const lateBack = await signInAtProvider(await begin(late), newPerson());
    await withDatabase(server, (db) =>
      db
        .updateTable("provider_flows")
        .set({ expires_at: Date.now() - 1 })
        .execute(),
    );
    assert.equal((await request(late, lateBack.href)).status, 400);
    assert.equal((await request(new Map(), "/signin/oidc/callback")).status, 400);
  });

  test("redirects only to a page of this site", async () => {
    for (const [next, location] of [
      ["/settings?x=1", "/settings?x=1"],
      ["//evil.example/x", "/"],
      ["/\\evil.example", "/"],
      ["/.//evil.example", "/"],
      ["https://evil.example", "/"],
    ] as const) {
      assert.equal((await signIn(newPerson(), { next })).headers.get("location"), location, next);
    }
  });

  test("accepts only forms of its own pages", async () => {
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    assert.equal((await request(new Map(), "/signin/oidc", {}, foreign)).status, 403);
    const cookies = await signUpHere(`csrf-${people}@example.org`);
    for (const path of ["/settings/security/connect", "/settings/security/disconnect", "/prove/oidc"])
      assert.equal((await request(cookies, path, {}, foreign)).status, 403, path);
  });

  test("connects an identity in the session that requested it, once, and to one account", async () => {
    const login = newPerson();
    const ada = await signUpHere(`ada-${login}@example.org`);
    const back = await signInAtProvider(await begin(ada, {}, "/settings/security/connect"), login);
    // Another session in the same browser, and none.
    const other = await signUpHere(`eve-${login}@example.org`);
    for (const session of [other.get("session"), undefined]) {
      const mixed: Cookies = new Map(ada);
      mixed.delete("session");
      if (session !== undefined) mixed.set("session", session);
      const again = await signInAtProvider(await begin(ada, {}, "/settings/security/connect"), login);
      mixed.set("provider-flow", ada.get("provider-flow") ?? "");
      assert.equal((await request(mixed, again.href)).status, 400);
    }
    assert.equal((await request(ada, back.href)).status, 400);
    const own = await signInAtProvider(await begin(ada, {}, "/settings/security/connect"), login);
    const { status, headers } = await request(ada, own.href);
    assert.deepEqual([status, headers.get("location")], [303, "/settings/security"]);
    assert.match((await signIn(login)).cookies.get("session") ?? "", /^session_/);

    const taken = await signInAtProvider(await begin(other, {}, "/settings/security/connect"), login);
    const refused = await request(other, taken.href);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /not the right account/);
  });

  test("connects nothing, and signs nobody in, if the session ends while the provider is asked", async () => {
    const login = newPerson();
    const email = `reset-${login}@example.org`;
    const ada = await signUpHere(email);
    const { stdout } = await server.run(["users", "reset-password", email]);
    const reset = () => request(new Map(), /\/reset\/\S+/.exec(stdout)?.[0] ?? "", { newPassword: "another horse battery" });
    const back = await signInAtProvider(await begin(ada, {}, "/settings/security/connect"), login);
    provider.delays.set(login, reset);
    assert.equal((await request(ada, back.href)).status, 400);
    provider.delays.delete(login);
    const user = await userOf(email);
    const methods = await withDatabase(server, (db) =>
      db
        .selectFrom("sign_in_methods")
        .select("provider_id")
        .where("user_id", "=", user?.id ?? "")
        .execute(),
    );
    assert.deepEqual(methods, [{ provider_id: "credential" }]);

    const known = newPerson();
    await signIn(known);
    const cookies: Cookies = new Map();
    const returned = await signInAtProvider(await begin(cookies), known);
    provider.delays.set(known, () => server.run(["users", "disable", `${known}@example.org`]));
    assert.equal((await request(cookies, returned.href)).status, 403);
    assert.equal(cookies.get("session"), undefined);
  });

  test("connects and disconnects only after a proof, and keeps the last way to sign in", async () => {
    const login = newPerson();
    const { cookies } = await signIn(login);
    const list = async () => (await (await fetch(`${home}/api/auth/connections`, { headers: bearer(cookies) })).json()) as Connections;
    const [connection] = (await list()).data;
    assert.equal(connection?.provider, "Example login");
    const end = (id = connection?.id ?? "") => fetch(`${home}/api/auth/connections/${id}`, { method: "DELETE", headers: bearer(cookies) });
    assert.equal((await end()).status, 409);
    assert.equal((await end("unknown")).status, 404);

    const email = `both-${login}@example.org`;
    const ada = await signUpHere(email);
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: null }).execute());
    const asked = await request(ada, "/settings/security/connect", {});
    assert.deepEqual([asked.status, asked.headers.get("location")], [303, "/prove?next=%2F"]);
    assert.equal((await request(ada, "/prove", { password: PASSWORD, next: "/" })).status, 303);
    const second = newPerson();
    await request(ada, (await signInAtProvider(await begin(ada, {}, "/settings/security/connect"), second)).href);
    const own = ((await (await fetch(`${home}/api/auth/connections`, { headers: bearer(ada) })).json()) as Connections).data[0]?.id ?? "";
    assert.equal((await end(own)).status, 404, "of another account");
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: null }).execute());
    const unproved = await fetch(`${home}/api/auth/connections/${own}`, { method: "DELETE", headers: bearer(ada) });
    assert.deepEqual([unproved.status, ((await unproved.json()) as { errorCode: string }).errorCode], [403, "PROOF_REQUIRED"]);
    await request(ada, "/prove", { password: PASSWORD, next: "/" });
    assert.equal((await fetch(`${home}/api/auth/connections/${own}`, { method: "DELETE", headers: bearer(ada) })).status, 200);
    assert.equal((await signIn(second)).status, 303, "signs up anew");
  });

  test("proves a session only with an identity of its account", async () => {
    const login = newPerson();
    const { cookies } = await signIn(login);
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: null }).execute());
    const url = await begin(cookies, { next: "/settings" }, "/prove/oidc");
    assert.deepEqual([new URL(url).searchParams.get("prompt"), new URL(url).searchParams.get("max_age")], ["login", "0"]);
    const refused = await request(cookies, (await signInAtProvider(url, newPerson())).href);
    assert.equal(refused.status, 409);
    assert.equal((await request(cookies, "/prove")).status, 200);
    const own = await signInAtProvider(await begin(cookies, { next: "/settings" }, "/prove/oidc"), login);
    assert.equal((await request(cookies, own.href)).headers.get("location"), "/settings");
    assert.equal((await request(cookies, "/prove")).status, 303);
  });

  test("asks an account with two-step sign-in for its code, also before a proof", async () => {
    const login = newPerson();
    const { cookies } = await signIn(login, { next: "/files" });
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: Date.now() }).execute());
    const person = clientOf(server, { key: cookies.get("session") ?? "" });
    const { secret } = (await person.call("startTotp", {})).data;
    const { recoveryCodes } = (await person.call("confirmTotp", { code: codeOf(secret) })).data;
    const [first = "", second = "", third = ""] = recoveryCodes;

    const again = await signIn(login, { next: "/files" });
    assert.deepEqual([again.status, again.headers.get("location")], [303, "/signin/code?next=%2Ffiles"]);
    assert.equal(again.cookies.has("session"), false);
    assert.equal((await request(again.cookies, "/signin/code?next=%2Ffiles", { code: "000000", next: "/files" })).status, 403);
    const entered = await request(again.cookies, "/signin/code?next=%2Ffiles", { code: first, next: "/files" });
    assert.deepEqual([entered.status, entered.headers.get("location"), again.cookies.has("session")], [303, "/files", true]);

    const waiting = await signIn(login);
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: null }).execute());
    assert.equal((await request(again.cookies, "/prove/oidc", { next: "/settings" })).status, 403, "without a code");
    assert.equal(
      (await request(again.cookies, "/prove/oidc", { next: "/settings", code: first })).status,
      403,
      "with a code that was used",
    );
    const proof = leadsTo(await request(again.cookies, "/prove/oidc", { next: "/settings", code: second }));
    await request(again.cookies, (await signInAtProvider(proof, login)).href);
    assert.equal((await request(again.cookies, "/prove")).status, 303);

    assert.equal((await request(waiting.cookies, "/signin/code", { code: third })).status, 303, "the earlier sign-in");
  });

  test("follows the server's setting and its invites", async () => {
    await server.restart({ env: { FILEHOST_SIGNUP: "closed" } });
    const known = newPerson({ email_verified: false });
    const refused = await signIn(known);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /does not offer sign-up/);
    await server.restart({ env: { FILEHOST_SIGNUP: "invite" } });
    assert.equal((await signIn(known)).status, 403);
    const { stdout } = await server.run(["invites", "create", "--admin", "--email", `${known}@example.org`]);
    const path = /\/invite\/\S+/.exec(stdout)?.[0] ?? "";
    const page = await request(new Map(), path);
    const invite = /name="invite" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    assert.ok(path.endsWith(invite) && invite !== "");
    const wrong = await signIn(newPerson(), { invite });
    assert.deepEqual([wrong.status, /This invite does not work/.test(wrong.text)], [403, true]);
    assert.equal((await signIn(known, { invite })).status, 303);
    const admin = await userOf(`${known}@example.org`);
    assert.deepEqual([admin?.role, admin?.email_verified], ["admin", 1], "an administrator is verified, whatever the provider says");
    assert.equal((await userOf(`${known}@example.org`))?.role, "admin");
    assert.equal((await signIn(newPerson(), { invite })).status, 403);
    assert.equal((await signIn(known)).status, 303, "who has an account needs no invite");
    await server.restart({ env: { FILEHOST_SIGNUP: "open" } });
  });

  test("says that the provider does not respond, and the doctor why", async () => {
    const { port } = new URL(provider.issuer);
    await server.restart({ env: { FILEHOST_OIDC_ISSUER: `http://127.0.0.1:${port}/elsewhere` } });
    const wrong = await request(new Map(), "/signin/oidc", {});
    assert.equal(wrong.status, 503);
    assert.match(wrong.text, /Example login does not respond/);
    assert.match((await server.run(["doctor"])).stdout, /fail {2}OpenID Connect .*elsewhere cannot be used/);
    await server.restart({ env: { FILEHOST_OIDC_ISSUER: `http://127.0.0.1:${await reservePort()}` } });
    assert.equal((await request(new Map(), "/signin/oidc", {})).status, 503);
    assert.ok(server.logs().some(({ msg }) => msg === "sign-in at the provider failed"));
    await server.restart({ env: { FILEHOST_OIDC_ISSUER: provider.issuer, FILEHOST_OIDC_CLIENT_SECRET: "another" } });
    assert.equal((await signIn(newPerson())).status, 503);
    assert.ok(!JSON.stringify(server.logs()).includes("flow_"));
    await server.restart({ env: provider.env });
    const { stdout } = await server.run(["doctor"]);
    assert.ok(stdout.includes(`ok    OpenID Connect`) && stdout.includes(`${home}/signin/oidc/callback`), stdout);
    assert.equal((await signIn(newPerson())).status, 303);
  });
});

interface Connections {
  readonly data: readonly { readonly id: string; readonly provider: string }[];
}

const bearer = (cookies: Cookies) => ({ Authorization: `Bearer ${cookies.get("session")}` });
