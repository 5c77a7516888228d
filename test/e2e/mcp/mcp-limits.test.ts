import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { MCP_SESSIONS } from "../../../src/service/mcp/sessions.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "strict", version: "1" } },
};

/** mcp, "The endpoint", "Sessions" and "The log". */
describe("the limits of MCP", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_LOG: "debug", FILEHOST_RATE_LIMITS: "on" });
  });
  after(() => server?.[Symbol.asyncDispose]());

  interface Sent {
    readonly path?: string;
    readonly address?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }

  const send = (message: unknown, { path = "/mcp/guest", address = "203.0.113.1", headers = {} }: Sent = {}): Promise<Response> =>
    fetch(server.url + path, {
      method: "POST",
      body: typeof message === "string" ? message : JSON.stringify(message),
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "X-Forwarded-For": address,
        ...headers,
      },
    });

  async function assertError(response: Response, status: number, errorCode: string, text: RegExp): Promise<void> {
    const body = (await response.json()) as { errorCode: string; error: string };
    assert.deepEqual([response.status, body.errorCode], [status, errorCode]);
    assert.match(body.error, text);
  }

  test("refuses a message above 6 MB, by its length and while it is read", async () => {
    const { key } = await addAccount(server);
    const large = JSON.stringify({ ...LIST, params: { padding: "x".repeat(6 * 1024 * 1024) } });
    for (const sent of [{}, { path: "/mcp", headers: { Authorization: `Bearer ${key}` } }])
      await assertError(await send(large, sent), 413, "BODY_TOO_LARGE", /6 MB/);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
    await assertError(await fetch(`${server.url}/mcp`, { method: "POST", body: stream, headers }), 413, "BODY_TOO_LARGE", /6 MB/);
    assert.equal((await send(LIST, { address: "203.0.113.2" })).status, 200);
  });

  test("a guest's address has 60 messages a minute, sessions included", async () => {
    const address = "203.0.113.3";
    await using visitor = await connectMcp(server, { era: "a session", path: "/mcp/guest", headers: { "X-Forwarded-For": address } });
    assert.ok(visitor.transport.sessionId);
    const statuses: number[] = [];
    for (let count = 0; count < 60; count++) statuses.push((await send(LIST, { address })).status);
    assert.equal(statuses[0], 200);
    const refused = await send(LIST, { address });
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    await assertError(refused, 429, "RATE_LIMITED", /minute|seconds|requests/);
    assert.equal((await send(LIST, { address: "203.0.113.4" })).status, 200);
  });

  test("a session has an ID of 256 bits, and ends when its client names another one or it was idle for 30 minutes", async () => {
    const address = "203.0.113.5";
    const opened = await send(INITIALIZE, { address });
    const id = opened.headers.get("mcp-session-id") ?? "";
    assert.equal(Buffer.from(id, "base64url").length, 32);
    assert.equal((await send(LIST, { address, headers: { "Mcp-Session-Id": id } })).status, 200);
    await assertError(await send(LIST, { address, headers: { "Mcp-Session-Id": `${id}x` } }), 404, "NOT_FOUND", /initialize/);
    const idle = Date.now() - MCP_SESSIONS.idleMs;
    await withDatabase(server, (db) => db.updateTable("mcp_sessions").set({ used_at: idle }).execute());
    await assertError(await send(LIST, { address, headers: { "Mcp-Session-Id": id } }), 404, "NOT_FOUND", /initialize/);
    const again = await send(INITIALIZE, { address, headers: { "Mcp-Session-Id": id } });
    const other = again.headers.get("mcp-session-id") ?? "";
    assert.ok(other !== "" && other !== id);
    assert.equal((await send(LIST, { address, headers: { "Mcp-Session-Id": other } })).status, 200);
  });

  test("a client that accepts JSON, anything or does not say gets JSON, also from slow tools", async () => {
    const wait = { name: "service_upload_status", arguments: { jobId: "none", waitSeconds: "1", jobSecret: null } };
    for (const Accept of ["application/json", "*/*", "", "application/*;q=0.5, text/html"])
      for (const message of [INITIALIZE, LIST, { ...LIST, method: "tools/call", params: wait }]) {
        const response = await send(message, { address: "203.0.113.8", headers: { Accept } });
        assert.equal(response.status, 200, Accept);
        assert.equal(response.headers.get("content-type"), "application/json");
        const { result } = (await response.json()) as { result: { content?: { text: string }[] } };
        assert.doesNotMatch(result.content?.[0]?.text ?? "", /VALIDATION_FAILED/);
      }
  });

  test("accepts texts of numbers and truth values, and nulls for absent fields", async () => {
    const { key } = await addAccount(server);
    const callOf = async (name: string, args: unknown) => {
      const message = { ...LIST, method: "tools/call", params: { name, arguments: args, _meta: null } };
      const response = await send(message, { path: "/mcp", headers: { Authorization: `Bearer ${key}`, Accept: "application/json" } });
      const { result } = (await response.json()) as { result: { isError?: boolean; structuredContent: Record<string, unknown> } };
      assert.notEqual(result.isError, true, JSON.stringify(result));
      return result.structuredContent;
    };
    await callOf("service_list_files", null);
    await callOf("service_list_files", { limit: "5", page: null, includeFolders: "true", folderId: null });
    const upload = {
      contentBase64: "aGk=",
      fileName: "a.txt",
      url: null,
      background: "false",
      waitSeconds: "0",
      once: "true",
      title: null,
    };
    const { shortId } = await callOf("service_upload", upload);
    await callOf("service_update_share_settings", { shortId, maxDownloads: "3", protect: "FALSE" });
    await callOf("service_create_upload_delegation", { name: "b.txt", sizeBytes: "5", expiresInSeconds: " 60 " });
  });

  test("has 1,000 sessions in total: one without a key is replaced, and guests without a session still work", async () => {
    const used_at = Date.now();
    const rows = Array.from({ length: MCP_SESSIONS.all }, (_, index) => ({
      id: `full-${index}`,
      token_hash: `full-${index}`,
      subject: `full-${index}`,
      subnet48: null,
      key: "stored",
      used_at: index === 0 ? used_at - 1000 : used_at,
    }));
    await withDatabase(server, async (db) => {
      for (let start = 0; start < rows.length; start += 100)
        await db
          .insertInto("mcp_sessions")
          .values(rows.slice(start, start + 100))
          .execute();
    });
    const address = "203.0.113.6";
    const full = (id: string) => withDatabase(server, (db) => db.selectFrom("mcp_sessions").select("id").where("id", "=", id).execute());
    await withDatabase(server, (db) => db.deleteFrom("mcp_sessions").where("key", "is", null).execute());
    await withDatabase(server, (db) => db.updateTable("mcp_sessions").set({ key: null }).where("id", "=", "full-0").execute());
    assert.equal((await send(INITIALIZE, { address })).status, 200);
    assert.deepEqual(await full("full-0"), []);
    await withDatabase(server, (db) => db.updateTable("mcp_sessions").set({ key: "stored" }).execute());
    const refused = await send(INITIALIZE, { address });
    assert.equal(refused.headers.get("retry-after"), "300");
    await assertError(refused, 503, "UNAVAILABLE", /too many MCP sessions/);
    await using visitor = await connectMcp(server, { era: "no session", path: "/mcp/guest", headers: { "X-Forwarded-For": address } });
    assert.equal((await callTool(visitor, "search_tools", { query: "upload" })).isError, false);
    const { key } = await addAccount(server);
    await using member = await connectMcp(server, { era: "a session", key });
    assert.equal((await callTool(member, "list_files")).isError, false);
    await withDatabase(server, (db) => db.deleteFrom("mcp_sessions").where("id", "like", "full-%").execute());
    assert.equal((await send(INITIALIZE, { address })).status, 200);
  });

  test("serves a client with a key that names a session without a session", async () => {
    const { key } = await addAccount(server);
    const headers = { Authorization: `Bearer ${key}` };
    const opened = await send(INITIALIZE, { path: "/mcp", headers });
    assert.equal(opened.status, 200);
    const rows = await withDatabase(server, (db) =>
      db
        .selectFrom("mcp_sessions")
        .select("id")
        .where("token_hash", "=", hashToken(opened.headers.get("mcp-session-id") ?? ""))
        .execute(),
    );
    assert.deepEqual(rows, []);
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    const named = { ...headers, "Mcp-Session-Id": "made-up", "Mcp-Protocol-Version": "2025-11-25" };
    assert.equal((await send(initialized, { path: "/mcp", headers: named })).status, 202);
    const listed = await send(LIST, { path: "/mcp", headers: named });
    assert.match(await listed.text(), /service_list_files/);
    // How such a client ends its session, and listens: the protocol has a 405 for both.
    for (const method of ["DELETE", "GET"])
      assert.equal((await fetch(`${server.url}/mcp`, { method, headers: { ...named, Accept: "text/event-stream" } })).status, 405);
  });

  test("the log has the refusals of the protocol, without the client's data", async () => {
    const { key } = await addAccount(server);
    const secret = "ABC123-secret";
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "service_get_download_url",
        arguments: { unlockCode: secret },
        _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
      },
    };
    const headers = { Authorization: `Bearer ${key}`, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": secret };
    assert.equal((await send(message, { path: "/mcp", headers })).status, 400);
    await send({ jsonrpc: "2.0", id: secret, result: {} }, { path: "/mcp", headers: { Authorization: `Bearer ${key}` } });
    const lines = server.logs();
    assert.ok(lines.some(({ level, msg }) => level === "debug" && msg === "mcp message refused"));
    assert.doesNotMatch(JSON.stringify(lines), new RegExp(secret));
  });
});
