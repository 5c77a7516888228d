import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { test } from "node:test";
import { reservePorts } from "../support/free-ports.ts";
import { startServer } from "../support/server.ts";
import { assertResult, consult } from "./support.ts";

/** mcp, "Pages of other sites"; command line, "Commands" (doctor). */
test("the doctor warns of a proxy that changes the host name, and of an MCP address that leads elsewhere", async () => {
  const [port = 0, proxyPort = 0] = await reservePorts(2);
  const url = `http://localhost:${proxyPort}`;
  const settings = { FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_URL: url, FILEHOST_MIN_FREE: "1MB" };
  await using server = await startServer({ env: { FILEHOST_SCANNER: "off", ...settings } });
  let host = "filehost:8080";
  const proxy = createServer((incoming, response) => {
    const headers = { ...incoming.headers, host };
    const forwarded = request({ host: "127.0.0.1", port, method: incoming.method, path: incoming.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(proxyPort, "127.0.0.1", resolve));
  try {
    const ask = async (env: Readonly<Record<string, string>> = {}) =>
      (await consult("/", { FILEHOST_DATA: server.dataDir, ...settings, ...env })).find("MCP");
    assertResult(await ask(), "warn", /changes the request's host name/, /proxy_set_header Host/);
    const refused = await fetch(`${url}/mcp`, { method: "POST" });
    assert.match(await refused.text(), /names the host \\"filehost\\"\. A proxy must pass the header Host on/);
    host = `localhost:${proxyPort}`;
    assertResult(await ask(), "ok", /asks clients to sign in/);
    assertResult(await ask({ FILEHOST_MCP_URL: "http://localhost:9" }), "warn", /does not lead to filehost/, /FILEHOST_MCP_URL/);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
