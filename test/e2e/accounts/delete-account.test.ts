import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { Db } from "../../../src/db/database.ts";
import { stepSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, authorize, type Body, call, clientOf, listFiles, type Upload, upload } from "../support/api/api.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { startServerInstances } from "../support/servers/server-instances.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";

const PASSWORD = "correct horse battery";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly session: string;
}

let people = 0;

/** Signs up as a new person; the session has just proved the password. */
async function signUp(server: { readonly url: string }, address?: string): Promise<Person> {
  people += 1;
  const email = address ?? `leaving${people}@example.org`;
  const { data } = await clientOf(server).call("signUp", { email, password: PASSWORD, name: "A person" });
  return { id: data.owner.id, email, session: data.sessionToken };
}

const deleteAccount = ({ url }: { readonly url: string }, { session, email }: Person, confirm = email) =>
  call<Body>({ url }, "DELETE", "/api/me", { key: session, json: { confirm } });

const whenRemoved = (read: (work: (db: Db) => Promise<boolean>) => Promise<boolean>, { id }: Person): Promise<unknown> =>
  until("the account is removed", () =>
    read(async (db) => (await db.selectFrom("users").select("id").where("id", "=", id).executeTakeFirst()) === undefined),
  );

/** accounts, "Deleting an account". */
describe("deleting an account", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({
      FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }),
      FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const removed = (person: Person) => whenRemoved((work) => withDatabase(server, work), person);

  test("ends its links, keys, sessions and webhooks immediately, removes all its data, and nothing of other accounts", async () => {
    const [person, other] = [await signUp(server), await signUp(server)];
    const kept = await upload(server, { bytes: "kept" }, { key: other.session });
    const before = await countStoredState(server);
    const client = clientOf(server, { key: person.session });
    const { data: key } = await client.call("createKey", { scope: "files_write" });
    const { data: folder } = await client.call("createFolder", { name: "Outer" });
    const { data: inner } = await client.call("createFolder", { name: "Inner", parentId: folder.id });
    await client.call("updateMe", { username: "leaving-soon" });
    await client.call("createWebhook", { url: "https://127.0.0.1:9/", events: ["file.ready"] });
    await client.call("createDelegation", {});
    const file = await upload(server, { bytes: "mine", fields: { folderId: inner.id, visibility: "public" } }, { key: key.key });
    const { data: shipment } = await client.call("createShare", { title: "Plans" });
    const bytes = someBytes(2 * MB, 1);
    await sendParts(server, await init(server, { fileSize: bytes.length, partSize: MB }, { key: key.key }), bytes, { key: key.key });
    const { url } = (await authorize(server, file.id)).body;

    assert.equal((await deleteAccount(server, person)).status, 200);
    for (const path of [
      `/api/files/share/${file.shortId}`,
      `/api/files/download/${file.id}`,
      `/d/${file.shortId}`,
      `/d/${shipment.shortId}`,
    ])
      assert.equal((await fetch(server.url + path)).status, 404, path);
    assert.equal((await fetch(url ?? "")).status, 404);
    for (const credential of [key.key, person.session])
      assertRefused(await call(server, "GET", "/api/me", { key: credential }), { status: 401, code: "UNAUTHENTICATED" });
    for (const login of [person.email, "leaving-soon"])
      assertRefused(await call(server, "POST", "/api/auth/sign-in", { json: { login, password: PASSWORD } }), {
        status: 401,
        code: "UNAUTHENTICATED",
      });

    await removed(person);
    await until("the unfinished upload is aborted", async () => (await countStoredState(server)).sessions === before.sessions);
    const { stored, usedBytes, reservedBytes } = await countStoredState(server);
    assert.deepEqual(
      { stored, usedBytes, reservedBytes },
      { stored: before.stored, usedBytes: before.usedBytes, reservedBytes: before.reservedBytes },
    );
    await withDatabase(server, async (db) => {
      for (const table of ["files", "shares", "folders", "api_keys", "webhook_endpoints", "upload_delegations"] as const)
        assert.deepEqual(await db.selectFrom(table).selectAll().where("owner_id", "=", person.id).execute(), [], table);
      const left = await db.selectFrom("files").select(["name", "status", "relative_path"]).where("id", "=", file.id).executeTakeFirst();
      assert.deepEqual(left, { name: "", status: "deleted", relative_path: null });
      const share = await db.selectFrom("shares").selectAll().where("short_id", "=", shipment.shortId).executeTakeFirstOrThrow();
      assert.deepEqual([share.status, share.title, share.claim_hash, share.owner_id], ["deleted", null, null, null]);
    });
    assert.deepEqual(
      (await listFiles(server, other.session)).files.map(({ id }) => id),
      [kept.id],
    );
    // The name and the address are free.
    const again = await signUp(server, person.email);
    assert.equal((await call(server, "PATCH", "/api/me", { key: again.session, json: { username: "leaving-soon" } })).status, 200);
  });

  test("needs the address and a recent proof, and is refused to keys", async () => {
    const person = await signUp(server);
    const file = await upload(server, { bytes: "x" }, { key: person.session });
    assertRefused(await deleteAccount(server, person, "other@example.org"), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await call(server, "DELETE", "/api/me", { key: person.session, json: {} }), { status: 400, code: "VALIDATION_FAILED" });
    const { data } = await clientOf(server, { key: person.session }).call("createKey", { scope: "full" });
    assertRefused(await deleteAccount(server, { ...person, session: data.key }), { status: 403, code: "PROOF_REQUIRED" });
    const { key } = await addAccount(server);
    assertRefused(await deleteAccount(server, { ...person, session: key }), { status: 403, code: "PROOF_REQUIRED" });
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: 1 }).where("user_id", "=", person.id).execute());
    assertRefused(await deleteAccount(server, person), { status: 403, code: "PROOF_REQUIRED" });
    assert.equal((await call(server, "GET", `/api/files/share/${file.shortId}`)).status, 200);
    await clientOf(server, { key: person.session }).call("prove", { password: PASSWORD });
    assert.equal((await deleteAccount(server, person, ` ${person.email.toUpperCase()}`)).status, 200);
  });

  test("happens once, also when it is requested many times at the same time", async () => {
    const person = await signUp(server);
    const responses = await Promise.all(Array.from({ length: 5 }, () => deleteAccount(server, person)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    for (const { status, body } of responses) assert.ok([200, 401, 404].includes(status), JSON.stringify(body));
    assertRefused(await deleteAccount(server, person), { status: 401, code: "UNAUTHENTICATED" });
    await removed(person);
  });

  test("is refused to the last administrator, and possible once there is another", async () => {
    const person = await signUp(server);
    const makeAdmin = (id: string) =>
      withDatabase(server, (db) => db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute());
    await makeAdmin(person.id);
    assertRefused(await deleteAccount(server, person), { status: 409, code: "CONFLICT" });
    assert.equal((await server.run(["users", "delete", person.email, "--yes"])).code === 0, false);
    await makeAdmin((await signUp(server)).id);
    assert.equal((await deleteAccount(server, person)).status, 200);
    await removed(person);
  });

  test("is done by a command, too", async () => {
    const person = await signUp(server);
    const file = await upload(server, { bytes: "x" }, { key: person.session });
    const { code, stdout, stderr } = await server.run(["users", "delete", person.email, "--yes", "--json"]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { id: person.id });
    assert.equal((await call(server, "GET", `/api/files/share/${file.shortId}`)).status, 404);
    assertRefused(await call(server, "GET", "/api/me", { key: person.session }), { status: 401, code: "UNAUTHENTICATED" });
    assert.match((await server.run(["users", "enable", person.id])).stderr, /There is no account/);
    assert.ok(!(await server.run(["users", "list"])).stdout.includes(person.id));
    await removed(person);
  });

  test("deletes each row of the account, so that no table prevents it", async () => {
    const references = await withDatabase(server, async (db) => {
      const { rows } = await sql<{ name: string; action: string }>`
        SELECT tables.name AS name, keys.on_delete AS action FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys
        WHERE tables.type = 'table' AND keys."table" = 'users'`.execute(db);
      return rows;
    });
    // Rows that the job separates from the account.
    const others = references.filter(({ name }) => name !== "files" && name !== "shares");
    assert.ok(others.length > 5);
    assert.deepEqual(
      others.filter(({ action }) => action !== "CASCADE" && action !== "SET NULL"),
      [],
    );
  });
});

async function uploadSome(server: { readonly url: string }, person: Person): Promise<Upload[]> {
  return await Promise.all([1, 2, 3].map((seed) => upload(server, { bytes: someBytes(10_000, seed) }, { key: person.session })));
}

/** accounts, "Deleting an account". */
describeUnless(straceMissing, "a server killed while it deletes an account", () => {
  const points: readonly CallPoint[] = [
    ...[2, 5, 9].map((when) => ({ call: "fsync", when })),
    ...[1, 2, 3].map((when) => ({ call: "unlinkat", when })),
  ];
  for (const [index, point] of points.entries()) {
    test(`has deleted it completely or not at all, and continues, at ${point.call} ${point.when}`, {
      skip: stepSkipped(index),
    }, async () => {
      await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
      const person = await signUp(server, "leaving@example.org");
      await uploadSome(server, person);
      await killServerAt(server, point, () => deleteAccount(server, person));
      const { status } = await call(server, "GET", "/api/me", { key: person.session });
      if (status === 200) assert.equal((await deleteAccount(server, person)).status, 200);
      await whenRemoved((work) => withDatabase(server, work), person);
      await until("the bytes are removed", async () => (await countStoredState(server)).stored.length === 0);
      await assertNothingLostOrLeft(server);
    });
  }
});

/** accounts, "Deleting an account", on several server instances with a bucket. */
test("an account is deleted on all server instances, with its objects in a bucket", { skip: swiftMissing }, async () => {
  const swift = await joinSwift();
  await using instances = await startServerInstances({ count: 2, swift, env: { FILEHOST_SCANNER: "off" } });
  const [one, two] = [instances.instance(0), instances.instance(1)];
  const person = await signUp(one);
  const files = await uploadSome(one, person);
  assert.equal((await deleteAccount(two, person)).status, 200);
  for (const instance of [one, two]) {
    assertRefused(await call(instance, "GET", "/api/me", { key: person.session }), { status: 401, code: "UNAUTHENTICATED" });
    for (const { shortId } of files) assert.equal((await call(instance, "GET", `/api/files/share/${shortId}`)).status, 404);
  }
  await whenRemoved((work) => instances.withDatabase(work), person);
  await until("the objects are removed", () =>
    instances.withDatabase(async (db) => {
      const left = await db.selectFrom("files").select("id").where("blob_state", "<>", "removed").execute();
      return left.length === 0;
    }),
  );
});
