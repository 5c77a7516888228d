import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { makeFolder } from "../../support/folder.ts";
import { longSkipped } from "../../support/long.ts";
import { nginxMissing, startNginx, type TestNginx } from "../../support/services/nginx.ts";
import { type Origin, startOrigin } from "../../support/services/origin-server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { callTool, connectMcp, postMessage, toolMessage } from "../support/api/mcp.ts";
import { documentedConfiguration } from "../support/documents/documented-nginx.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import { atServer } from "../support/uploads/transfers.ts";

const ERA = "a session";
const PATH = "/mcp/guest";
const BYTES = "the report, of which one half arrives later";

/** mcp, "Sessions" and "Responses", with several servers, and docs/deploy.md, "Several servers". */
describeUnless(nginxMissing ?? longSkipped, "MCP at three server instances", () => {
  let instances: ServerInstances;
  let origin: Origin;
  let stalled: ServerResponse | undefined;
  before(async () => {
    origin = await startOrigin({
      "/report.txt": (_, response) => {
        response.writeHead(200, { "content-length": BYTES.length }).write(BYTES.slice(0, 10));
        stalled = response;
      },
    });
    const env = {
      FILEHOST_SCANNER: "off",
      FILEHOST_MIN_FREE: "0",
      FILEHOST_TRUSTED_PROXIES: "127.0.0.1/32",
      FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    };
    instances = await startServerInstances({ count: 3, env });
  });
  after(async () => {
    await instances?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });

  test("a guest's session is opened at one, registers at the second, continues at the third, and ends at all", async () => {
    const initialize = {
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    };
    const opened = await postMessage(instances.instance(0), { era: ERA, path: PATH, message: initialize });
    const headers = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
    await opened.body?.cancel();
    const callAt = async (index: number, name: string, args: object): Promise<string> => {
      const response = await postMessage(instances.instance(index), {
        era: ERA,
        path: PATH,
        headers,
        message: toolMessage(ERA, name, args),
      });
      return await response.text();
    };
    assert.match(await callAt(1, "list_files", {}), /"isError":true/);
    assert.match(await callAt(1, "register_agent", {}), /You are registered: this session acts as your account/);
    assert.match(await callAt(2, "upload", { contentBase64: btoa("mine"), fileName: "mine.txt" }), /"isAnonymous":false/);
    assert.match(await callAt(0, "list_files", {}), /mine\.txt/);
    assert.equal((await fetch(instances.instance(1).url + PATH, { method: "DELETE", headers })).status, 204);
    for (const index of [0, 1, 2]) assert.match(await callAt(index, "list_files", {}), /session has ended/);
  });

  describe("behind nginx, configured as documented", () => {
    let nginx: TestNginx;
    before(async () => {
      nginx = await startNginx(await documentedConfiguration(instances));
    });
    after(async () => await nginx?.[Symbol.asyncDispose]());

    test("a guest registers, uploads with the returned command, protects, and downloads", async () => {
      await using folder = await makeFolder();
      await using guest = await connectMcp(nginx, { era: ERA, path: PATH });
      assert.equal((await callTool(guest, "register_agent")).isError, false);
      const delegation = await callTool(guest, "create_upload_delegation", { name: "report.txt" });
      const [, command = ""] = delegation.text.split("\n");
      const path = join(folder.path, "report.txt");
      await writeFile(path, BYTES);
      // The public name is no name of this machine.
      await writeFile(join(folder.path, ".curlrc"), `connect-to = "::${new URL(nginx.url).host}"\n`);
      const env = { ...process.env, CURL_HOME: folder.path };
      const { stdout } = await promisify(execFile)("sh", ["-c", command.replace("FILE", path)], { env });
      const { data: uploaded } = JSON.parse(stdout) as { data: { id: string; shortId: string } };
      const { data } = await callTool(guest, "update_share_settings", { shortId: uploaded.shortId, protect: true });
      assert.match(String(data.unlockCode), /^\w{6}$/);
      const download = await callTool(guest, "get_download_url", { fileId: uploaded.id, unlockCode: data.unlockCode });
      assert.equal(await (await fetch(atServer(nginx, String(download.data.url)))).text(), BYTES);
    });

    for (const { name, change } of [
      { name: "as documented", change: (text: string) => text },
      { name: "that buffers responses", change: (text: string) => text.replace("proxy_buffering off;", "") },
    ])
      test(`progress passes an nginx ${name} while the tool runs`, async () => {
        await using proxy = await startNginx(change(await documentedConfiguration(instances)));
        await using guest = await connectMcp(proxy, { era: ERA, path: PATH });
        stalled = undefined;
        const heard: number[] = [];
        const upload = guest.client.callTool(
          { name: "service_upload", arguments: { url: `${origin.url}/report.txt`, background: true, waitSeconds: 60 } },
          { onprogress: ({ progress }) => void heard.push(progress) },
        );
        await until("progress arrives before the end of the file", () => heard.length > 0);
        (await until("the file is fetched", () => stalled)).end(BYTES.slice(10));
        const { structuredContent } = await upload;
        assert.equal((structuredContent as { status?: string }).status, "completed");
      });

    test("a session continues after one instance was killed", async () => {
      await using guest = await connectMcp(nginx, { era: ERA, path: PATH });
      await instances.instance(0).kill("SIGKILL");
      for (let count = 0; count < 6; count++) assert.ok((await guest.client.listTools()).tools.length > 0);
    });
  });
});
