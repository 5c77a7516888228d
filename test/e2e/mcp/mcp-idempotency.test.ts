import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { newKey, repeatCalls, startRepeatServer } from "../support/api/idempotency.ts";
import { callTool, connectMcp, ERAS, type Era, type McpClient } from "../support/api/mcp.ts";

/** mcp, "Tools"; idempotency, "What a repeated request gets" and "Scope of a key". */
describe("idempotencyKey of service_upload", () => {
  let server: ServerWith<"owner">;
  let origin: Origin;
  before(async () => {
    origin = await startOrigin({
      "/report.txt": (_, response) => response.setHeader("Content-Type", "text/plain").end("from the web"),
      "/stalled": sendFile({ bytes: Buffer.alloc(1000), stallAfter: () => 600 }),
    });
    server = await withAccounts(startRepeatServer(), { owner: {} });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });

  const { send, rows } = repeatCalls(() => server);
  const connect = (era: Era, key?: string): Promise<McpClient> =>
    key === undefined ? connectMcp(server, { era, path: "/mcp/guest" }) : connectMcp(server, { era, key });

  for (const era of Object.keys(ERAS) as Era[])
    test(`uploads once in the form with ${era}, for each caller, and refuses another input`, async () => {
      const inputs = {
        bytes: { contentBase64: btoa("mine"), fileName: "mine.txt", protect: true },
        url: { url: `${origin.url}/report.txt` },
        job: { url: `${origin.url}/report.txt`, background: true, waitSeconds: 60 },
      };
      const other = await addAccount(server);
      await using member = await connect(era, server.owner.key);
      await using guest = await connect(era);
      await using stranger = await connect(era, other.key);
      for (const [name, input] of Object.entries(inputs)) {
        const idempotencyKey = newKey();
        for (const client of [member, guest, stranger]) {
          const before = await rows("files");
          const first = await callTool(client, "upload", { ...input, idempotencyKey });
          assert.equal(first.isError, false, first.text);
          const second = await callTool(client, "upload", { ...input, idempotencyKey });
          assert.deepEqual(second.data, { ...first.data, idempotent: true }, name);
          const reused = await callTool(client, "upload", { ...input, title: "Another", idempotencyKey });
          assert.equal(reused.data.errorCode, "IDEMPOTENCY_KEY_REUSED", reused.text);
          assert.equal((await rows("files")) - before, 1, name);
        }
      }
    });

  test("belongs to the session of a guest, so that another guest of the address gets nothing of the first", async () => {
    const input = { contentBase64: btoa("weekly"), fileName: "report.txt", protect: true, idempotencyKey: newKey() };
    await using one = await connect("a session");
    await using other = await connect("a session");
    const [first, second] = [await callTool(one, "upload", input), await callTool(other, "upload", input)];
    assert.equal(second.data.idempotent, undefined, second.text);
    for (const secret of ["claimToken", "deletionToken", "unlockCode", "handoffUrl"])
      assert.notEqual(second.data[secret], first.data[secret], secret);
    assert.deepEqual((await callTool(one, "upload", input)).data, { ...first.data, idempotent: true });
  });

  test("is the key of the HTTP request with the same input", async () => {
    await using member = await connect("no session", server.owner.key);
    const key = newKey();
    const json = { url: `${origin.url}/report.txt`, title: "Report" };
    const first = await callTool(member, "upload", { ...json, idempotencyKey: key });
    const { body } = await send("POST", "/api/files/remote-upload", key, { json });
    assert.equal(body.data.id, first.data.id);
    assert.equal(body.data.idempotent, true);
  });

  test("is refused while the first call runs, and usable after it has failed", async () => {
    await using first = await connect("no session", server.owner.key);
    await using second = await connect("no session", server.owner.key);
    const input = { url: `${origin.url}/stalled`, idempotencyKey: newKey() };
    const gone = new AbortController();
    const running = first.client.callTool({ name: "service_upload", arguments: input }, { signal: gone.signal }).catch(() => undefined);
    await until("the first call runs", () => origin.requests.some(({ path }) => path === "/stalled"));
    assert.equal((await callTool(second, "upload", input)).data.errorCode, "IDEMPOTENCY_IN_PROGRESS");
    gone.abort();
    await running;
    const failing = { url: `${origin.url}/missing`, idempotencyKey: newKey() };
    for (let count = 0; count < 2; count++) assert.equal((await callTool(second, "upload", failing)).data.errorCode, "REMOTE_REFUSED");
  });

  test("has 8 to 200 ASCII characters", async () => {
    await using member = await connect("no session", server.owner.key);
    for (const idempotencyKey of ["short", "x".repeat(201), "with a space", "schlüssel"]) {
      const { data } = await callTool(member, "upload", { url: `${origin.url}/report.txt`, idempotencyKey });
      assert.equal(data.errorCode, "VALIDATION_FAILED", idempotencyKey);
    }
  });
});
