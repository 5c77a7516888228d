import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts.ts";
import { callTool, connectMcp, readMessage, toolMessage } from "../support/mcp.ts";
import { sendRaw } from "../support/raw-http.ts";
import { changedRows, readRows } from "../support/rows.ts";

const NEW = toolMessage("no session", "list_files", {});
const OLD = toolMessage("a session", "list_files", {});
const { stringify } = JSON;

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
const OLD_HEADERS = { ...HEADERS, "Mcp-Protocol-Version": "2025-11-25" };
const NEW_HEADERS = { ...HEADERS, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "service_list_files" };

interface Message {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** 200 for an error of the protocol that has the status of a result. */
  readonly status: number;
  /** Code of the protocol's error; undefined for an error of filehost, which has `errorCode`. */
  readonly code?: number;
  readonly errorCode?: string;
}

const invalid = (body: Message["body"]): Message => ({ body, status: 400, errorCode: "VALIDATION_FAILED" });
const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(NEW_HEADERS).filter(([header]) => header !== name));

const MESSAGES: Readonly<Record<string, Message>> = {
  "no body": invalid(""),
  "invalid JSON": invalid("{"),
  "an invalid number": invalid('{"id":01}'),
  "invalid UTF-8": invalid(new Uint8Array([0x22, 0xff, 0xfe, 0x22])),
  "a list": invalid(stringify([OLD, OLD])),
  "an empty list": invalid("[]"),
  "deep nesting": { body: `{"jsonrpc":"2.0","id":1,"method":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, status: 400, code: -32600 },
  null: { body: "null", status: 400, code: -32600 },
  "a text": { body: '"tools/list"', status: 400, code: -32600 },
  "a number": { body: "1e400", status: 400, code: -32600 },
  "no version of JSON-RPC": { body: stringify({ ...OLD, jsonrpc: undefined }), status: 400, code: -32600 },
  "another version of JSON-RPC": { body: stringify({ ...OLD, jsonrpc: "1.0" }), status: 400, code: -32600 },
  "the ID null": { body: stringify({ ...OLD, id: null }), status: 400, code: -32600 },
  "an object as ID": { body: stringify({ ...OLD, id: {} }), status: 400, code: -32600 },
  "a fraction as ID": { body: stringify({ ...OLD, id: 1.5 }), status: 400, code: -32600 },
  "an unknown method": { body: stringify({ ...OLD, method: "files/steal" }), status: 200, code: -32601 },
  "the method __proto__": { body: stringify({ ...OLD, method: "__proto__" }), status: 200, code: -32601 },
  "no parameters": { body: stringify({ ...OLD, params: undefined }), status: 200, code: -32602 },
  "a number as the tool's name": { body: stringify({ ...OLD, params: { name: 7 } }), status: 200, code: -32602 },
  "another content type": { body: stringify(OLD), headers: { ...OLD_HEADERS, "Content-Type": "text/plain" }, status: 415, code: -32000 },
  "no content type": { body: stringify(OLD), headers: { Accept: HEADERS.Accept }, status: 415, code: -32000 },
  "no accepted JSON": { body: stringify(OLD), headers: { ...OLD_HEADERS, Accept: "text/html" }, status: 406, code: -32000 },
  "JSON refused": { body: stringify(OLD), headers: { ...OLD_HEADERS, Accept: "application/json;q=0" }, status: 406, code: -32000 },
  "an unknown version of the protocol": {
    ...{ body: stringify(OLD), headers: { ...OLD_HEADERS, "Mcp-Protocol-Version": "1999-01-01" } },
    ...{ status: 400, code: -32000 },
  },
  "no version header in the newer form": { body: stringify(NEW), headers: without("Mcp-Protocol-Version"), status: 400, code: -32020 },
  "no method header in the newer form": { body: stringify(NEW), headers: without("Mcp-Method"), status: 400, code: -32020 },
  "no name header in the newer form": { body: stringify(NEW), headers: without("Mcp-Name"), status: 400, code: -32020 },
  "another method in the header": {
    body: stringify(NEW),
    headers: { ...NEW_HEADERS, "Mcp-Method": "tools/list" },
    status: 400,
    code: -32020,
  },
  "another name in the header": {
    ...{ body: stringify(NEW), headers: { ...NEW_HEADERS, "Mcp-Name": "service_delete_file" } },
    ...{ status: 400, code: -32020 },
  },
  "the newer version in the header alone": { body: stringify(OLD), headers: NEW_HEADERS, status: 400, code: -32602 },
  "a body of 7 MB": { body: stringify({ ...OLD, params: { name: "a".repeat(7 * 2 ** 20) } }), status: 413, errorCode: "BODY_TOO_LARGE" },
};

/** mcp, "The endpoint": what is no message of the protocol has a specified answer, and leaves nothing behind. */
describe("a message of MCP", () => {
  let server: TestServer;
  let key: string;
  before(async () => {
    server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off" } });
    ({ key } = await addAccount(server));
  });
  after(async () => {
    const errors = server.logs().filter(({ level }) => level === "error" || Number(level) >= 50);
    await server[Symbol.asyncDispose]();
    assert.deepEqual(errors, []);
  });

  const listsFiles = async (): Promise<void> => {
    await using member = await connectMcp(server, { era: "no session", key });
    assert.equal((await callTool(member, "list_files")).isError, false);
  };

  for (const [name, { body, headers = OLD_HEADERS, status, code, errorCode }] of Object.entries(MESSAGES))
    for (const path of ["/mcp", "/mcp/guest"])
      test(`with ${name} is refused at ${path}`, async () => {
        const before = await readRows(server);
        const response = await fetch(server.url + path, {
          method: "POST",
          headers: { ...headers, ...(path === "/mcp" && { Authorization: `Bearer ${key}` }) },
          body,
        });
        const text = await response.text();
        assert.equal(response.status, status, text);
        const answer = readMessage(text);
        assert.deepEqual([answer.error?.code, answer.errorCode], code === undefined ? [undefined, errorCode] : [code, undefined], text);
        assert.deepEqual(changedRows(before, await readRows(server)), []);
      });

  test("may have a huge ID, which is returned, and a text as ID", async () => {
    for (const id of [Number.MAX_SAFE_INTEGER, "a".repeat(100_000), "\u0000", "__proto__"]) {
      const response = await fetch(`${server.url}/mcp`, {
        method: "POST",
        headers: { ...OLD_HEADERS, Authorization: `Bearer ${key}` },
        body: stringify({ ...OLD, id }),
      });
      assert.equal(readMessage(await response.text()).id, id);
    }
  });

  test("is refused after 15 seconds if it is incomplete, or forgotten with its connection", async () => {
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
    const cut = await sendRaw(server, [head], { cutAfter: listsFiles });
    assert.equal(cut.status, 0);
    const slow = await sendRaw(server, [head]);
    assert.equal(slow.status, 408, slow.text);
    assert.match(slow.text, /REQUEST_TIMEOUT/);
    await listsFiles();
  });
});
