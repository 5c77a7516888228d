import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount, createKey } from "../support/accounts/accounts.ts";
import { clientOf, type InputOf, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";

/** administration, "The audit log". */
describe("the audit log", () => {
  let server: TestServer;
  let administrator: { readonly key: string };
  before(async () => {
    server = await startPlainServer({ FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" });
    administrator = await addAccount(server, { isAdministrator: true });
  });
  after(() => server[Symbol.asyncDispose]());

  const search = async (input: InputOf<"listAuditLog">) => (await clientOf(server, administrator).call("listAuditLog", input)).data;
  const actionsOf = async (account: string) => (await search({ subject: account })).map(({ action }) => action).reverse();

  test("has the actions of an owner, with the key or session", async () => {
    const { data: session } = await clientOf(server).call("signUp", { email: "ada@example.org", password: PASSWORD, name: "Ada" });
    const { id } = session.owner;
    const key = await createKey(server, session.sessionToken, { scope: "full" });
    const { call } = clientOf(server, { key: key.key });
    const file = await upload(server, { bytes: "x" }, { key: key.key });
    await call("updateShareSettings", {
      fileId: file.id,
      title: "For nobody's log",
      expiresAt: new Date(Date.now() + 3600_000).toISOString(),
    });
    await call("updateShareSettings", { fileId: file.id, protect: true, handoffMessage: "The code is in your mail" });
    // The page of a share reads its settings with an empty change, which is not recorded.
    await call("updateShareSettings", { fileId: file.id });
    const { data: webhook } = await call("createWebhook", { url: "https://127.0.0.1:9/secret-path", events: ["file.ready"] });
    await call("updateWebhook", { id: webhook.id, status: "paused" });
    await call("rotateWebhookSecret", { id: webhook.id });
    await call("deleteWebhook", { id: webhook.id });
    const { data: request } = await call("createRequest", { title: "Photos" });
    await call("updateRequest", { id: request.id, closed: true });
    await call("rotateRequest", { id: request.id });
    await call("deleteRequest", { id: request.id });
    const [one, two, three] = [
      await upload(server, { bytes: "1" }, key),
      await upload(server, { bytes: "2" }, key),
      await upload(server, { bytes: "3" }, key),
    ];
    await call("updateNoticeSettings", { byMail: false });
    const { data: delegation } = await call("createDelegation", { name: "for-nobodys-log.txt", sizeBytes: 5 });
    const sharedNow = await call("shareFiles", { fileIds: [two.id, three.id], move: true, title: "For nobody's log either" });
    // Neither a new folder nor a move is recorded.
    const { data: folder } = await call("createFolder", { name: "For nobody's log" });
    await call("moveFiles", { fileIds: [one.id], folderId: folder.id });
    await call("deleteFile", { fileId: one.id });
    await call("deleteFiles", { fileIds: [two.id, three.id] });
    const second = await createKey(server, session.sessionToken, { scope: "files_read" });
    await call("rotateKey", { id: second.id });
    await call("revokeKey", { id: second.id });
    const other = await clientOf(server).call("signIn", { login: "ada@example.org", password: PASSWORD });
    const signedIn = clientOf(server, { key: session.sessionToken });
    await clientOf(server, { key: other.data.sessionToken }).call("signOut", {});
    await signedIn.call("changePassword", { currentPassword: PASSWORD, newPassword: `another ${PASSWORD}` });
    assert.deepEqual(await actionsOf(id), [
      "account.created",
      "session.started",
      "key.created",
      "share.changed",
      "share.changed",
      "webhook.created",
      "webhook.changed",
      "webhook.rotated",
      "webhook.deleted",
      "request.created",
      "request.changed",
      "request.rotated",
      "request.deleted",
      "account.notices_changed",
      "delegation.created",
      "share.created",
      "share.closed",
      "share.closed",
      "file.deleted",
      "account.files_deleted",
      "key.created",
      "key.rotated",
      "key.revoked",
      "session.started",
      "session.ended",
      "account.password_changed",
    ]);
    const [created] = await search({ subject: key.id });
    assert.deepEqual(
      [created?.origin, created?.actor, created?.keyPrefix, created?.details, created?.address],
      ["account", { id, email: "ada@example.org", emailVerified: true }, null, { prefix: key.prefix, scope: "full" }, null],
    );
    const [shared] = await search({ action: "share.changed", actor: key.prefix });
    assert.deepEqual([shared?.origin, shared?.keyPrefix, shared?.subjectId], ["key", key.prefix, file.shortId]);
    assert.deepEqual(shared?.details, { protect: true, handoffMessage: true });
    const [given] = await search({ action: "share.created", actor: key.prefix });
    assert.deepEqual([given?.subjectId, given?.details], [sharedNow.data.shortId, { files: 2 }]);
    const [delegated] = await search({ action: "delegation.created", actor: key.prefix });
    assert.deepEqual([delegated?.subjectId, delegated?.details.sizeBytes], [delegation.delegationId, 5]);
    const [notices] = await search({ action: "account.notices_changed", actor: key.prefix });
    assert.deepEqual([notices?.subjectId, notices?.details], [id, { byMail: false }]);
    const all = JSON.stringify(await search({ subject: id }));
    for (const secret of [
      "For nobody",
      "for-nobody",
      delegation.delegationToken,
      "in your mail",
      "secret-path",
      PASSWORD,
      key.key.slice(12),
    ])
      assert.ok(!all.includes(secret), secret);
  });

  test("has the actions of the command line and the server", async () => {
    const email = "bo@example.org";
    const run = async (...words: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await server.run(words);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    await run("users", "create", "--email", email, "--name", "Bo", "--username", "bob");
    const key = (await run("keys", "create", "--user", email)).trim();
    await run("users", "set-tier", email, "pro", "--until", "30d");
    await run("users", "set-username", "bob", "--none", "--yes");
    await run("users", "disable", email);
    await run("users", "enable", email);
    const file = await upload(server, { bytes: "x" }, { key });
    await run("takedown", file.shortId);
    await run("keys", "revoke", key.slice(0, 11), "--yes");
    await run("invites", "create", "--email", "eve@example.org", "--admin");
    const entries = await search({ actor: "command_line", limit: 10 });
    assert.deepEqual(entries.map(({ action }) => action).reverse(), [
      "account.created",
      "key.created",
      "account.tier_set",
      "account.username_set",
      "account.disabled",
      "account.enabled",
      "share.taken_down",
      "key.revoked",
      "invite.created",
    ]);
    assert.ok(entries.every(({ actor, address }) => actor === null && address === null));
    assert.deepEqual(entries[0]?.details, { role: "admin", email: "eve@example.org" });
    assert.ok((await search({ actor: "system", action: "invite" })).length <= 1);
    const listed = JSON.parse(await run("audit-log", "--subject", email, "--action", "account", "--since", "1d", "--json"));
    assert.deepEqual(
      listed.map(({ action }: { action: string }) => action),
      ["account.enabled", "account.disabled", "account.username_set", "account.tier_set", "account.created"],
    );
    assert.match(await run("audit-log", "--limit", "3", "--actor", "command_line"), /^TIME +WHO.*\n.* command line +invite\.created /);
  });

  test("has each administrative command, as the administrator of the machine and not limited by rates", async () => {
    const before = (await search({ actor: "command_line", limit: 200 })).length;
    const email = "commands@example.org";
    const digest = "c".repeat(64);
    const { key } = await addAccount(server);
    const one = await upload(server, { bytes: "one" }, { key });
    const two = await upload(server, { bytes: "two" }, { key });
    await clientOf(server, { key }).call("createReport", { shortId: one.shortId, reason: "other" });
    await clientOf(server, { key }).call("createReport", { shortId: two.shortId, reason: "other" });
    const commands: readonly (readonly [words: readonly string[], ...actions: readonly string[]])[] = [
      [["users", "create", "--email", email, "--name", "Commands"], "account.created"],
      [["users", "set-role", email, "admin"], "account.role_set"],
      [["keys", "create", "--user", email, "--admin"], "key.created"],
      [["users", "set-role", email, "user", "--yes"], "key.revoked", "account.role_set"],
      [["users", "reset-password", email], "account.reset_link_created"],
      [["users", "sign-out", email, "--yes"], "account.signed_out"],
      [["users", "delete", email, "--yes"], "account.deleted"],
      [["blocklist", "add", digest], "digest.blocked"],
      [["blocklist", "remove", digest], "digest.unblocked"],
      [["settings", "set", "tiers.free.fileBytes", "2GB"], "setting.changed"],
      [["settings", "unset", "tiers.free.fileBytes"], "setting.changed"],
      [["reports", "dismiss", one.shortId, "--note", "Harmless"], "report.resolved"],
      [["reports", "takedown", two.shortId], "share.taken_down", "report.resolved"],
      [["takedown", two.shortId, "--undo"], "share.restored"],
      [["takedown", one.id], "file.taken_down"],
      [["takedown", one.id, "--undo"], "file.restored"],
      [["rescan", one.id], "file.rescanned"],
    ];
    for (const [words] of commands) {
      const { code, stderr } = await server.run(words);
      assert.equal(code, 0, `${words.join(" ")}: ${stderr}`);
    }
    const entries = await search({ actor: "command_line", limit: 200 });
    assert.deepEqual(
      entries
        .slice(0, entries.length - before)
        .map(({ action }) => action)
        .reverse(),
      commands.flatMap(([, ...actions]) => actions),
    );
    assert.ok(entries.every(({ origin, actor, address }) => origin === "command_line" && actor === null && address === null));
  });

  test("is listed in pages, each entry once, and by time", async () => {
    const { key, userId } = await addAccount(server);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await createKey(server, key)).id);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await clientOf(server, administrator).call("listAuditLog", { actor: userId, limit: 2, cursor });
      found.push(...page.data.map(({ subjectId }) => subjectId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(found.reverse(), ids);
    assert.deepEqual(await search({ actor: userId, since: new Date(Date.now() + 60_000).toISOString() }), []);
    assert.equal((await search({ actor: userId, since: new Date(Date.now() - 60_000).toISOString() })).length, 5);
    assert.equal((await search({ actor: userId, until: new Date(Date.now() + 60_000).toISOString() })).length, 5);
    const [last] = await search({ actor: userId, limit: 1 });
    const earlier = await search({ actor: userId, until: last?.at ?? "" });
    assert.ok(earlier.length < 5 && earlier.every(({ at }) => at < (last?.at ?? "")), "an entry of that time is not before it");
    const until = new Date(Date.now() + 60_000).toISOString();
    const list = async (...options: string[]): Promise<unknown[]> =>
      JSON.parse((await server.run(["audit-log", "--actor", userId, ...options, "--json"])).stdout) as unknown[];
    assert.equal((await list("--since", "1d", "--until", until)).length, 5);
    assert.deepEqual(await list("--until", "1d"), []);
    assert.deepEqual(await search({ actor: userId, action: "ke" }), []);
    assert.deepEqual(await search({ subject: "nobody@example.org" }), []);
  });

  test("does not have the actions of callers without an account, nor failed changes", async () => {
    const before = await search({ limit: 1 });
    const file = await upload(server, { bytes: "x" });
    await clientOf(server).call("setLinkProtection", { fileId: file.id, claimToken: file.claimToken ?? "", protect: true });
    const { key } = await addAccount(server);
    await assert.rejects(clientOf(server, { key }).call("revokeKey", { id: "unknown" }));
    assert.deepEqual(await search({ limit: 1 }), before);
  });

  test("keeps an entry without the address of a deleted account", async () => {
    const { key, userId } = await addAccount(server);
    const made = await createKey(server, key);
    await withDatabase(server, (db) => db.deleteFrom("users").where("id", "=", userId).execute());
    const [entry] = await search({ subject: made.id });
    assert.deepEqual(
      [entry?.actor, entry?.account],
      [
        { id: userId, email: null, emailVerified: false },
        { id: userId, email: null, emailVerified: false },
      ],
    );
  });
});

test("addresses are in the audit log for as many days as the administrator keeps them", async () => {
  await using server = await startPlainServer({ FILEHOST_KEEP_ADDRESSES: "7" });
  const administrator = await addAccount(server, { isAdministrator: true });
  const made = await createKey(server, administrator.key);
  const find = async () => (await clientOf(server, administrator).call("listAuditLog", { action: "key.created" })).data;
  const [entry] = await find();
  assert.deepEqual([entry?.subjectId, entry?.address], [made.id, "127.0.0.1"]);
  // One entry is made eight days old, another a year.
  await withDatabase(server, async (db) => {
    const { id, ...row } = await db.selectFrom("audit_log").selectAll().where("id", "=", Number(entry?.id)).executeTakeFirstOrThrow();
    const old = [8, 366].map((days) => ({ ...row, created_at: row.created_at - days * 86_400_000 }));
    await db.insertInto("audit_log").values(old).execute();
  });
  assert.equal((await server.run(["cleanup"])).code, 0);
  await until("the entries are pruned", async () => ((await find()).length === 2 ? true : undefined));
  assert.deepEqual(
    (await find()).map(({ address }) => address),
    [null, "127.0.0.1"],
  );
});
