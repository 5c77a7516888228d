import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, getShare, listFiles, signedUrl } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { init, MB, postComplete, sendParts, sha256, someBytes } from "../support/uploads/multipart.ts";

/** scanning, "The scan": a `clean` file has its digest. */
describe("a file in parts, without a scanner", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  for (const size of [0, 1000, 3 * MB]) {
    test(`is clean only together with its digest, of ${size} bytes`, async () => {
      const bytes = someBytes(size);
      const session = await init(server, { fileSize: size, partSize: MB });
      await sendParts(server, session, bytes);
      const { status, body } = await postComplete(server, session);
      assert.equal(status, 200);
      const { scanStatus, sha256: digest } = body.data;
      assert.deepEqual([scanStatus, digest], session.totalParts > 1 ? ["pending", null] : ["clean", sha256(bytes)]);
      const downloaded = await fetch(await signedUrl(server, session.fileId));
      assert.equal(sha256(new Uint8Array(await downloaded.arrayBuffer())), sha256(bytes));
      const share = await until("the file is clean", async () => {
        const share = await getShare(server, session.shortId);
        return share.scanStatus === "clean" && share;
      });
      assert.equal(share.sha256, sha256(bytes));
    });
  }

  test("has one status in all responses, from the end of the upload to its digest", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const bytes = someBytes(40 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: 5 * MB }, { key });
    await sendParts(server, session, bytes, { key });
    await postComplete(server, session, {}, { key });
    const isClean = await until("all are clean", async () => {
      const { data: file } = await client.call("getFile", { fileId: session.fileId });
      const [listed] = (await listFiles(server, key)).files;
      const share = await getShare(server, session.shortId);
      const [shares] = (await client.call("listShares", {})).data;
      for (const read of [file, listed, share]) {
        assert.ok(read?.scanStatus !== "clean" || read.sha256 === sha256(bytes), JSON.stringify(read));
      }
      return shares?.scanStatus === "clean" && file.scanStatus === "clean";
    });
    assert.ok(isClean);
  });
});
