import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { startSession } from "../support/api/callers.ts";
import { callTool, connectMcp, ERAS, type Era } from "../support/api/mcp.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const SITE = "https://files.example.org";
const HTML = "text/html,application/xhtml+xml,*/*;q=0.8";

/** pages, "The page of MCP". */
describe("the page of MCP", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_URL: SITE });
  });
  after(() => server?.[Symbol.asyncDispose]());

  const open = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Response> =>
    fetch(server.url + path, { method, redirect: "manual", headers: { Accept: HTML, ...headers } });
  const read = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await open(path, headers);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    return toText(await response.text());
  };

  test("is shown only to browsers: a GET of other clients is 405, as the protocol says", async () => {
    for (const path of ["/mcp", "/mcp/guest"]) {
      assert.equal((await open(path)).status, 200);
      const head = await open(path, {}, "HEAD");
      assert.deepEqual([head.status, await head.text()], [200, ""]);
      for (const accept of ["text/event-stream", "application/json", "*/*", "text/html, text/event-stream"])
        for (const method of ["GET", "HEAD"]) {
          const { status, headers } = await open(path, { Accept: accept }, method);
          assert.equal(status, 405, `${method} ${path} ${accept}`);
          assert.doesNotMatch(headers.get("allow") ?? "", /GET|HEAD/);
        }
    }
  });

  test("redirects an address with a trailing slash to the address without, for browsers and clients", async () => {
    for (const path of ["/mcp", "/mcp/guest"]) {
      const { status, headers } = await open(`${path}/?lang=de`);
      assert.deepEqual([status, headers.get("location")], [308, `${path}?lang=de`]);
    }
    const { key } = await addAccount(server);
    for (const era of Object.keys(ERAS) as Era[]) {
      await using member = await connectMcp(server, { era, path: "/mcp/", key });
      assert.equal((await callTool(member, "list_files")).isError, false);
    }
  });

  test("has the documented form of each program with the exact address, with an account and without", async () => {
    for (const path of ["/mcp", "/mcp/guest"]) {
      const address = SITE + path;
      const html = await read(path);
      assert.equal(codeOf(html, "address"), address);
      const named = { mcpServers: { filehost: { url: address } } };
      assert.equal(codeOf(html, "claudeCode-1"), `claude mcp add --transport http filehost ${address}`);
      assert.deepEqual(JSON.parse(codeOf(html, "cursor-1")), named);
      assert.deepEqual(JSON.parse(/^code --add-mcp '(.*)'$/.exec(codeOf(html, "vscode-1"))?.[1] ?? ""), {
        name: "filehost",
        type: "http",
        url: address,
      });
      assert.equal(codeOf(html, "codex-1"), `codex mcp add filehost --url ${address}`);
      assert.equal(codeOf(html, "codex-2"), `[mcp_servers.filehost]\nurl = "${address}"`);
      assert.equal(codeOf(html, "gemini-1"), `gemini mcp add --scope user --transport http filehost ${address}`);
      const cursor = new URL(/href="(cursor:[^"]+)"/.exec(html)?.[1] ?? "");
      assert.equal(`${cursor.host}${cursor.pathname}`, "anysphere.cursor-deeplink/mcp/install");
      assert.equal(cursor.searchParams.get("name"), "filehost");
      assert.deepEqual(JSON.parse(atob(cursor.searchParams.get("config") ?? "")), { url: address });
      const vscode = /href="vscode:mcp\/install\?([^"]+)"/.exec(html)?.[1] ?? "";
      assert.deepEqual(JSON.parse(decodeURIComponent(vscode)), { name: "filehost", type: "http", url: address });
      assert.equal(/id="key-1"/.test(html), path === "/mcp");
      const key = path === "/mcp" ? "--env FILEHOST_KEY=bc_... " : "";
      assert.equal(codeOf(html, "local-1"), `claude mcp add filehost ${key}-- filehost mcp --url ${SITE} --allow ~/Shared`);
      const { filehost } = (JSON.parse(codeOf(html, "local-2")) as { mcpServers: { filehost: { args: string[]; env?: object } } })
        .mcpServers;
      assert.deepEqual(filehost.args, ["mcp", "--url", SITE, "--allow", "/home/ada/Shared"]);
      assert.equal(filehost.env !== undefined, path === "/mcp");
    }
  });

  test("names the limits of guests, or says that they need a key", async () => {
    assert.match(await read("/mcp/guest"), /Files have up to 1\sGB and expire after 3\sdays/);
    await using closed = await startPlainServer({ FILEHOST_ANONYMOUS: "off" });
    const html = await (await fetch(`${closed.url}/mcp/guest`, { headers: { Accept: HTML } })).text();
    assert.match(html, /Uploads need a key here/);
    assert.doesNotMatch(html, /Files have up to/);
  });

  test("is in three languages, and the links to the others lead to it", async () => {
    for (const [language, title] of Object.entries({
      en: "Connect your assistant",
      de: "Assistenten verbinden",
      fr: "Connecter votre assistant",
    }))
      for (const path of ["/mcp", "/mcp/guest"]) assert.match(await read(`${path}?lang=${language}`), new RegExp(`<h1>${title}</h1>`));
  });

  test("is linked from the front page, the reference, llms.txt and the keys of an account", async () => {
    for (const path of ["/", "/docs"]) assert.match(await read(path), /href="\/mcp"/, path);
    assert.match(await (await open("/llms.txt")).text(), new RegExp(`${SITE}/mcp `));
    const signedIn = { Cookie: `__Host-session=${await startSession(server, await addAccount(server))}` };
    assert.match(await read("/settings/keys", signedIn), /href="\/mcp"/);
    assert.match(await read("/settings/security", signedIn), /href="\/mcp"/);
    assert.match(await read("/mcp", signedIn), /href="\/settings\/security#applications"/);
  });

  test("redirects from another host name of MCP to the site, which names that address", async () => {
    await using split = await startPlainServer({ FILEHOST_URL: SITE, FILEHOST_MCP_URL: "https://mcp.example.org" });
    const ask = (path: string, host: string): Promise<Response> =>
      fetch(split.url + path, { redirect: "manual", headers: { Accept: HTML, Host: host } });
    const redirected = await ask("/mcp/guest?lang=de", "mcp.example.org");
    assert.deepEqual([redirected.status, redirected.headers.get("location")], [302, `${SITE}/mcp/guest?lang=de`]);
    for (const host of ["files.example.org", "127.0.0.1"]) {
      const html = toText(await (await ask("/mcp", host)).text());
      assert.equal(codeOf(html, "address"), "https://mcp.example.org/mcp");
    }
  });
});

const toText = (html: string): string => html.replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** The text to copy with this ID. */
const codeOf = (html: string, id: string): string => new RegExp(`<code id="${id}"[^>]*>([^<]*)</code>`).exec(html)?.[1] ?? "";
