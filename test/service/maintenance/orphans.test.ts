import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { findOrphans } from "../../../src/service/maintenance/orphans.ts";
import { removeAllOrphans } from "../../../src/service/maintenance/remove-orphans.ts";
import { withServerContext } from "../../e2e/support/server-context.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const content = new Uint8Array(100_000).fill(7);

async function post<T>(server: TestServer, path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}/api/files/multipart/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200);
  return (await response.json()) as T;
}

/** An upload session whose only part was uploaded. `complete` resolves to the ID of the file. */
async function createUpload(server: TestServer) {
  const { uploadId, key } = await post<{ uploadId: string; key: string }>(server, "init", { fileName: "a.bin", fileSize: content.length });
  const partDigests = { "1": createHash("sha256").update(content).digest("hex") };
  const { urls } = await post<{ urls: Record<string, string> }>(server, "batch-urls", { uploadId, key, totalParts: 1, partDigests });
  const url = new URL(urls["1"] ?? "");
  assert.equal((await fetch(`${server.url}${url.pathname}${url.search}`, { method: "PUT", body: content })).status, 200);
  return { complete: async () => (await post<{ file: { id: string } }>(server, "complete", { uploadId, key })).file.id };
}

/** A context that calls back after each listing of staged blobs, before the list is used. */
const afterListing = (ctx: Ctx, happen: () => Promise<void>): Ctx => ({
  ...ctx,
  blobs: {
    ...ctx.blobs,
    async listStaged(after) {
      const page = await ctx.blobs.listStaged(after);
      assert.equal(page.items.length, 1);
      await happen();
      return page;
    },
  },
});

/** storage, "Rows and bytes". */
describe("the search for orphans", () => {
  it("excludes the bytes of an upload that completes meanwhile", async () => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB" } });
    const upload = await createUpload(server);
    let fileId = "";
    const removed = await withServerContext(server, (ctx) =>
      removeAllOrphans(
        afterListing(ctx, async () => {
          fileId = await upload.complete();
        }),
      ),
    );
    assert.equal(removed, 0);
    const { url } = (await (await fetch(`${server.url}/api/files/download/${fileId}`)).json()) as { url: string };
    assert.deepEqual(new Uint8Array(await (await fetch(url)).arrayBuffer()), content);
  });

  it("excludes the bytes of an upload session that is not complete", async () => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB" } });
    await createUpload(server);
    await server.stop();
    const found = await withServerContext(server, (ctx) => Array.fromAsync(findOrphans(ctx)));
    assert.deepEqual(found, []);
  });
});
