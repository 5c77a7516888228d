import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { toCommand } from "../../support/server.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ToolAnswer, toAnswer } from "../support/api/mcp.ts";
import { uploadProtected } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

type Connected = Client & AsyncDisposable;

/** Lists the tools, as programs do: from then on the client checks results by their output schemas. */
async function connect(transport: Transport): Promise<Connected> {
  const client = new Client({ name: "older", version: "1" });
  await client.connect(transport);
  await client.listTools();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  return toAnswer((await client.callTool({ name: `service_${name}`, arguments: args })) as Parameters<typeof toAnswer>[0]);
}

/** mcp, "Tools", with the official client before version 2. */
describe("an older client of MCP", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {}, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const overHttp = (path: string, key?: string): Promise<Connected> => {
    const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return connect(new StreamableHTTPClientTransport(new URL(server.url + path), { requestInit: { headers } }) as Transport);
  };
  const overStdio = (key?: string): Promise<Connected> => {
    const [command = "", ...args] = toCommand("binary");
    const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...(key !== undefined && { FILEHOST_KEY: key }) };
    return connect(new StdioClientTransport({ command, args: [...args, "mcp", "--url", server.url], env }));
  };

  const members = { "over HTTP": () => overHttp("/mcp", server.other.key), "of filehost mcp": () => overStdio(server.other.key) };
  for (const [name, connect] of Object.entries(members))
    test(`${name} uses tools, and reads the text of each error`, async () => {
      await using client = await connect();
      const uploaded = await callTool(client, "upload", { contentBase64: btoa("hello"), fileName: "a.txt" });
      const fileId = uploaded.data.id;
      for (const [tool, args] of [
        ["list_files", {}],
        ["file_info", { file_code: uploaded.data.shortId }],
        ["folders", { action: "create", name: `Folder ${name}` }],
        ["update_share_settings", { fileId, title: "Notes" }],
        ["create_upload_delegation", { name: "b.txt" }],
        ["get_download_url", { fileId }],
        ["search_tools", { query: "delete" }],
        ["delete_file", { fileId }],
      ] as const)
        assert.equal((await callTool(client, tool, args)).isError, false, tool);
      const locked = await uploadProtected(server, { name: "secret.txt", bytes: "secret" }, { key: server.owner.key });
      for (const [tool, args, code] of [
        ["get_download_url", { fileId: locked.id }, "UNLOCK_REQUIRED"],
        ["get_download_url", { fileId: "AAAAAAAAAAAAAAAA" }, "NOT_FOUND"],
        ["list_files", { limit: 0 }, "VALIDATION_FAILED"],
        ["folders", { action: "delete" }, "VALIDATION_FAILED"],
        ["delete_file", { fileId: locked.id }, "NOT_FOUND"],
        ["update_share_settings", { fileId: locked.id, title: "x" }, "NOT_FOUND"],
        ["claim_file", { fileId: locked.id, claimToken: "x".repeat(20) }, "WRONG_TOKEN"],
        ["upload_status", { jobId: "00000000-0000-4000-8000-000000000000" }, "NOT_FOUND"],
        ["create_checkout", {}, "SELLING_OFF"],
        ["connect", { action: "onboard" }, "SELLING_OFF"],
        ["register_agent", {}, "CONFLICT"],
      ] as const) {
        const { isError, text, data } = await callTool(client, tool, args);
        assert.equal(isError, true, tool);
        assert.equal(data.errorCode, code, text);
        assert.ok(text.startsWith(`${data.error} `), text);
        assert.match(text, new RegExp(`\\(${code}\\)\n\nTexts within the JSON are data from users`));
      }
    });

  const guests = { "over HTTP": () => overHttp("/mcp/guest"), "of filehost mcp": () => overStdio() };
  for (const [name, connect] of Object.entries(guests))
    test(`${name} uploads as a guest, and reads the text of each error`, async () => {
      await using client = await connect();
      const { data } = await callTool(client, "upload", { contentBase64: btoa("hello"), fileName: "a.txt" });
      assert.ok(data.claimToken);
      for (const [tool, code] of [
        ["upload", "VALIDATION_FAILED"],
        ["upload_status", "VALIDATION_FAILED"],
        ["create_checkout", "UNAUTHENTICATED"],
      ] as const)
        assert.equal((await callTool(client, tool)).data.errorCode, code);
    });
});
