import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { ERAS, type Era, postMessage, toolMessage } from "../support/api/mcp.ts";

/** mcp, "Responses". */
describe("a response of MCP", () => {
  let server: TestServer;
  let origin: Origin;
  let key: string;
  before(async () => {
    origin = await startOrigin({ "/stalled": sendFile({ bytes: Buffer.alloc(1000), stallAfter: () => 600 }) });
    server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" } });
    ({ key } = await addAccount(server));
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });

  for (const era of Object.keys(ERAS) as Era[])
    describe(`to a client with ${era}`, () => {
      const send = (name: string, args: object, progressToken?: number): Promise<Response> =>
        postMessage(server, { era, key, message: toolMessage(era, name, args, progressToken) });

      test("is JSON", async () => {
        const response = await send("list_files", {});
        assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
        const { result } = (await response.json()) as { result: { structuredContent: object } };
        assert.ok("data" in result.structuredContent);
      });

      test("is a stream for a progress token, which no proxy caches", async () => {
        const response = await send("list_files", {}, 7);
        assert.equal(response.headers.get("content-type"), "text/event-stream");
        assert.equal(response.headers.get("x-accel-buffering"), "no");
        assert.match(await response.text(), /^data: \{.*"structuredContent"/m);
      });

      test("begins before the result of a tool that waits", async () => {
        const started = await send("upload", { url: `${origin.url}/stalled`, background: true });
        const { jobId, jobSecret } = await readStreamed(started);
        const waiting = await send("upload_status", { jobId, jobSecret, waitSeconds: 600 });
        assert.equal(waiting.headers.get("content-type"), "text/event-stream");
        await waiting.body?.cancel();
      });
    });
});

/** The structured content of the one event of a stream. */
async function readStreamed(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const [, data = ""] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  return (JSON.parse(data) as { result: { structuredContent: Record<string, unknown> } }).result.structuredContent;
}
