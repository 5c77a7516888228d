import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { openS3Bucket } from "../../../src/blobs/s3/bucket.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { newKey } from "../../blobs/bodies.ts";
import { makeFolder } from "../../support/folder.ts";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, authorize, type Body, call, clientOf, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { listBucket, putPlain, sendPlain, startOnS3, waitForPresignedParts } from "../support/servers/s3.ts";
import { audit, cleanUp } from "../support/servers/server-context.ts";
import { startServerInstances } from "../support/servers/server-instances.ts";
import { withDatabase } from "../support/servers/state.ts";
import { complete, init, MB, partUrl, postComplete, putPart, sha256, someBytes } from "../support/uploads/multipart.ts";

const NOTHING = { missing: [], orphans: [] };
const PART = 5 * MB;

/** storage, "Parts and an S3 store"; uploads, "Delegations" and "Ends of a session": other features of a server that stores its files in a bucket. */
describeUnless(swiftMissing, "a server on S3", () => {
  let swift: TestSwift;
  before(async () => {
    swift = await joinSwift();
  });

  const download = async (server: TestServer, fileId: string): Promise<string> => {
    const response = await fetch(await signedUrl(server, fileId));
    assert.equal(response.status, 200);
    return sha256(new Uint8Array(await response.arrayBuffer()));
  };

  for (const uploads of ["direct", "proxy"] as const) {
    test(`upload delegations make files from one PUT and from parts, with uploads=${uploads}`, async () => {
      await using server = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: uploads } });
      if (uploads === "direct") await waitForPresignedParts(server);
      const { key } = await addAccount(server, { tier: "pro" });
      const client = clientOf(server, { key });
      const bytes = someBytes(16 * MB + 3, 1);

      const { data: direct } = await client.call("createDelegation", { name: "whole.bin" });
      const sent = await call<{ data: Upload }>({ url: direct.uploadUrl }, "PUT", "", {
        body: bytes,
        headers: { Accept: "application/json" },
      });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      assert.equal(await download(server, sent.body.data.id), sha256(bytes));

      const { delegationToken, uploadId, key: name, chunkSize } = (await client.call("createDelegation", { sizeBytes: bytes.length })).data;
      const named = { delegationToken, uploadId, key: name };
      const parts = [bytes.subarray(0, chunkSize), bytes.subarray(chunkSize)];
      const partDigests = Object.fromEntries(parts.map((part, index) => [index + 1, sha256(part)]));
      const { urls } = await clientOf(server).call("batchDelegatedPartUrls", { ...named, totalParts: 2, partDigests });
      const etags = [];
      for (const [index, part] of parts.entries()) {
        const url = urls[index + 1] ?? "";
        assert.equal(new URL(url).origin === swift.endpoint, uploads === "direct");
        const { status, etag } = await putPlain(url, part);
        assert.equal(status, 200);
        etags.push({ partNumber: index + 1, etag });
      }
      const { data: done } = await clientOf(server).call("completeDelegatedMultipart", { ...named, parts: etags });
      await until("it is clean", async () => (await getShare(server, done.shortId)).scanStatus === "clean");
      assert.equal(await download(server, done.id), sha256(bytes));
      const again = await call(server, "POST", "/api/files/upload-delegations/multipart/batch-urls", { json: { ...named, partDigests } });
      assertRefused(again, { status: 409, code: "UPLOAD_CLOSED" });
      assert.deepEqual(await audit(server), NOTHING);
    });

    test(`the cleanup removes aborted uploads from the store page by page, with uploads=${uploads}`, {
      skip: uploads === "proxy" && longSkipped,
    }, async () => {
      await using server = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: uploads } });
      if (uploads === "direct") await waitForPresignedParts(server);
      const bytes = someBytes(PART + 1, 2);
      const continued = await init(server, { fileSize: bytes.length, partSize: PART });
      await sendPlain(server, continued, bytes, [1]);
      for (let count = 0; count < 4; count++) {
        const session = await init(server, { fileSize: bytes.length, partSize: PART });
        await sendPlain(server, session, bytes, [1]);
      }
      // The server's own cleanup runs at each full minute and would interfere.
      await server.stop();
      await withDatabase(server, (db) =>
        db
          .updateTable("upload_sessions")
          .set({ created_at: Date.now() - 8 * DAY_MS })
          .where("session_key", "<>", continued.key)
          .execute(),
      );
      await using opened = await openS3Bucket({ ...swift, credentials: swift, bucket: server.bucket, prefix: "files/", pathStyle: true });
      for (const area of ["visible", "incoming"] as const)
        for (let count = 0; count < 3; count++) await opened.s3.createMultipartUpload(opened.locate(area, newKey()));
      await opened.s3.putObject({ ...opened.locate("incoming", newKey()), Body: "copied, but not removed" });
      assert.equal((await listBucket(swift, server.bucket)).uploads.length, 11);
      assert.deepEqual(
        (await audit(server)).orphans.map(({ where }) => where),
        Array(7).fill("staging"),
      );
      const { uploads: reaped, orphans } = await cleanUp(server);
      assert.deepEqual([reaped, orphans], [4, 7]);
      const left = await listBucket(swift, server.bucket);
      assert.deepEqual([left.objects, left.uploads.length], [[], 1]);
      await server.restart();
      if (uploads === "direct") await waitForPresignedParts(server, 2);
      await sendPlain(server, continued, bytes, [2]);
      await complete(server, continued);
      await until("it is clean", async () => (await authorize(server, continued.fileId)).status === 200);
      assert.equal(await download(server, continued.fileId), sha256(bytes));
      // A copied upload is one object without segments; otherwise the object consists of its segments.
      assert.equal((await swift.segmentsOf(server.bucket)).length, uploads === "direct" ? 0 : 2);
    });
  }

  test("credentials may come from the AWS SDK's variables or from its profiles file", async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, "credentials");
    const profile = ["[other]", "aws_access_key_id = x", "aws_secret_access_key = y", "[files]"];
    await writeFile(
      path,
      [...profile, `aws_access_key_id = ${swift.accessKeyId}`, `aws_secret_access_key = ${swift.secretAccessKey}`, ""].join("\n"),
    );
    const none = { FILEHOST_S3_ACCESS_KEY_ID: "", FILEHOST_S3_SECRET_ACCESS_KEY: "", FILEHOST_S3_UPLOADS: "direct" };
    const sources: readonly Readonly<Record<string, string>>[] = [
      { AWS_ACCESS_KEY_ID: swift.accessKeyId, AWS_SECRET_ACCESS_KEY: swift.secretAccessKey },
      { AWS_SHARED_CREDENTIALS_FILE: path, AWS_PROFILE: "files" },
    ];
    for (const aws of sources) {
      await using server = await startOnS3(swift, { env: { ...none, AWS_EC2_METADATA_DISABLED: "true", ...aws } });
      await waitForPresignedParts(server);
      const file = await upload(server, { bytes: "stored with keys from the SDK" });
      assert.equal(await download(server, file.id), sha256("stored with keys from the SDK"));
      const bytes = someBytes(PART + 1, 3);
      const session = await init(server, { fileSize: bytes.length, partSize: PART });
      await sendPlain(server, session, bytes);
      await complete(server, session);
    }
    const wrong = { AWS_SHARED_CREDENTIALS_FILE: path, AWS_PROFILE: "other", AWS_EC2_METADATA_DISABLED: "true" };
    await using refused = await startOnS3(swift, { env: { ...none, ...wrong } });
    const response = await call(refused, "PUT", "/note.txt", { body: "x", headers: { Accept: "application/json" } });
    assertRefused(response, { status: 503, code: "UNAVAILABLE" });
  });

  test("a part still being sent to one instance when another completes the upload changes nothing", async () => {
    await using instances = await startServerInstances({ count: 2, database: "file", swift, env: { FILEHOST_SCANNER: "off" } });
    const [first, second] = [instances.instance(0), instances.instance(1)];
    const bytes = someBytes(PART + 1, 4);
    const other = someBytes(PART, 5);
    const session = await init(first, { fileSize: bytes.length, partSize: PART });
    const url = instances.at(0, await partUrl(first, session, 1, other));
    const here = { url: first.url };
    for (const [index, part] of [bytes.subarray(0, PART), bytes.subarray(PART)].entries()) {
      const { status } = await putPart(instances.at(1, await partUrl(here, session, index + 1, part)), part);
      assert.equal(status, 200);
    }
    const nearlySent = Promise.withResolvers<void>();
    const completed = Promise.withResolvers<void>();
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (at + MB >= other.length) {
          nearlySent.resolve();
          await completed.promise;
        }
        controller.enqueue(other.slice(at, at + MB));
        at += MB;
        if (at >= other.length) controller.close();
      },
    });
    const late = fetch(url, { method: "PUT", body, headers: { "Content-Length": String(other.length) }, duplex: "half" } as RequestInit);
    await nearlySent.promise;
    const { status } = await postComplete(second, session);
    assert.equal(status, 200);
    completed.resolve();
    const response = await late;
    const refused = { status: response.status, headers: response.headers, body: (await response.json()) as Body };
    assertRefused(refused, { status: 409, code: "UPLOAD_CLOSED" });
    assertRefused(await putPart(url, other), { status: 409, code: "UPLOAD_CLOSED" });
    for (const index of [0, 1]) {
      const url = await signedUrl(instances.instance(index), session.fileId);
      const response = await fetch(instances.at(index, url));
      assert.equal(sha256(new Uint8Array(await response.arrayBuffer())), sha256(bytes));
    }
    assert.deepEqual(await audit(first), NOTHING);
  });
});
