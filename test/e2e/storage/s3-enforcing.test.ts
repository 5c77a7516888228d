import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type EnforcingStore, startEnforcingStore } from "../../support/services/enforcing-store.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, getShare, signedUrl } from "../support/api/api.ts";
import { listBucket, partUrls, putPlain, sendPlain, startOnS3, uploadModeLogs } from "../support/servers/s3.ts";
import { audit } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { complete, init, MB, type Session, sha256, someBytes } from "../support/uploads/multipart.ts";

const PART = 5 * MB;

/** storage, "Parts and an S3 store": what `auto` does with a store that verifies parts against their digests. */
describeUnless(swiftMissing, "FILEHOST_S3_UPLOADS=auto on a store that verifies parts", () => {
  let swift: TestSwift;
  let store: EnforcingStore;
  let server: TestServer & { readonly bucket: string };
  before(async () => {
    swift = await joinSwift();
    store = await startEnforcingStore(swift.endpoint);
    server = await startOnS3(swift, { env: { FILEHOST_S3_ENDPOINT: store.url } });
    await until("the store is known", () => uploadModeLogs(server).length > 0);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const countStored = async ({ uploadId }: Session) => (await clientOf(server).call("getMultipart", { uploadId })).data.parts.length;

  test("parts go directly to the store, which refuses a wrong one, and the upload completes without a copy", async () => {
    assert.deepEqual(uploadModeLogs(server), ["clients send parts directly to the store"]);
    const bytes = someBytes(2 * PART + 1, 1);
    const session = await init(server, { fileSize: bytes.length, partSize: PART });
    const urls = await partUrls(server, session, bytes);
    for (const url of urls) assert.equal(new URL(url).origin, store.url);
    assert.equal((await putPlain(urls[0] ?? "", someBytes(PART, 2))).status, 400);
    assert.equal(await countStored(session), 0);
    const key = await withDatabase(server, (db) =>
      db.selectFrom("upload_sessions").select("blob_key").where("session_key", "=", session.key).executeTakeFirstOrThrow(),
    );
    assert.deepEqual((await listBucket(swift, server.bucket)).uploads, [`files/blobs/${key.blob_key}`]);
    await sendPlain(server, session, bytes);
    assert.equal(await countStored(session), 3);
    await complete(server, session);
    await until("it is clean", async () => (await getShare(server, session.shortId)).scanStatus === "clean");
    assert.equal((await putPlain(urls[2] ?? "", bytes.subarray(2 * PART))).status, 404);
    const response = await fetch(await signedUrl(server, session.fileId));
    assert.equal(sha256(new Uint8Array(await response.arrayBuffer())), sha256(bytes));
    assert.deepEqual(await audit(server), { missing: [], orphans: [] });
  });
});
