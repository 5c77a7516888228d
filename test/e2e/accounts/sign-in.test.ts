import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { getMe } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";

let people = 0;
/** A person who has no account yet, at an address from which nobody has signed up. */
function newPerson() {
  people += 1;
  return {
    input: { email: `person${people}@example.org`, password: PASSWORD, name: `Person ${people}` },
    headers: fromAddress(`198.51.100.${people}`),
  };
}

/** accounts, "Signing in", "Sessions" and "Attempts". */
describe("an account with a password", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
  });
  after(() => server[Symbol.asyncDispose]());

  const signUp = async () => {
    const person = newPerson();
    const { data } = await clientOf(server, person).call("signUp", person.input);
    return { ...person, ...data };
  };
  const post = (path: string, json: object, headers: Record<string, string> = {}) => call(server, "POST", `/api${path}`, { json, headers });

  test("is created with a session, which is accepted in place of a key, with all rights", async () => {
    const { sessionToken, input, expiresAt } = await signUp();
    assert.match(sessionToken, /^session_[\w-]{43}$/);
    assert.ok(Date.parse(expiresAt) > Date.now() + 29 * 24 * 3600_000);
    const me = await getMe(server, sessionToken);
    assert.deepEqual([me.owner.email, me.owner.role, me.tier, me.scope, me.key], [input.email, "user", "free", "full", null]);
    const key = await clientOf(server, { key: sessionToken }).call("createKey", { label: "laptop" });
    assert.equal((await getMe(server, key.data.key)).owner.id, me.owner.id);
  });

  test("keeps neither its password nor its session's token in the database", async () => {
    const { sessionToken } = await signUp();
    const rows = await withDatabase(server, async (db) => [
      ...(await db.selectFrom("sessions").selectAll().execute()),
      ...(await db.selectFrom("sign_in_methods").selectAll().execute()),
    ]);
    const text = JSON.stringify(rows);
    assert.ok(!text.includes(sessionToken) && !text.includes(PASSWORD));
  });

  test("signs in by address, in any case, or by username", async () => {
    const { input, headers, owner } = await signUp();
    assert.equal((await server.run(["users", "set-username", owner.id, "ada"])).code, 0);
    for (const login of [input.email.toUpperCase(), "ada"]) {
      const { data } = await clientOf(server, { headers }).call("signIn", { login, password: PASSWORD });
      assert.equal((await getMe(server, data.sessionToken)).owner.id, owner.id);
    }
  });

  test("refuses a wrong password, an unknown address and a disabled account with the same response", async () => {
    const { input, headers } = await signUp();
    const disabled = await signUp();
    assert.equal((await server.run(["users", "disable", disabled.owner.id])).code, 0);
    const tries = [
      { login: input.email, password: "wrong horse battery" },
      { login: "nobody@example.org", password: PASSWORD },
      { login: disabled.input.email, password: PASSWORD },
    ];
    const bodies = new Set<unknown>();
    for (const json of tries) {
      const response = await post("/auth/sign-in", json, headers);
      assertRefused(response, { status: 401, code: "UNAUTHENTICATED" });
      bodies.add(response.body.error);
    }
    assert.equal(bodies.size, 1);
    assertRefused(await call(server, "GET", "/api/me", { key: disabled.sessionToken }), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("is refused for a taken address, a short password, and an invalid address", async () => {
    const { input } = await signUp();
    const { headers } = newPerson();
    assertRefused(await post("/auth/sign-up", { ...input, email: input.email.toUpperCase() }, headers), { status: 409, code: "CONFLICT" });
    for (const wrong of [{ password: "short" }, { email: "ada" }, { name: "" }, { password: "x".repeat(129) }])
      assertRefused(await post("/auth/sign-up", { ...newPerson().input, ...wrong }, headers), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("limits tries of its password from all addresses together, exactly", async () => {
    const { input } = await signUp();
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        post("/auth/sign-in", { login: input.email, password: "wrong horse battery" }, fromAddress(`203.0.113.${index}`)),
      ),
    );
    assert.equal(tries.filter(({ status }) => status === 401).length, 20);
    assert.equal(tries.filter(({ status }) => status === 429).length, 10);
    assertRefused(await post("/auth/sign-in", { login: input.email, password: PASSWORD }, newPerson().headers), {
      status: 429,
      code: "RATE_LIMITED",
    });
  });

  test("limits tries of its password by its address, its username and its ID together", async () => {
    const limits = JSON.stringify({ rates: { passwordTries: 2 } });
    await using strict = await startPlainServer({ FILEHOST_LIMITS: limits });
    const { input } = newPerson();
    const { owner } = (await clientOf(strict).call("signUp", input)).data;
    await strict.run(["users", "set-username", owner.id, "ada"]);
    const reached = [];
    for (const login of [input.email, "ada", owner.id])
      for (const written of [login, ` ${login.toUpperCase()} `, login]) {
        const json = { login: written, password: "wrong horse battery" };
        reached.push((await call(strict, "POST", "/api/auth/sign-in", { json })).status);
      }
    assert.deepEqual(reached, [401, 401, 429, 401, 401, 429, 401, 401, 429]);
  });

  test("limits sign-ups: 5 an hour of an address or /64, and 20 of a /48", async () => {
    const count = async (address: (index: number) => string, times: number): Promise<number> => {
      const all = await Promise.all(
        Array.from({ length: times }, (_, index) => post("/auth/sign-up", newPerson().input, fromAddress(address(index)))),
      );
      return all.filter(({ status }) => status === 200).length;
    };
    assert.equal(await count(() => "192.0.2.9", 7), 5);
    assert.equal(await count((index) => `2001:db8:1:1::${index}`, 7), 5);
    assert.equal(await count((index) => `2001:db8:2:${index}::1`, 24), 20);
  });

  test("lists its sessions, and ends one for its next request", async () => {
    const { input, headers, sessionToken } = await signUp();
    const other = (await clientOf(server, { headers }).call("signIn", { login: input.email, password: PASSWORD })).data.sessionToken;
    const client = clientOf(server, { key: sessionToken });
    const sessions = (await client.call("listSessions", {})).data;
    assert.deepEqual(sessions.map(({ isCurrent }) => isCurrent).sort(), [false, true]);
    const ended = sessions.find(({ isCurrent }) => !isCurrent);
    assert.ok(ended);
    await client.call("revokeSession", { id: ended.id });
    assertRefused(await call(server, "GET", "/api/me", { key: other }), { status: 401, code: "UNAUTHENTICATED" });
    await client.call("signOut", {});
    assertRefused(await call(server, "GET", "/api/me", { key: sessionToken }), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("ends all its other sessions for their next request, and nobody else's", async () => {
    const [{ input, headers, sessionToken }, stranger] = [await signUp(), await signUp()];
    const signIn = async () =>
      (await clientOf(server, { headers }).call("signIn", { login: input.email, password: PASSWORD })).data.sessionToken;
    const others = [await signIn(), await signIn()];
    const { data } = await clientOf(server, { key: sessionToken }).call("revokeOtherSessions", {});
    assert.equal(data.endedSessions, 2);
    for (const key of others) assertRefused(await call(server, "GET", "/api/me", { key }), { status: 401, code: "UNAUTHENTICATED" });
    for (const key of [sessionToken, stranger.sessionToken]) assert.equal((await call(server, "GET", "/api/me", { key })).status, 200);
  });

  test("has at most 100 sessions, the last used ones, and keeps the start of their programs' names", async () => {
    const { input, headers, owner } = await signUp();
    const nowMs = Date.now();
    const old = Array.from({ length: 150 }, (_, index) => ({ id: `old-${owner.id}-${index}`, updated_at: nowMs - 1000 * (index + 1) }));
    await withDatabase(server, async (db) => {
      const columns = { user_id: owner.id, expires_at: nowMs + 3_600_000, created_at: 0 };
      await db
        .insertInto("sessions")
        .values(old.map((row) => ({ ...row, ...columns, token: `hash of ${row.id}` })))
        .execute();
    });
    const client = clientOf(server, { headers: { ...headers, "User-Agent": "A".repeat(5000) } });
    const { sessionToken: key } = (await client.call("signIn", { login: input.email, password: PASSWORD })).data;
    const sessions = (await clientOf(server, { key }).call("listSessions", {})).data;
    assert.equal(sessions.length, 100);
    assert.equal(sessions.find(({ isCurrent }) => isCurrent)?.userAgent, "A".repeat(300));
    const kept = sessions.filter(({ id }) => id.startsWith("old-")).map(({ id }) => id);
    assert.deepEqual(
      kept.sort(),
      old
        .slice(0, 98)
        .map(({ id }) => id)
        .sort(),
    );
    const { data } = await clientOf(server, { key }).call("revokeOtherSessions", {});
    assert.equal(data.endedSessions, 99);
    const logged = await withDatabase(server, (db) =>
      db
        .selectFrom("audit_log")
        .select(["subject_id", "details"])
        .where("action", "=", "session.ended")
        .where("account_id", "=", owner.id)
        .execute(),
    );
    assert.equal(new Set(logged.map(({ subject_id }) => subject_id)).size, 151);
    assert.ok(logged.every(({ details }) => details === "{}"));
  });

  test("does not end or list the sessions of others", async () => {
    const [one, other] = [await signUp(), await signUp()];
    const [session] = (await clientOf(server, { key: one.sessionToken }).call("listSessions", {})).data;
    assert.ok(session);
    const response = await call(server, "DELETE", `/api/sessions/${session.id}`, { key: other.sessionToken });
    assertRefused(response, { status: 404, code: "NOT_FOUND" });
    assert.equal((await getMe(server, one.sessionToken)).owner.id, one.owner.id);
  });

  test("changes its password, which ends all other sessions and no keys", async () => {
    const { input, headers, sessionToken } = await signUp();
    const other = (await clientOf(server, { headers }).call("signIn", { login: input.email, password: PASSWORD })).data.sessionToken;
    const client = clientOf(server, { key: sessionToken });
    const { key } = (await client.call("createKey", {})).data;
    const change = { currentPassword: PASSWORD, newPassword: "another horse battery" };
    const wrong = await call(server, "POST", "/api/auth/password", { key: sessionToken, json: { ...change, currentPassword: "wrong" } });
    assertRefused(wrong, { status: 403, code: "FORBIDDEN" });
    assertRefused(await call(server, "POST", "/api/auth/password", { key, json: change }), { status: 409, code: "CONFLICT" });
    assert.equal((await client.call("changePassword", change)).data.endedSessions, 1);
    assertRefused(await call(server, "GET", "/api/me", { key: other }), { status: 401, code: "UNAUTHENTICATED" });
    await getMe(server, sessionToken);
    await getMe(server, key);
    assertRefused(await post("/auth/sign-in", { login: input.email, password: PASSWORD }, headers), {
      status: 401,
      code: "UNAUTHENTICATED",
    });
    await clientOf(server, { headers }).call("signIn", { login: input.email, password: change.newPassword });
  });
});

/** accounts, "Invites" and "The first administrator". */
describe("an invite", () => {
  const inviteOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

  test("creates one account, of its role and address, where sign-up is closed", async () => {
    await using server = await startPlainServer({ FILEHOST_SIGNUP: "closed" });
    const signUp = (input: object) => call(server, "POST", "/api/auth/sign-up", { json: input });
    const { input } = newPerson();
    assertRefused(await signUp(input), { status: 403, code: "FORBIDDEN" });
    const created = await server.run(["invites", "create", "--admin", "--email", input.email, "--json"]);
    const { url, id } = JSON.parse(created.stdout) as { url: string; id: string };
    assertRefused(await signUp({ ...newPerson().input, invite: inviteOf(url) }), { status: 403, code: "FORBIDDEN" });
    const tries = await Promise.all([1, 2, 3].map(() => signUp({ ...input, invite: inviteOf(url) })));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 403]);
    const accepted = tries.find(({ status }) => status === 200);
    assert.ok(accepted);
    const { data } = accepted.body as { data: { sessionToken: string } };
    assert.equal((await getMe(server, data.sessionToken)).owner.role, "admin");
    assert.equal((await server.run(["invites", "revoke", id, "--yes"])).code, 4);
  });

  test("is in the log of a server without an administrator, a new one at each start, and no longer after one exists", async () => {
    await using server = await startPlainServer({ FILEHOST_SIGNUP: "closed" });
    const links = (): string[] => server.logs().flatMap(({ msg }) => /http\S+\/invite\/invite_[\w-]+/.exec(msg ?? "") ?? []);
    const first = await until("the first link is in the log", () => links()[0]);
    await server.restart();
    const second = await until("the second link is in the log", () => links()[1]);
    assert.notEqual(second, first);
    const signUp = (link = "") => call(server, "POST", "/api/auth/sign-up", { json: { ...newPerson().input, invite: inviteOf(link) } });
    assertRefused(await signUp(first), { status: 403, code: "FORBIDDEN" });
    assert.equal((await signUp(second)).status, 200);
    await server.restart();
    await call(server, "GET", "/api/health");
    await server.stop();
    assert.equal(links().length, 2);
  });
});
