import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { type FaultySwift, startFaultySwift } from "../../support/services/faulty-swift.ts";
import { swiftMissing } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { assertRefused, call, signedUrl } from "../support/api/api.ts";
import { listBucket, partUrls, putPlain, sendPlain, startOnS3, uploadModeLogs, waitForPresignedParts } from "../support/servers/s3.ts";
import { audit, cleanUp } from "../support/servers/server-context.ts";
import { abort, complete, init, MB, postComplete, sha256, someBytes } from "../support/uploads/multipart.ts";

const PART = 5 * MB;

/** storage, "Parts and an S3 store": parts that clients send directly to a failing store, and servers that are killed. */
describeUnless(swiftMissing ?? longSkipped, "presigned parts on a failing store", () => {
  let swift: FaultySwift;
  before(async () => {
    swift = await startFaultySwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  const start = () => startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "direct", FILEHOST_S3_ENDPOINT: swift.proxy.url } });
  const assertWhole = async (server: TestServer, fileId: string, bytes: Uint8Array): Promise<void> => {
    const url = await until("it is clean", () => signedUrl(server, fileId));
    assert.equal(sha256(new Uint8Array(await (await fetch(url)).arrayBuffer())), sha256(bytes));
    assert.deepEqual(await audit(server), { missing: [], orphans: [] });
  };

  test("uploads use the server for all their parts if they started before the store's capabilities were known", async () => {
    for (const status of [503, 404]) {
      swift.proxy.decide = ({ method, url }) => (method === "PUT" && url.includes("/probes/") ? { status } : undefined);
      await using server = await start();
      const bytes = someBytes(2 * PART, status);
      const session = await init(server, { fileSize: bytes.length, partSize: PART });
      const [first = ""] = await partUrls(server, session, bytes, [1]);
      assert.notEqual(new URL(first).origin, swift.proxy.url);
      assert.equal((await putPlain(first, bytes.subarray(0, PART))).status, 200);
      assert.deepEqual(uploadModeLogs(server), []);
      swift.proxy.decide = () => undefined;
      await waitForPresignedParts(server);
      const [second = ""] = await partUrls(server, session, bytes, [2]);
      assert.notEqual(new URL(second).origin, swift.proxy.url);
      assert.equal((await putPlain(second, bytes.subarray(PART))).status, 200);
      const next = await init(server, { fileSize: bytes.length, partSize: PART });
      const [direct = ""] = await partUrls(server, next, bytes, [1]);
      assert.equal(new URL(direct).origin, swift.proxy.url);
      await abort(server, next);
      await complete(server, session);
      await assertWhole(server, session.fileId, bytes);
    }
  });

  test("status and complete return 503 with Retry-After while the store cannot list the parts", async () => {
    swift.proxy.decide = () => undefined;
    await using server = await start();
    await waitForPresignedParts(server);
    const bytes = someBytes(PART + 1, 2);
    const session = await init(server, { fileSize: bytes.length, partSize: PART });
    await sendPlain(server, session, bytes);
    swift.proxy.decide = ({ method, url }) => (method === "GET" && url.includes("uploadId=") ? { status: 503 } : undefined);
    const status = await call(server, "GET", `/api/files/multipart/${session.uploadId}`);
    for (const response of [status, await postComplete(server, session)]) {
      assertRefused(response, { status: 503, code: "UNAVAILABLE" });
      assert.ok(Number(response.headers.get("retry-after")) > 0);
    }
    swift.proxy.decide = () => undefined;
    await complete(server, session);
    await assertWhole(server, session.fileId, bytes);
  });

  const STEPS = {
    CompleteMultipartUpload: ({ method, url }: Request) => method === "POST" && url.includes("/incoming/") && url.includes("uploadId="),
    "the copy": ({ method, url }: Request) => method === "PUT" && url.includes("/blobs/"),
    "the removal of the original": ({ method, url }: Request) => method === "DELETE" && url.includes("/incoming/"),
  };
  type Request = { readonly method: string; readonly url: string };

  for (const [name, isStep] of Object.entries(STEPS)) {
    test(`an upload completes once although the responses to ${name} are lost`, async () => {
      swift.proxy.decide = () => undefined;
      await using server = await start();
      await waitForPresignedParts(server);
      const bytes = someBytes(PART + 1, 3);
      const session = await init(server, { fileSize: bytes.length, partSize: PART });
      const parts = await sendPlain(server, session, bytes);
      let lost = 0;
      swift.proxy.decide = (request) => (isStep(request) && ++lost <= 3 ? { cutAfterBytes: 0 } : undefined);
      const first = await postComplete(server, session, { parts });
      assert.ok(lost >= 1);
      if (first.status !== 200) assertRefused(first, { status: 503, code: "UNAVAILABLE" });
      swift.proxy.decide = () => undefined;
      const { status, body } = await postComplete(server, session, { parts });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual((await postComplete(server, session, { parts })).body, body);
      await assertWhole(server, session.fileId, bytes);
    });

    test(`an upload completes after the server was killed after ${name}`, async () => {
      swift.proxy.decide = () => undefined;
      await using server = await start();
      await waitForPresignedParts(server);
      const bytes = someBytes(PART + 1, 4);
      const session = await init(server, { fileSize: bytes.length, partSize: PART });
      const parts = await sendPlain(server, session, bytes);
      swift.proxy.decide = (request) => {
        if (!isStep(request)) return undefined;
        server.kill("SIGKILL").catch(() => undefined);
        return { cutAfterBytes: 0 };
      };
      await assert.rejects(postComplete(server, session, { parts }));
      swift.proxy.decide = () => undefined;
      await server.restart();
      await cleanUp(server);
      await complete(server, session, { parts });
      await assertWhole(server, session.fileId, bytes);
      const { objects, uploads } = await listBucket(swift, server.bucket);
      assert.deepEqual([objects.filter((name) => !/^files\/(blobs|probes)\//.test(name)), uploads], [[], []]);
    });
  }
});
