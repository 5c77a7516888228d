import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, type ServerWith, withAccounts } from "./support/accounts.ts";
import { assertRefused, call, clientOf } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";

const PASSWORD = "correct horse battery";

/** administration, "Overview" and "Accounts". */
describe("an administrator", () => {
  let server: ServerWith<"administrator">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { administrator: { isAdministrator: true } });
  });
  after(() => server[Symbol.asyncDispose]());

  const admin = () => clientOf(server, server.administrator);
  const signUp = async () => {
    const email = `${crypto.randomUUID()}@example.org`;
    const { data } = await clientOf(server).call("signUp", { email, password: PASSWORD, name: "A person" });
    return { email, id: data.owner.id, key: data.sessionToken };
  };

  test("finds accounts by parts of their names and pages through them", async () => {
    const name = `Finder 100%_${crypto.randomUUID()}`;
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { data } = await admin().call("addUser", { email: `${crypto.randomUUID()}@example.org`, name });
      ids.push(data.id);
    }
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await admin().call("searchUsers", { search: "100%_", limit: 2, cursor });
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(found.sort(), ids.sort());
    assert.deepEqual((await admin().call("searchUsers", { search: "100%_x" })).data, []);
    assert.deepEqual((await admin().call("searchUsers", { search: name, filter: "disabled" })).data, []);
  });

  test("changes an account from its next request on", async () => {
    const { id, key, email } = await signUp();
    const { data: user } = await admin().call("getUserDetails", { id });
    assert.deepEqual([user.email, user.tier, user.role, user.sessions.length, user.keys], [email, "free", "user", 1, []]);
    const { data: pro } = await admin().call("changeUser", { id, version: user.version, tier: "pro", proEnd: "30d" });
    assert.equal(pro.tier, "pro");
    assert.equal((await clientOf(server, { key }).call("getMe", {})).data.tier, "pro");
    await admin().call("changeUser", { id, isDisabled: true });
    assertRefused(await call(server, "GET", "/api/me", { key }), { status: 401, code: "UNAUTHENTICATED" });
    await admin().call("changeUser", { id, isDisabled: false });
    assert.deepEqual((await admin().call("signOutUser", { id })).data, { endedSessions: 1 });
    assertRefused(await call(server, "GET", "/api/me", { key }), { status: 401, code: "UNAUTHENTICATED" });
    const { data: link } = await admin().call("createUserResetLink", { id });
    const token = /\/reset\/([^/]+)$/.exec(link.url)?.[1] ?? "";
    await clientOf(server).call("resetPassword", { token, newPassword: `another ${PASSWORD}` });
    await clientOf(server).call("signIn", { login: email, password: `another ${PASSWORD}` });
  });

  test("changes nothing if another administrator changed the account meanwhile", async () => {
    const { id } = await signUp();
    const { version } = (await admin().call("getUserDetails", { id })).data;
    await admin().call("changeUser", { id, version, tier: "pro" });
    const stale = await call(server, "PATCH", `/api/admin/users/${id}`, { ...server.administrator, json: { version, isDisabled: true } });
    assertRefused(stale, { status: 412, code: "PRECONDITION_FAILED" });
    const { data: user } = await admin().call("getUserDetails", { id });
    assert.deepEqual([user.tier, user.disabledAt], ["pro", null]);
  });

  test("makes others administrators, of whom the last stays one", async () => {
    const other = await withAccounts(startPlainServer(), { only: { isAdministrator: true } });
    await using _ = other;
    const only = clientOf(other, other.only);
    const { data: second } = await only.call("addUser", { email: "bo@example.org", name: "Bo", role: "admin" });
    const adminKey = (await other.run(["keys", "create", "--user", second.id, "--admin"])).stdout.trim();
    await only.call("changeUser", { id: second.id, role: "user" });
    assertRefused(await call(other, "GET", "/api/admin/users", { key: adminKey }), { status: 401, code: "UNAUTHENTICATED" });
    for (const json of [{ role: "user" }, { isDisabled: true }]) {
      const path = `/api/admin/users/${other.only.userId}`;
      assertRefused(await call(other, "PATCH", path, { key: other.only.key, json }), { status: 409, code: "CONFLICT" });
    }
    assert.equal((await other.run(["users", "disable", other.only.userId])).code, 6);
    assert.equal((await other.run(["users", "set-role", second.id, "admin"])).code, 0);
    assert.equal((await other.run(["users", "set-role", other.only.userId, "user"])).code, 0);
    assertRefused(await call(other, "GET", "/api/admin/users", { key: other.only.key }), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("takes the invites that an administrator made with them when they lose the role", async () => {
    const former = await addAccount(server, { isAdministrator: true });
    const { data } = await clientOf(server, former).call("addInvite", { role: "admin" });
    const json = { email: "again@example.org", name: "A person", password: PASSWORD, invite: data.url.replace(/^.*\/invite\//, "") };
    await admin().call("changeUser", { id: former.userId, role: "user" });
    assertRefused(await call(server, "POST", "/api/auth/sign-up", { json }), { status: 403, code: "FORBIDDEN" });
  });

  test("gets the server's state, and runs the checks of doctor", async () => {
    const { data: overview } = await admin().call("getOverview", {});
    assert.equal(overview.health.checks.database.ok, true);
    assert.ok(overview.accounts.administrators >= 1);
    assert.deepEqual(
      overview.storage.usage.map(({ tier }) => tier),
      ["anonymous", "free", "pro"],
    );
    assert.ok(overview.warnings.includes("no_mail") && overview.warnings.includes("no_tls"));
    const [one, two] = await Promise.all([admin().call("checkInstallation", {}), admin().call("checkInstallation", {})]);
    assert.ok(one.data.results.some(({ what, status }) => what === "database" && status === "ok"));
    assert.deepEqual(one.data.results, two.data.results);
  });
});
