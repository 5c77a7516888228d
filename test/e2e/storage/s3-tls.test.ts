import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { makeAuthority, opensslMissing, type TestAuthority } from "../../support/services/webhook-receiver.ts";
import { describeUnless } from "../../support/suite.ts";
import { signedUrl } from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";

/** storage, "Parts and an S3 store". */
describeUnless(swiftMissing ?? opensslMissing, "a server on S3", () => {
  let swift: TestSwift;
  let authority: TestAuthority;
  before(async () => {
    swift = await joinSwift();
    authority = await makeAuthority();
  });
  after(async () => {
    await authority[Symbol.asyncDispose]();
  });

  const digestsOfParts = async (proxy: FaultyProxy, bytes: Uint8Array<ArrayBuffer>): Promise<unknown[]> => {
    const digests: unknown[] = [];
    proxy.decide = ({ method, url, headers }) => {
      if (method === "PUT" && url.includes("partNumber=")) digests.push(headers["x-amz-content-sha256"]);
      return undefined;
    };
    const env = {
      FILEHOST_S3_ENDPOINT: proxy.url,
      FILEHOST_S3_UPLOADS: "proxy",
      FILEHOST_S3_DOWNLOADS: "proxy",
      NODE_EXTRA_CA_CERTS: authority.caFile,
    };
    await using server = await startOnS3(swift, { env });
    const sent = await fetch(`${server.url}/large`, { method: "PUT", body: bytes, headers: { accept: "application/json" } });
    assert.equal(sent.status, 200);
    const { data } = (await sent.json()) as { data: { id: string } };
    const downloaded = await fetch(await signedUrl(server, data.id));
    assert.equal(sha256(new Uint8Array(await downloaded.arrayBuffer())), sha256(bytes));
    return digests;
  };

  const bytes = someBytes(9 * MB, 3);

  test("signs each part with its digest over plain HTTP", async () => {
    await using proxy = await startFaultyProxy(swift.endpoint);
    assert.deepEqual(await digestsOfParts(proxy, bytes), [sha256(bytes.subarray(0, 8 * MB)), sha256(bytes.subarray(8 * MB))]);
  });

  test("leaves the integrity of parts to TLS over HTTPS", async () => {
    await using proxy = await startFaultyProxy(swift.endpoint, { tls: authority });
    assert.deepEqual(await digestsOfParts(proxy, bytes), ["UNSIGNED-PAYLOAD", "UNSIGNED-PAYLOAD"]);
  });
});
