import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openS3Bucket } from "../../../src/blobs/s3/bucket.ts";
import { probeUploads } from "../../../src/blobs/s3/probe.ts";
import { type FaultySwift, startFaultySwift } from "../../support/services/faulty-swift.ts";
import { swiftMissing } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";

describeUnless(swiftMissing, "the capability probe", () => {
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

  test("detects that Swift accepts wrong bytes and late parts, but no wrong sizes", async () => {
    await using bucket = await open(swift.endpoint);
    assert.deepEqual(await probeUploads(bucket), {
      usesChecksums: true,
      acceptsExpectedBytes: true,
      rejectsWrongDigest: false,
      rejectsWrongSize: true,
      rejectsCopies: true,
      rejectsPartsAfterCompletion: false,
    });
    await assertEmpty(bucket);
  });

  test("distinguishes a failing store from a refusing one, and leaves nothing", async () => {
    for (const status of [503, 429, 404]) {
      await using bucket = await open(swift.proxy.url);
      swift.proxy.decide = ({ method, url }) => (method === "PUT" && url.includes("partNumber=1") ? { status } : undefined);
      await assert.rejects(probeUploads(bucket), { code: "UNAVAILABLE" });
      await assertEmpty(bucket);
    }
  });

  test("probes without digests if the store refuses them; fails if it refuses every upload", async () => {
    await using bucket = await open(swift.proxy.url);
    for (const status of [400, 501]) {
      let asked = 0;
      swift.proxy.decide = ({ method, url }) => (method === "POST" && url.includes("uploads") && ++asked === 1 ? { status } : undefined);
      assert.partialDeepStrictEqual(await probeUploads(bucket), {
        usesChecksums: false,
        acceptsExpectedBytes: true,
        rejectsWrongDigest: false,
      });
      swift.proxy.decide = ({ method, url }) => (method === "POST" && url.includes("uploads") ? { status } : undefined);
      await assert.rejects(probeUploads(bucket), { code: "UNAVAILABLE" });
    }
    await assertEmpty(bucket);
  });

  test("detects a store that rejects presigned parts", async () => {
    await using bucket = await open(swift.proxy.url);
    swift.proxy.decide = ({ method, url }) => (method === "PUT" && url.includes("partNumber=1") ? { status: 403 } : undefined);
    assert.partialDeepStrictEqual(await probeUploads(bucket), { acceptsExpectedBytes: false, rejectsWrongDigest: true });
    await assertEmpty(bucket);
  });
});

async function assertEmpty({ s3, name }: Awaited<ReturnType<typeof openS3Bucket>>): Promise<void> {
  assert.deepEqual((await s3.listObjectsV2({ Bucket: name })).Contents ?? [], []);
  assert.deepEqual((await s3.listMultipartUploads({ Bucket: name })).Uploads ?? [], []);
}
