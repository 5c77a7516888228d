import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError, createClient } from "../../src/service/client.ts";
import type { RequestInput } from "../../src/service/contract.ts";
import { startPlainServer } from "../e2e/support/servers/plain-server.ts";

/** envelopes and errors, "Envelopes" and "Errors". */
describe("typed client", () => {
  it("uploads, reads, downloads and deletes a file", async () => {
    await using server = await startPlainServer();
    const client = createClient({ baseUrl: `${server.url}/api` });
    const file = { name: "note.txt", type: "text/plain", bytes: new TextEncoder().encode("by the contract") };
    const input: RequestInput<"uploadFile"> = { file, ttl: "1h" };
    const { data } = await client.call("uploadFile", input);
    const share = await client.call("getShare", { shortId: data.shortId });
    assert.equal(share.name, "note.txt");
    assert.equal(share.size_bytes, 15);
    const { url } = await client.call("authorizeDownload", { fileId: data.id });
    const { pathname, search } = new URL(url);
    assert.equal(await (await fetch(server.url + pathname + search)).text(), "by the contract");
    assert.deepEqual(await client.call("deleteFile", { fileId: data.id, token: data.deletionToken }), {
      success: true,
      data: { id: data.id, remainingLinks: 0 },
    });
  });

  it("rejects with the status and the error code of the response", async () => {
    await using server = await startPlainServer();
    const client = createClient({ baseUrl: `${server.url}/api`, key: "bc_wrong" });
    await assert.rejects(client.call("getShare", { shortId: "missing1" }), (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.status, 401);
      assert.equal(error.code, "UNAUTHENTICATED");
      return true;
    });
  });
});
