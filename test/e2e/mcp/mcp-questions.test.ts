import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { clientOf } from "../support/api/api.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { type ProtectedUpload, uploadProtected } from "../support/pages/pages.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: { name: "test", version: "1" } },
};

type Headers = Readonly<Record<string, string>>;

/** mcp, "Unlock codes". */
describe("a question of MCP on two servers with one database", () => {
  let servers: ServerInstances;
  let file: ProtectedUpload;
  before(async () => {
    servers = await startServerInstances({
      count: 2,
      database: "file",
      env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0", FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }) },
    });
    file = await uploadProtected(servers.instance(0), { bytes: "the secret" });
  });
  after(() => servers?.[Symbol.asyncDispose]());

  const signUp = async (): Promise<string> => {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada" };
    return (await clientOf(servers.instance(0)).call("signUp", person)).data.sessionToken;
  };
  const post = (instance: 0 | 1, message: object, headers: Headers, signal?: AbortSignal): Promise<Response> =>
    fetch(`${servers.instance(instance).url}/mcp`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      ...(signal && { signal }),
    });
  const initialize = async (): Promise<Headers> => {
    const headers = { Authorization: `Bearer ${await signUp()}` };
    const response = await post(0, INITIALIZE, headers);
    await response.text();
    return { ...headers, "Mcp-Session-Id": response.headers.get("mcp-session-id") ?? "" };
  };
  /** Calls the tool at the first server. Resolves to the ID of its question, and to the rest of the stream. */
  const ask = async (headers: Headers, signal?: AbortSignal) => {
    const params = { name: "service_get_download_url", arguments: { fileId: file.id } };
    const { body } = await post(0, { id: "the call", method: "tools/call", params }, headers, signal);
    assert.ok(body);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const read = async (pattern: RegExp): Promise<string> => {
      for (let text = ""; ; ) {
        const { done, value } = await reader.read();
        text += value ?? "";
        const [, found] = pattern.exec(text) ?? [];
        if (found !== undefined) return found;
        assert.ok(!done, text);
      }
    };
    return { id: await read(/"id":"(ask-[^"]+)"/), read };
  };
  const rows = () => servers.withDatabase((db) => db.selectFrom("mcp_questions").selectAll().execute());
  const answerWith = (id: string, unlockCode: string) => ({ id, result: { action: "accept", content: { unlockCode } } });

  test("gets its answer only from its own client, at any server, once, and is stored encrypted until then", async () => {
    const headers = await initialize();
    const { id, read } = await ask(headers);
    const others: readonly Headers[] = [
      await initialize(),
      { ...headers, "Mcp-Session-Id": "another.asks" },
      { ...headers, Authorization: `Bearer ${await signUp()}` },
    ];
    for (const other of others) assert.equal((await post(1, answerWith(id, "AAAAAA"), other)).status, 202);
    assert.equal((await post(1, answerWith("ask-unknown", "AAAAAA"), headers)).status, 202);
    const request = await post(1, { id: "ask-me", method: "tools/list" }, headers);
    assert.match(await request.text(), /"id":"ask-me".*service_upload|service_upload.*"id":"ask-me"/s);
    assert.deepEqual(
      (await rows()).map(({ answer }) => answer),
      [null],
    );
    for (const code of [file.unlockCode, "AAAAAA"]) assert.equal((await post(1, answerWith(id, code), headers)).status, 202);
    assert.doesNotMatch(JSON.stringify(await rows()), new RegExp(`${file.unlockCode}|${headers["Mcp-Session-Id"]}`));
    const url = await read(/"url":"([^"]+)"/);
    assert.equal(await (await fetch(servers.at(1, url))).text(), "the secret");
    assert.deepEqual(await rows(), []);
  });

  test("ends when its client disconnects or cancels the call, or answers with an error", async () => {
    const headers = await initialize();
    const gone = new AbortController();
    await ask(headers, gone.signal);
    gone.abort();
    await until("the question is closed", async () => (await rows()).length === 0);
    await ask(headers);
    await post(1, { method: "notifications/cancelled", params: { requestId: "the call" } }, headers);
    await until("the question is closed", async () => (await rows()).length === 0);
    const another = await initialize();
    const { id, read } = await ask(another);
    await post(1, { id, error: { code: -32601, message: "no" } }, another);
    assert.equal(await read(/\((UNLOCK_\w+)\)/), "UNLOCK_REQUIRED");
  });

  test("can be asked of a guest with the key of its session", async () => {
    const questions: string[] = [];
    await using guest = await connectMcp(servers.instance(0), {
      era: "a session",
      path: "/mcp/guest",
      capabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", ({ params }) => {
          questions.push(params.message);
          return { action: "accept", content: { unlockCode: file.unlockCode } };
        }),
    });
    assert.equal((await callTool(guest, "register_agent")).isError, false);
    const { text } = await callTool(guest, "get_download_url", { fileId: file.id });
    assert.match(text, /^Download the bytes/);
    assert.equal(questions.length, 1);
  });
});
