import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { signUpWithTotp } from "../support/accounts/two-step.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";

/** accounts, "Sessions of browsers", "Attempts"; pages, "Connected applications". */
describe("the pages of an account", () => {
  let server: TestServer;
  let people = 0;
  before(async () => {
    server = await startPlainServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
  });
  after(() => server[Symbol.asyncDispose]());

  const site = (): string => new URL(server.url).origin.replace("127.0.0.1", "localhost");
  const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(server.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: site(), "Sec-Fetch-Site": "same-origin", Accept: "text/html", ...headers },
      body: new URLSearchParams(fields),
    });
  const show = (path: string, cookie = ""): Promise<Response> =>
    fetch(server.url + path, { redirect: "manual", headers: { Cookie: cookie, Accept: "text/html" } });
  const cookieOf = (response: Response): string => response.headers.getSetCookie().at(-1)?.split(";")[0] ?? "";

  async function signUp() {
    people += 1;
    const fields = { email: `page${people}@example.org`, name: `Page ${people}`, password: PASSWORD };
    const response = await send("/signup", fields, fromAddress(`198.51.100.${people}`));
    assert.equal(response.status, 303, await response.text());
    return { ...fields, cookie: cookieOf(response), setCookie: response.headers.getSetCookie().at(-1) ?? "" };
  }

  test("sign up, show the signed-in person, and sign out", async () => {
    const { cookie, setCookie } = await signUp();
    assert.match(setCookie, /^session=session_[\w-]{43}; Path=\/; Max-Age=34560000; SameSite=Lax; HttpOnly$/);
    assert.match(await (await show("/", cookie)).text(), /<span class="account-name"><bdi>Page \d+<\/bdi><\/span>/);
    // The limits are those of the account.
    assert.match(await (await show("/")).text(), /Up to 1\sGB per file, for up to 3\sdays/);
    assert.match(await (await show("/", cookie)).text(), /Up to 5\sGB per file, for up to 7\sdays/);
    const settings = await (await show("/settings", cookie)).text();
    assert.match(settings, /<bdi>Page \d+<\/bdi>.*page\d+@example\.org/);
    const out = await send("/signout", {}, { Cookie: cookie });
    assert.deepEqual([out.status, out.headers.get("location")], [303, "/"]);
    assert.match(out.headers.getSetCookie().at(-1) ?? "", /^session=; Path=\/; Max-Age=0;/);
    assert.equal((await show("/settings", cookie)).headers.get("location"), "/signin?next=%2Fsettings");
    assert.match(await (await show("/", cookie)).text(), /<a class="account" href="\/signin">Sign in<\/a>/);
  });

  test("keep their cookie longer than a session, which each view of a page extends", async () => {
    const { cookie, setCookie } = await signUp();
    assert.match(setCookie, /; Max-Age=34560000;/);
    const inAMinute = Date.now() + 60_000;
    await withDatabase(server, (db) => db.updateTable("sessions").set({ updated_at: 0, expires_at: inAMinute }).execute());
    assert.equal((await show("/settings", cookie)).status, 200);
    const prolonged = await withDatabase(server, (db) =>
      db.selectFrom("sessions").select("id").where("expires_at", ">", inAMinute).execute(),
    );
    assert.equal(prolonged.length, 1);
  });

  test("sign in and redirect to the page that required it, on this site only", async () => {
    const { email } = await signUp();
    for (const [next, location] of [
      ["/settings", "/settings"],
      ["//evil.example/x", "/"],
      ["/\\evil.example", "/"],
      ["https://evil.example", "/"],
      ["", "/"],
    ] as const) {
      const response = await send("/signin", { login: email, password: PASSWORD, next });
      assert.deepEqual([response.status, response.headers.get("location")], [303, location], next);
    }
  });

  test("show the problem in the form, and keep the entered values except the password", async () => {
    const { email, name } = await signUp();
    const wrong = await send("/signin", { login: email, password: "wrong horse battery" });
    assert.equal(wrong.status, 401);
    const text = await wrong.text();
    assert.match(text, /role="alert">The address and the password do not match/);
    assert.ok(text.includes(`value="${email}"`) && !text.includes("wrong horse"));
    const taken = await send("/signup", { email, name, password: PASSWORD }, fromAddress("198.51.100.200"));
    assert.equal(taken.status, 409);
    assert.match(await taken.text(), /already has an account/);
    const short = await send("/signup", { email: "new@example.org", name, password: "short" });
    assert.equal(short.status, 400);
    assert.match(await short.text(), /Enter a password of 10 to 128\scharacters/);
  });

  test("refuse forms and requests of other sites and other names with the cookie", async () => {
    const { cookie } = await signUp();
    const hostile = [
      { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
      { Origin: "null", "Sec-Fetch-Site": "cross-site" },
      { Origin: server.url, "Sec-Fetch-Site": "same-origin" },
    ];
    for (const headers of hostile) {
      const out = await send("/signout", {}, { Cookie: cookie, ...headers });
      assert.equal(out.status, 403, JSON.stringify(headers));
      const key = await fetch(`${server.url}/api/keys`, { method: "POST", headers: { Cookie: cookie, ...headers } });
      assert.equal(key.status, 403);
    }
    assert.equal((await show("/settings", cookie)).status, 200);
  });

  test("treat an ended session like no session, also if a key is optional", async () => {
    const ended = "session=session_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert.equal((await show("/", ended)).status, 200);
    const response = await fetch(`${server.url}/api/shares`, {
      method: "POST",
      headers: { Cookie: ended, Origin: site(), "Content-Type": "application/json" },
      body: "{}",
    });
    assert.equal(response.status, 200);
    assert.ok(((await response.json()) as { data: { claimToken?: string } }).data.claimToken);
  });

  test("list no connected application, and explain the list", async () => {
    const { cookie } = await signUp();
    const html = await (await show("/settings/security", cookie)).text();
    assert.match(html, /Connected applications<\/h2><p class="quiet">Applications with access to your account are listed here/);
  });

  test("change the password, and end other sessions", async () => {
    const { email, cookie } = await signUp();
    const other = cookieOf(await send("/signin", { login: email, password: PASSWORD }));
    const list = await (await show("/settings/security", cookie)).text();
    const id = /name="id" value="([\w-]+)"/.exec(list)?.[1] ?? "";
    assert.match(await (await send("/settings/security/sessions", { id }, { Cookie: cookie })).text(), /Signed out there/);
    assert.equal((await show("/settings", other)).status, 303);
    const third = cookieOf(await send("/signin", { login: email, password: PASSWORD }));
    assert.match(await (await show("/settings/security", cookie)).text(), /Sign out everywhere else/);
    assert.match(await (await send("/settings/security/sessions", {}, { Cookie: cookie })).text(), /Signed out in 1 other place/);
    assert.equal((await show("/settings", third)).status, 303);
    const wrong = await send(
      "/settings/security/password",
      { currentPassword: "nope", newPassword: "another horse battery" },
      { Cookie: cookie },
    );
    assert.match(await wrong.text(), /The current password is wrong/);
    const changed = await send(
      "/settings/security/password",
      { currentPassword: PASSWORD, newPassword: "another horse battery" },
      { Cookie: cookie },
    );
    assert.match(await changed.text(), /Password changed/);
    assert.equal((await send("/signin", { login: email, password: "another horse battery" })).status, 303);
  });

  test("limit wrong passwords of one address, for all accounts together: 50 in 15 minutes", async () => {
    const { email } = await signUp();
    const from = fromAddress("203.0.113.50");
    const guess = (login: string) => send("/signin", { login, password: "wrong horse battery" }, from);
    assert.equal((await guess("first@example.org")).status, 401);
    // 48 more attempts would take as many hashes: their rows are written.
    await withDatabase(server, async (db) => {
      const windows = db.selectFrom("rate_windows").selectAll().where("name", "=", "signIns");
      const { subject, count } = await windows.orderBy("resets_at", "desc").executeTakeFirstOrThrow();
      assert.equal(count, 1);
      await db.updateTable("rate_windows").set({ count: 49 }).where("name", "=", "signIns").where("subject", "=", subject).execute();
    });
    assert.equal((await guess("last@example.org")).status, 401);
    const refused = await send("/signin", { login: email, password: PASSWORD }, from);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.getSetCookie().length, 0);
    assert.ok(Number(refused.headers.get("retry-after")) > 14 * 60);
    assert.equal((await send("/signin", { login: email, password: PASSWORD }, fromAddress("203.0.113.51"))).status, 303);
  });

  test("use only cookies for TLS if the site has TLS", async () => {
    await using secure = await startPlainServer({ FILEHOST_URL: "https://files.example.org" });
    const post = (path: string, fields: Record<string, string>, cookie = "") =>
      fetch(secure.url + path, {
        method: "POST",
        redirect: "manual",
        headers: { Origin: "https://files.example.org", "Sec-Fetch-Site": "same-origin", Cookie: cookie },
        body: new URLSearchParams(fields),
      });
    const open = (cookie: string) =>
      fetch(`${secure.url}/settings`, { redirect: "manual", headers: { Accept: "text/html", Cookie: cookie } });
    const signedUp = await post("/signup", { email: "a@example.org", name: "A", password: PASSWORD });
    assert.match(signedUp.headers.getSetCookie().at(-1) ?? "", /^__Host-session=session_[\w-]{43}; Path=\/; .*HttpOnly; Secure$/);
    const { input, sessionToken } = await signUpWithTotp(secure, { email: "b@example.org", name: "B", password: PASSWORD });
    const signedIn = await post("/signin", { login: input.email, password: PASSWORD });
    assert.equal(signedIn.headers.get("location"), "/signin/code");
    assert.match(signedIn.headers.getSetCookie().at(-1) ?? "", /^__Host-signin=[\w-]+; Path=\/; .*HttpOnly; Secure$/);
    // Another host of the domain can set a cookie without the prefix.
    assert.equal((await open(`session=${sessionToken}`)).status, 303);
    assert.equal((await open(`__Host-session=${sessionToken}`)).status, 200);
    const out = await post("/signout", {}, `__Host-session=${sessionToken}`);
    assert.match(out.headers.getSetCookie().at(-1) ?? "", /^__Host-session=; Path=\/; Max-Age=0; .*HttpOnly; Secure$/);
  });
});
