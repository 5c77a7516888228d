import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call } from "../support/api/api.ts";
import { callTool, connectMcp, ERAS, type Era } from "../support/api/mcp.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const MCP_HOST = "mcp.example.org";
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const ACCEPT = { Accept: "application/json, text/event-stream" };

/** mcp, "The endpoint" and "Pages of other sites"; addresses, "Base addresses", "Health" and "Other sites". */
describe("MCP on a separate host name", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({
      FILEHOST_URL: "https://files.example.org",
      FILEHOST_MCP_URL: `https://${MCP_HOST}`,
      FILEHOST_ALLOWED_ORIGINS: "https://chat.example.net",
    });
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Sends a message, to which the response is a stream of events. */
  const post = (path: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(server.url + path, {
      method: "POST",
      body: JSON.stringify(LIST),
      headers: { ...ACCEPT, "Content-Type": "application/json", Host: MCP_HOST, ...headers },
    });

  for (const era of Object.keys(ERAS) as Era[])
    test(`serves clients with ${era} there, with a key and without`, async () => {
      const { key } = await addAccount(server);
      await using member = await connectMcp(server, { era, key, headers: { Host: MCP_HOST } });
      assert.equal((await callTool(member, "list_files")).isError, false);
      await using visitor = await connectMcp(server, { era, path: "/mcp/guest", headers: { Host: MCP_HOST } });
      const uploaded = await callTool(visitor, "upload", { contentBase64: btoa("hello"), fileName: "a.txt" });
      assert.match(String(uploaded.data.shareUrl), /^https:\/\/files\.example\.org\/d\//);
    });

  test("names that address in the capabilities, in llms.txt and if a key is missing", async () => {
    const { body } = await call(server, "GET", "/api/agent/capabilities");
    assert.deepEqual([body.mcpUrl, body.guestMcpUrl], [`https://${MCP_HOST}/mcp`, `https://${MCP_HOST}/mcp/guest`]);
    assert.match(await (await fetch(`${server.url}/llms.txt`)).text(), new RegExp(`https://${MCP_HOST}/mcp `));
    const headers = { ...ACCEPT, Host: MCP_HOST };
    const refused = await call(server, "POST", "/mcp", { json: LIST, headers });
    assertRefused(refused, { status: 401, code: "UNAUTHENTICATED" });
    assert.match(String(refused.body.error), new RegExp(`https://${MCP_HOST}/mcp/guest`));
    const foreign = await call(server, "POST", "/mcp", { json: LIST, headers: { ...ACCEPT, Host: "evil.example" } });
    assert.match(String(foreign.body.error), new RegExp(`https://${MCP_HOST}/mcp`));
  });

  test("responds with its health and readiness there, by GET and HEAD", async () => {
    for (const path of ["/health", "/health/live", "/ready"])
      for (const method of ["GET", "HEAD"])
        assert.equal((await fetch(server.url + path, { method, headers: { Host: MCP_HOST } })).status, 200, `${method} ${path}`);
    assert.deepEqual((await call(server, "GET", "/ready")).body, { status: "ready" });
  });

  test("serves pages of its own origins, of this machine and of allowed sites, and refuses all others, also with a key", async () => {
    const { key } = await addAccount(server);
    const ask = (path: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
      post(path, { ...headers, ...(path === "/mcp" && { Authorization: `Bearer ${key}` }) });
    const origins = [
      "https://files.example.org",
      `https://${MCP_HOST}`,
      "http://localhost:6274",
      "http://127.0.0.1:6274",
      "http://[::1]:6274",
    ];
    for (const origin of [...origins, "https://chat.example.net"])
      for (const path of ["/mcp", "/mcp/guest"])
        assert.equal((await ask(path, { Origin: origin, "Sec-Fetch-Site": "cross-site" })).status, 200, `${path} from ${origin}`);
    const foreign = [
      "https://evil.example",
      "http://localhost.evil.example",
      "http://127.0.0.1.evil.example",
      "null",
      "http://192.168.1.7",
    ];
    for (const origin of foreign)
      for (const path of ["/mcp", "/mcp/guest"]) {
        const refused = await ask(path, { Origin: origin });
        assert.equal(refused.status, 403, `${path} from ${origin}`);
        assert.match(await refused.text(), /CROSS_SITE_REQUEST/);
      }
  });

  test("permits the headers of the protocol in a preflight, and responses expose headers that clients read", async () => {
    const wanted = ["Authorization", "Content-Type", "Last-Event-ID", "Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"];
    for (const path of ["/mcp", "/mcp/guest"]) {
      const headers = { Origin: "http://localhost:6274", "Access-Control-Request-Method": "POST", Host: MCP_HOST };
      const preflight = await fetch(server.url + path, { method: "OPTIONS", headers });
      assert.equal(preflight.status, 204);
      const permitted = preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(", ") ?? [];
      for (const name of wanted) assert.ok(permitted.includes(name.toLowerCase()), name);
      assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /POST.*DELETE/);
      const { headers: answered } = await post(path, { Origin: headers.Origin });
      assert.equal(answered.get("access-control-allow-origin"), "*");
      for (const name of ["Mcp-Session-Id", "WWW-Authenticate"])
        assert.ok(answered.get("access-control-expose-headers")?.includes(name), name);
    }
  });
});
