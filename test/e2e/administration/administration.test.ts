import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { signUpWithTotp } from "../support/accounts/two-step.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

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

  test("changes an account, with effect from its next request on", async () => {
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

  test("changes an account that its owner changes meanwhile", async () => {
    const { userId: id, key } = await addAccount(server);
    const { version } = (await admin().call("getUserDetails", { id })).data;
    await clientOf(server, { key }).call("updateMe", { name: "Another name" });
    const { data: disabled } = await admin().call("changeUser", { id, version, isDisabled: true });
    assert.notEqual(disabled.disabledAt, null);
    const { data: enabled } = await admin().call("changeUser", { id, version: disabled.version, isDisabled: false });
    assert.equal(enabled.version, version, "it is what the first response said");
  });

  test("makes other accounts administrators, of which the last one cannot lose the role", async () => {
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
    assert.equal((await other.run(["users", "set-role", other.only.userId, "user", "--yes"])).code, 0);
    assertRefused(await call(other, "GET", "/api/admin/users", { key: other.only.key }), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("loses the created invites together with the role", async () => {
    const former = await addAccount(server, { isAdministrator: true });
    const { data } = await clientOf(server, former).call("createInvite", { role: "admin" });
    const json = { email: "again@example.org", name: "A person", password: PASSWORD, invite: data.url.replace(/^.*\/invite\//, "") };
    await admin().call("changeUser", { id: former.userId, role: "user" });
    assertRefused(await call(server, "POST", "/api/auth/sign-up", { json }), { status: 403, code: "FORBIDDEN" });
  });

  test("loses the created links that set others' passwords together with the role, or when disabled", async () => {
    const [someone, another] = [await addAccount(server), await addAccount(server)];
    const setPassword = (url: string) =>
      call(server, "POST", "/api/auth/reset", { json: { token: url.replace(/^.*\/reset\//, ""), newPassword: PASSWORD } });
    for (const change of [{ role: "user" }, { isDisabled: true }] as const) {
      const former = await addAccount(server, { isAdministrator: true });
      const { data } = await clientOf(server, former).call("createUserResetLink", { id: someone.userId });
      const { data: kept } = await admin().call("createUserResetLink", { id: another.userId });
      await admin().call("changeUser", { id: former.userId, ...change });
      assertRefused(await setPassword(data.url), { status: 403, code: "FORBIDDEN" });
      assert.equal((await setPassword(kept.url)).status, 200);
    }
  });

  test("deletes an account after sending its address, but not the only administrator", async () => {
    const { email, id, key } = await signUp();
    await upload(server, { bytes: "some bytes" }, { key });
    const path = `/api/admin/users/${id}`;
    const wrong = await call(server, "DELETE", path, { ...server.administrator, json: { confirm: "bo@example.org" } });
    assertRefused(wrong, { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await clientOf(server, { key }).call("getMe", {})).data.owner.id, id);
    assert.deepEqual((await admin().call("deleteUser", { id, confirm: email.toUpperCase() })).data, { id });
    assertRefused(await call(server, "GET", "/api/me", { key }), { status: 401, code: "UNAUTHENTICATED" });
    const again = await call(server, "DELETE", path, { ...server.administrator, json: { confirm: email } });
    assertRefused(again, { status: 404, code: "NOT_FOUND" });
    const [entry] = (await admin().call("listAuditLog", { action: "account.deleted", subject: id })).data;
    assert.deepEqual([entry?.actor?.id, entry?.account?.id], [server.administrator.userId, id]);

    await using other = await withAccounts(startPlainServer(), { only: { isAdministrator: true } });
    const only = { ...other.only, json: { confirm: `${other.only.userId}@example.org` } };
    assertRefused(await call(other, "DELETE", `/api/admin/users/${other.only.userId}`, only), { status: 409, code: "CONFLICT" });
  });

  test("turns off two-step sign-in for a person who lost the app, once", async () => {
    const { input, userId: id } = await signUpWithTotp(server, {
      email: `${crypto.randomUUID()}@example.org`,
      password: PASSWORD,
      name: "A person",
    });
    assert.equal((await admin().call("getUserDetails", { id })).data.hasTwoFactor, true);
    assert.deepEqual((await admin().call("resetUserTwoFactor", { id })).data, { id, email: input.email });
    assert.equal((await admin().call("getUserDetails", { id })).data.hasTwoFactor, false);
    await clientOf(server).call("signIn", { login: input.email, password: PASSWORD });
    const again = await call(server, "DELETE", `/api/admin/users/${id}/two-factor`, server.administrator);
    assertRefused(again, { status: 409, code: "CONFLICT" });
    const [entry] = (await admin().call("listAuditLog", { action: "account.two_step_off", subject: id })).data;
    assert.equal(entry?.actor?.id, server.administrator.userId);
  });

  test("gets the server's state, and runs the checks of doctor", async () => {
    const { data: overview } = await admin().call("getOverview", {});
    assert.equal(overview.health.checks.database.ok, true);
    assert.ok(overview.accounts.administrators >= 1);
    assert.deepEqual(
      overview.storage.usage.map(({ tier }) => tier),
      ["anonymous", "free", "pro"],
    );
    assert.deepEqual(overview.warnings, ["no_tls", "no_scanner", "no_mail", "no_content_url"]);
    const [one, two] = await Promise.all([admin().call("checkInstallation", {}), admin().call("checkInstallation", {})]);
    assert.ok(one.data.results.some(({ what, status }) => what === "database" && status === "ok"));
    assert.deepEqual(one.data.results, two.data.results);
  });
});
