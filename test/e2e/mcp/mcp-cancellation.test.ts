import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { clientOf } from "../support/api/api.ts";
import { callTool, connectMcp, type McpClient } from "../support/api/mcp.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";

/** mcp, "Cancelling". */
describe("cancelling a call of a client with a session", () => {
  let servers: ServerInstances;
  let origin: Origin;
  before(async () => {
    origin = await startOrigin({ "/stalled": sendFile({ bytes: Buffer.alloc(1000), stallAfter: () => 600 }) });
    servers = await startServerInstances({
      count: 2,
      database: "file",
      env: {
        FILEHOST_SCANNER: "off",
        FILEHOST_MIN_FREE: "0",
        FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
        FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }),
      },
    });
  });
  after(async () => {
    await servers?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });

  /** Resolves to the token of the new account's session. */
  const signUp = async (): Promise<string> => {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada" };
    return (await clientOf(servers.instance(0)).call("signUp", person)).data.sessionToken;
  };
  const post = (instance: 0 | 1, message: object, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${servers.instance(instance).url}/mcp`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const startImport = async (client: McpClient): Promise<Record<string, unknown>> => {
    const { data, text } = await callTool(client, "upload", { url: `${origin.url}/stalled`, background: true });
    assert.ok(data.jobId, text);
    return { jobId: data.jobId, jobSecret: data.jobSecret, waitSeconds: 600 };
  };

  test("ends all calls of the client, also if it has the maximum number, and none of another client", async () => {
    const key = await signUp();
    const connect = () => connectMcp(servers.instance(0), { era: "a session", key });
    await using client = await connect();
    await using other = await connect();
    assert.match(client.transport.sessionId ?? "", /^[\w-]{43,}$/);
    assert.notEqual(client.transport.sessionId, other.transport.sessionId);
    const wait = { name: "service_upload_status", arguments: await startImport(client) };
    const cancelled = new AbortController();
    const waits = Array.from({ length: 9 }, () => client.client.callTool(wait, { signal: cancelled.signal }).catch(() => undefined));
    const stopped = new AbortController();
    let isOtherDone = false;
    const otherWait = other.client.callTool(wait, { signal: stopped.signal }).finally(() => {
      isOtherDone = true;
    });
    otherWait.catch(() => undefined);
    const isFull = async (): Promise<boolean> => (await callTool(client, "search_tools").catch(() => undefined)) === undefined;
    await until("the slots are used up", isFull);
    cancelled.abort();
    await Promise.all(waits);
    await until("the slots are free again", async () => !(await isFull()));
    assert.equal(isOtherDone, false);
    stopped.abort();
    await assert.rejects(otherWait);
  });

  test("works on another server than the one that gets the cancellation, which names its client", async () => {
    const key = await signUp();
    await using client = await connectMcp(servers.instance(0), { era: "a session", key });
    const headers = { Authorization: `Bearer ${key}`, "Mcp-Session-Id": client.transport.sessionId ?? "" };
    const params = { name: "service_upload_status", arguments: await startImport(client) };
    const response = await post(0, { id: "the call", method: "tools/call", params }, headers);
    const body = response.text();
    const cancel = (requestId: unknown, sent = headers) => post(1, { method: "notifications/cancelled", params: { requestId } }, sent);
    for (const [requestId, sent] of [
      ["another call", headers],
      ["the call", { ...headers, "Mcp-Session-Id": "another" }],
      ["the call", { ...headers, Authorization: `Bearer ${await signUp()}` }],
    ] as const)
      assert.equal((await cancel(requestId, sent)).status, 202);
    const { promise: pending, resolve } = Promise.withResolvers<string>();
    setImmediate(resolve, "pending");
    assert.equal(await Promise.race([body, pending]), "pending");
    assert.equal((await cancel("the call")).status, 202);
    assert.doesNotMatch(await body, /"result"|"error"/);
    const rows = await servers.withDatabase((db) => db.selectFrom("mcp_cancellations").selectAll().execute());
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(headers["Mcp-Session-Id"]));
    // Cancellations of a quarter of an hour ago are no longer needed.
    await servers.withDatabase((db) => db.updateTable("mcp_cancellations").set({ cancelled_at: 1 }).execute());
    await cancel("one more");
    const left = await servers.withDatabase((db) => db.selectFrom("mcp_cancellations").select("request_id").execute());
    assert.deepEqual(left, [{ request_id: '"one more"' }]);
  });

  test("works for a guest's session, and is ignored without a session", async () => {
    const connect = () => connectMcp(servers.instance(1), { era: "a session", path: "/mcp/guest" });
    await using guest = await connect();
    const wait = { name: "service_upload_status", arguments: await startImport(guest) };
    const cancelled = new AbortController();
    const waits = Array.from({ length: 10 }, () => guest.client.callTool(wait, { signal: cancelled.signal }).catch(() => undefined));
    const isFull = async (): Promise<boolean> => (await callTool(guest, "search_tools").catch(() => undefined)) === undefined;
    await until("the slots are used up", isFull);
    cancelled.abort();
    await Promise.all(waits);
    await until("the slots are free again", async () => !(await isFull()));
    const key = await signUp();
    const ignored = await post(1, { method: "notifications/cancelled", params: { requestId: 1 } }, { Authorization: `Bearer ${key}` });
    assert.equal(ignored.status, 202);
  });
});
