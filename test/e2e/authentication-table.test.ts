import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { assertRefused, type CallOptions, call, type Upload, upload } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";

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
