import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import type { TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { assertRefused } from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { complete, init, MB, partUrl, putPart, sendParts, sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

/** uploads, "A part that is sent again". */
describeUnless(swiftMissing, "a part that is sent again to a server on S3", () => {
  let swift: TestSwift;
  let proxy: FaultyProxy;
  let server: TestServer;
  before(async () => {
    swift = await joinSwift();
    proxy = await startFaultyProxy(swift.endpoint);
    server = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "proxy", FILEHOST_S3_ENDPOINT: proxy.url } });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  test("causes no request to the store if its bytes are stored, and replaces them if they differ", async () => {
    const bytes = someBytes(7 * MB);
    const first = bytes.slice(0, 5 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: 5 * MB });
    const [sent] = await sendParts(server, session, bytes);
    const requests: string[] = [];
    proxy.decide = ({ method, url }) => {
      // A server reads the mark of its store now and then.
      if (!url.includes("/.store-")) requests.push(`${method} ${url}`);
      return undefined;
    };
    const url = await partUrl(server, session, 1, first);
    const again = await Promise.all(Array.from({ length: 8 }, () => putPart(url, first)));
    for (const { status, headers } of again) assert.deepEqual([status, headers.get("etag")], [200, sent?.etag]);
    assertRefused(await putPart(url, someBytes(5 * MB, 2)), { status: 400, code: "DIGEST_MISMATCH" });
    assert.deepEqual(requests, []);

    const other = someBytes(5 * MB, 3);
    assert.equal((await putPart(await partUrl(server, session, 1, other), other)).status, 200);
    assert.notDeepEqual(requests, []);
    // The part had been replaced, so its first bytes are sent to the store again.
    assert.equal((await putPart(url, first)).status, 200);
    const file = await complete(server, session);
    assert.equal(await downloadDigest(server, file.id), sha256(bytes));
  });
});
