import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, createKey, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { register } from "../support/accounts/agents.ts";
import { assertRefused, type CallOptions, call, clientOf, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

type Request = readonly [method: string, path: string, json?: object];

/** accounts, "Authentication", by its own lists: how a key is sent, what needs one, and what does not; identifiers, "Secrets". */
describe("an API route", () => {
  let server: ServerWith<"owner">;
  let owned: Upload;
  let anonymous: Upload;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    owned = await upload(server, { bytes: "x" }, { key: server.owner.key });
    anonymous = await upload(server, { bytes: "x" });
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = ([method, path, json]: Request, options: CallOptions = {}) => call(server, method, `/api${path}`, { ...options, json });

  const requiringKey = (): readonly Request[] => [
    ["POST", "/files/claim", { fileId: anonymous.id, claimToken: "claim_invented" }],
    ["PATCH", "/files/share-settings", { fileId: owned.id }],
    ["GET", "/files/list"],
    ["GET", "/files/run/nightly"],
    ["POST", "/folders", { name: `Folder ${crypto.randomUUID()}` }],
    ["GET", "/folders/list"],
    ["POST", "/files/upload-delegations", {}],
    ["POST", "/connect", { action: "status" }],
    ["GET", "/connect/status"],
    ["GET", "/me"],
    ["PATCH", "/me", { name: "Ada" }],
    ["GET", "/keys"],
    ["GET", "/webhooks"],
    ["GET", "/requests"],
    ["POST", "/requests", { title: "Photos" }],
    ["GET", `/files/${owned.id}/download-events`],
  ];
  const notRequiringKey = (): readonly Request[] => [
    ["POST", "/files/remote-upload", { url: "http://192.168.0.1/" }],
    ["POST", "/files/remote-multipart/init", { url: "http://192.168.0.1/" }],
    ["POST", "/files/multipart/init", { fileName: "a", fileSize: 1 }],
    ["GET", `/files/share/${anonymous.shortId}`],
    ["GET", `/files/download/${anonymous.id}`],
    ["POST", "/downloads/unlock", { shortId: anonymous.shortId, unlockCode: "AAAAAA" }],
    ["GET", "/files/handoff/ho_unknown"],
    ["GET", `/files/info?file_code=${anonymous.shortId}`],
    ["PATCH", "/files/link-protection", { fileId: anonymous.id, claimToken: "claim_invented", protect: true }],
    ["POST", "/purchases/checkout", { shortId: anonymous.shortId }],
    ["POST", "/purchases/claim", { sessionId: "cs_test_1" }],
    ["GET", "/requests/by-token?requestToken=rq_unknown"],
    ["POST", "/requests/submissions", { requestToken: "rq_unknown" }],
    ["POST", "/reports", { shortId: anonymous.shortId, reason: "other" }],
    ["POST", "/agent/register/challenge"],
    ["POST", "/agent/register", {}],
    ["GET", "/agent/capabilities"],
    ["GET", "/health"],
  ];

  test("responds 401 without a key and with an invalid one where a key is required", async () => {
    for (const request of requiringKey()) {
      const response = await ask(request);
      assertRefused(response, { status: 401, code: "UNAUTHENTICATED" });
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer\b/);
      assertRefused(await ask(request, { key: "bc_00000000_none" }), { status: 401, code: "UNAUTHENTICATED" });
    }
    assertRefused(await ask(["DELETE", `/files/delete?fileId=${owned.id}`]), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await ask(["GET", `/files/share/${owned.shortId}`])).status, 200);
  });

  test("requires no key where the documentation lists it as optional", async () => {
    await upload(server, { bytes: "x" });
    for (const request of notRequiringKey()) {
      const { status, body } = await ask(request);
      assert.notEqual(status, 401, `${request[1]}: ${JSON.stringify(body)}`);
      assert.notEqual(body.errorCode, "INSUFFICIENT_SCOPE");
    }
  });

  test("responds 401 to an invalid key where a key is optional, except on health", async () => {
    for (const request of notRequiringKey().filter(([, path]) => path !== "/health")) {
      assertRefused(await ask(request, { key: "bc_00000000_none" }), { status: 401, code: "UNAUTHENTICATED" });
    }
  });

  test("accepts a key in each documented header", async () => {
    const headersWith = (key: string): readonly Record<string, string>[] => [
      { Authorization: `Bearer ${key}` },
      { Authorization: key },
      { "x-service-api-key": key },
    ];
    for (const headers of headersWith(server.owner.key)) {
      for (const request of requiringKey()) {
        const { status, body } = await ask(request, { headers });
        assert.ok(status === 200 || body.errorCode === "WRONG_TOKEN", `${request[1]}: ${JSON.stringify(body)}`);
      }
    }
  });

  test("rejects a key in the query (except for file info), in a cookie and as Basic credentials", async () => {
    for (const [path, headers] of [
      [`/files/list?key=${server.owner.key}`, {}],
      ["/files/list", { Cookie: `key=${server.owner.key}` }],
      ["/files/list", { Authorization: `Basic ${btoa(`${server.owner.key}:`)}` }],
    ] as const)
      assertRefused(await ask(["GET", path], { headers }), { status: 401, code: "UNAUTHENTICATED" });
  });
});

const ADMIN: readonly Request[] = [
  ["GET", "/admin/audit-log"],
  ["GET", "/admin/overview"],
  ["GET", "/admin/users"],
  ["GET", "/admin/invites"],
  ["POST", "/admin/invites", { email: "eve@example.org" }],
];

/** administration, "Access". */
describe("an operation for administrators", () => {
  let server: ServerWith<"administrator" | "owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { administrator: { isAdministrator: true }, owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = ([method, path, json]: Request, key?: string) => call(server, method, `/api${path}`, { key, json });
  const setRole = (userId: string, role: "user" | "admin") =>
    withDatabase(server, (db) => db.updateTable("users").set({ role }).where("id", "=", userId).execute());
  const signUp = async () => {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "A person" };
    return (await clientOf(server).call("signUp", person)).data;
  };

  test("refuses callers without a key, other accounts, agents, and an administrator's other keys", async () => {
    const session = await signUp();
    const agent = await register(server);
    const ordinary = await createKey(server, server.administrator.key, { scope: "full" });
    for (const request of ADMIN) {
      assertRefused(await ask(request), { status: 401, code: "UNAUTHENTICATED" });
      assertRefused(await ask(request, "bc_00000000_none"), { status: 401, code: "UNAUTHENTICATED" });
      for (const key of [server.owner.key, session.sessionToken, agent.key])
        assertRefused(await ask(request, key), { status: 403, code: "FORBIDDEN" });
      const refused = await ask(request, ordinary.key);
      assertRefused(refused, { status: 403, code: "INSUFFICIENT_SCOPE" });
      assert.match(refused.body.error ?? "", /keys create --admin/);
    }
  });

  test("accepts a key that may administer, and a session of an administrator, until the account loses the role or is disabled", async () => {
    const { sessionToken, owner } = await signUp();
    const created = await server.run(["keys", "create", "--user", owner.id, "--admin"]);
    assert.equal(created.code, 6, "only for administrators");
    await setRole(owner.id, "admin");
    const key = (await server.run(["keys", "create", "--user", owner.id, "--admin"])).stdout.trim();
    for (const request of ADMIN) for (const credential of [key, sessionToken]) assert.equal((await ask(request, credential)).status, 200);
    await setRole(owner.id, "user");
    for (const request of ADMIN)
      for (const credential of [key, sessionToken]) assertRefused(await ask(request, credential), { status: 403, code: "FORBIDDEN" });
    await setRole(owner.id, "admin");
    assert.equal((await server.run(["users", "disable", owner.id])).code, 0);
    for (const request of ADMIN)
      for (const credential of [key, sessionToken]) assertRefused(await ask(request, credential), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("asks a session for a proof that is at most 15 minutes old", async () => {
    const { sessionToken, owner } = await signUp();
    await setRole(owner.id, "admin");
    const provedAt = Date.now() - 15 * 60_000;
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: provedAt }).where("user_id", "=", owner.id).execute());
    for (const request of ADMIN) assertRefused(await ask(request, sessionToken), { status: 403, code: "PROOF_REQUIRED" });
    await clientOf(server, { key: sessionToken }).call("prove", { password: "correct horse battery" });
    for (const request of ADMIN) assert.equal((await ask(request, sessionToken)).status, 200);
  });

  test("cannot be reached by rotating a key that may administer", async () => {
    const { key } = await addAccount(server, { isAdministrator: true });
    const [administering] = (await clientOf(server, { key }).call("listKeys", {})).data;
    const ordinary = await createKey(server, key, { scope: "full" });
    const rotated = await call(server, "POST", `/api/keys/${administering?.id}/rotate`, { key: ordinary.key });
    assertRefused(rotated, { status: 403, code: "FORBIDDEN" });
    assert.equal((await ask(["GET", "/admin/audit-log"], key)).status, 200);
  });
});
