import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { GUEST_TOOLS, TOOLS } from "../../../src/mcp/tools.ts";
import { makeFolder } from "../../support/folder.ts";
import { startServer, type TestServer, toCommand } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { callTool, ERAS, type Era } from "../support/api/mcp.ts";
import { connectStdio } from "../support/api/mcp-stdio.ts";

/** mcp, "On your own machine", and command line, "A filehost elsewhere". */
describe("filehost mcp", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      env: { FILEHOST_SCANNER: "off", FILEHOST_LIMITS: JSON.stringify({ rates: { registrations: 100, challenges: 100 } }) },
    });
  });
  after(async () => await server?.[Symbol.asyncDispose]());

  for (const era of Object.keys(ERAS) as Era[])
    describe(`a client with ${era}`, () => {
      test("has all tools with a key, which act as its account", async () => {
        const { key } = await addAccount(server);
        await using agent = await connectStdio(server, { era, key });
        assert.equal(agent.client.getNegotiatedProtocolVersion(), ERAS[era]);
        assert.equal((await agent.client.listTools()).tools.length, TOOLS.length);
        const uploaded = await callTool(agent, "upload", { contentBase64: btoa("hello"), fileName: "a.txt" });
        assert.equal(uploaded.data.isAnonymous, false, uploaded.text);
        const listed = await callTool(agent, "list_files");
        assert.match(JSON.stringify(listed.data), new RegExp(String(uploaded.data.id)));
        const { data } = await callTool(agent, "get_download_url", { fileId: uploaded.data.id });
        assert.equal(await (await fetch(String(data.url))).text(), "hello");
        const deleted = await callTool(agent, "delete_file", { fileId: uploaded.data.id });
        assert.equal(deleted.isError, false, deleted.text);
      });

      test("reports errors like the server", async () => {
        const { key } = await addAccount(server);
        await using agent = await connectStdio(server, { era, key });
        const missing = await callTool(agent, "delete_file", { fileId: "0000000000000000" });
        assert.equal(missing.isError, true);
        assert.equal(missing.data.errorCode, "NOT_FOUND");
        const invalid = await callTool(agent, "get_download_url", {});
        assert.equal(invalid.data.errorCode, "VALIDATION_FAILED");
        assert.match(JSON.stringify(invalid.data.issues), /fileId/);
        await using stranger = await connectStdio(server, { era, key: "bc_wrong" });
        const refused = await callTool(stranger, "list_files");
        assert.equal(refused.data.errorCode, "UNAUTHENTICATED");
      });

      test("serves a guest with the tools for guests, registers it, and then has all tools as the agent", async () => {
        let changes = 0;
        await using guest = await connectStdio(server, {
          era,
          prepare: (client) => client.setNotificationHandler("notifications/tools/list_changed", () => void changes++),
        });
        if (era === "no session") await guest.client.listen({ toolsListChanged: true });
        assert.equal((await guest.client.listTools()).tools.length, GUEST_TOOLS.length);
        const anonymous = await callTool(guest, "upload", { contentBase64: btoa("hello"), fileName: "a.txt" });
        assert.ok(anonymous.data.claimToken);
        const registered = await callTool(guest, "register_agent", { label: "helper" });
        assert.equal(registered.isError, false, registered.text);
        assert.match(registered.text, /until this MCP server ends/);
        assert.doesNotMatch(JSON.stringify(registered), /"key"|bc_\w{8}_/);
        await until("the client is told", () => changes === 1);
        assert.equal((await guest.client.listTools()).tools.length, TOOLS.length);
        const claimed = await callTool(guest, "claim_file", { fileId: anonymous.data.id, claimToken: anonymous.data.claimToken });
        assert.equal(claimed.isError, false, claimed.text);
        assert.equal((await callTool(guest, "register_agent")).data.errorCode, "CONFLICT");
        assert.equal(guest.stderr().includes("bc_"), false);
      });
    });

  test("reports a server that cannot be reached, is no filehost, or redirects", async () => {
    const cases = [
      ["http://127.0.0.1:1", /No response from the server at http:\/\/127\.0\.0\.1:1/],
      [`${server.url}/d/none`, /is not a filehost/],
    ] as const;
    for (const [url, expected] of cases) {
      await using agent = await connectStdio({ url }, { era: "a session", key: "bc_some" });
      const { data, text } = await callTool(agent, "list_files");
      assert.equal(data.errorCode, "UNAVAILABLE", text);
      assert.match(text, expected);
    }
  });

  /** Runs the command without a client. */
  function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const [command = "", ...rest] = toCommand("binary");
    const child = spawn(command, [...rest, "mcp", ...args], { env: { PATH: process.env.PATH, ...env } });
    const ended = once(child, "close").then(([code]) => code as number | null);
    return { child, ended, stdout: text(child.stdout), stderr: text(child.stderr) };
  }

  test("ends with its input, and with SIGTERM, and writes only messages to its output", async () => {
    const closed = run(["--url", server.url]);
    closed.child.stdin.end("no message\n");
    assert.equal(await closed.ended, 0);
    assert.equal(await closed.stdout, "");
    const stopped = run(["--url", server.url]);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    stopped.child.stdin.write(`${JSON.stringify(message)}\n`);
    const [first] = (await once(stopped.child.stdout, "data")) as [Buffer];
    assert.match(first.toString(), /^\{"/);
    stopped.child.kill("SIGTERM");
    assert.equal(await stopped.ended, 0);
  });

  test("reads the key from a file, and refuses wrong options", async () => {
    await using dir = await makeFolder();
    const { key } = await addAccount(server);
    const path = join(dir.path, "key");
    await writeFile(path, `${key}\n`);
    await using agent = await connectStdio(server, { era: "a session", args: ["--key-file", path] });
    assert.equal((await callTool(agent, "list_files")).isError, false);
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [[], 2, /requires a server: sign in/],
      [["--url", "files.example.org"], 2, /not the address of a filehost/],
      [["--url", "https://a:b@files.example.org"], 2, /name or a password/],
      [["--url", server.url, "--key-file", join(dir.path, "missing")], 4, /cannot be read \(ENOENT\)/],
      [["--url", server.url, "--key", "bc_x"], 2, /no option --key/],
    ];
    for (const [args, code, expected] of cases) {
      const { child, ended, stdout, stderr } = run(args);
      child.stdin.end();
      assert.equal(await ended, code);
      assert.match(await stderr, expected);
      assert.equal(await stdout, "");
    }
    const help = run(["--help"]);
    assert.match(await help.stdout, /"mcpServers"/);
  });
});
