import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openS3Bucket } from "../../src/blobs/s3-bucket.ts";
import { probeUploads } from "../../src/blobs/s3-probe.ts";
import { type FaultySwift, startFaultySwift } from "../support/faulty-swift.ts";
import { swiftMissing } from "../support/swift.ts";

describe("What a store does with presigned parts", { skip: swiftMissing }, () => {
  let swift: FaultySwift;
  before(async () => {
    swift = await startFaultySwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  const open = async (endpoint: string) =>
    await openS3Bucket({
      ...swift,
      credentials: swift,
      endpoint,
      bucket: await swift.createBucket(),
      prefix: "some/where/",
      pathStyle: true,
    });

  test("Swift takes other bytes, and parts after the end, but no other sizes", async () => {
    await using bucket = await open(swift.endpoint);
    assert.deepEqual(await probeUploads(bucket), {
      withDigests: true,
      takesRightBytes: true,
      refusesOtherBytes: false,
      refusesOtherSizes: true,
      refusesCopies: true,
      refusesLateParts: false,
    });
    await assertEmpty(bucket);
  });

  test("a store that fails is not one that refuses, and keeps nothing", async () => {
    for (const status of [503, 429, 404]) {
      await using bucket = await open(swift.proxy.url);
      swift.proxy.decide = ({ method, url }) => (method === "PUT" && url.includes("partNumber=1") ? { status } : undefined);
      await assert.rejects(probeUploads(bucket), { code: "UNAVAILABLE" });
      await assertEmpty(bucket);
    }
  });

  test("a store that begins no upload with digests is tried without; one that begins none at all gives no answer", async () => {
    await using bucket = await open(swift.proxy.url);
    for (const status of [400, 501]) {
      let asked = 0;
      swift.proxy.decide = ({ method, url }) => (method === "POST" && url.includes("uploads") && ++asked === 1 ? { status } : undefined);
      assert.partialDeepStrictEqual(await probeUploads(bucket), { withDigests: false, takesRightBytes: true, refusesOtherBytes: false });
      swift.proxy.decide = ({ method, url }) => (method === "POST" && url.includes("uploads") ? { status } : undefined);
      await assert.rejects(probeUploads(bucket), { code: "UNAVAILABLE" });
    }
    await assertEmpty(bucket);
  });

  test("a store that hears presigned parts with a plain no takes none", async () => {
    await using bucket = await open(swift.proxy.url);
    swift.proxy.decide = ({ method, url }) => (method === "PUT" && url.includes("partNumber=1") ? { status: 403 } : undefined);
    assert.partialDeepStrictEqual(await probeUploads(bucket), { takesRightBytes: false, refusesOtherBytes: true });
    await assertEmpty(bucket);
  });
});

async function assertEmpty({ s3, name }: Awaited<ReturnType<typeof openS3Bucket>>): Promise<void> {
  assert.deepEqual((await s3.listObjectsV2({ Bucket: name })).Contents ?? [], []);
  assert.deepEqual((await s3.listMultipartUploads({ Bucket: name })).Uploads ?? [], []);
}
