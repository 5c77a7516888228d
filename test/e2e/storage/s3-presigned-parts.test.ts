import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { HOUR_MS } from "../../../src/lib/text/duration.ts";
import { makeFolder } from "../../support/folder.ts";
import type { TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { askShare, assertRefused, authorize, clientOf, getShare, signedUrl } from "../support/api/api.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { listBucket, partUrls, putPlain, sendPlain, startOnS3, uploadModeLogs, waitForPresignedParts } from "../support/servers/s3.ts";
import { audit, cleanUp, holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { waitForScan } from "../support/shares/scanning.ts";
import { abort, complete, init, MB, postComplete, postUrls, type Session, sha256, someBytes, split } from "../support/uploads/multipart.ts";

const NOTHING = { missing: [], orphans: [] };
const PART = 5 * MB;

/** storage, "Parts and an S3 store": parts sent directly to a store that accepts any bytes, even after completion. */
describeUnless(swiftMissing, "presigned parts on a store that does not verify them", () => {
  let swift: TestSwift;
  let server: TestServer & { readonly bucket: string };
  before(async () => {
    swift = await joinSwift();
    server = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "direct" } });
    await waitForPresignedParts(server);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
  });

  const startUpload = (bytes: Uint8Array, fields: object = {}): Promise<Session> =>
    init(server, { fileSize: bytes.length, partSize: PART, ...fields });
  const untilChecked = (shortId: string, status: string): Promise<unknown> =>
    until(`it is ${status}`, async () => (await getShare(server, shortId)).scanStatus === status);
  const download = async (fileId: string): Promise<string> => {
    const response = await fetch(await signedUrl(server, fileId));
    assert.equal(response.status, 200);
    return sha256(new Uint8Array(await response.arrayBuffer()));
  };
  const listStored = async (session: Session) => (await clientOf(server).call("getMultipart", { uploadId: session.uploadId })).data.parts;

  test("a file of three presigned parts becomes clean after its parts were compared with their digests", async () => {
    const bytes = someBytes(12 * MB + 7);
    const session = await startUpload(bytes);
    const urls = await partUrls(server, session, bytes);
    for (const url of urls) assert.equal(new URL(url).origin, swift.endpoint);
    await using folder = await makeFolder();
    const parts = [];
    for (const [index, part] of split(bytes, session).entries()) {
      await writeFile(join(folder.path, "part"), part);
      const { stdout } = await promisify(execFile)("curl", ["-sS", "-f", "-T", join(folder.path, "part"), "-D", "-", urls[index] ?? ""]);
      parts.push({ partNumber: index + 1, etag: /^etag: (.*)$/im.exec(stdout)?.[1]?.trim() ?? "" });
    }
    const { status, body } = await postComplete(server, session, { parts });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.scanStatus, "pending");
    assert.equal(body.data.size, bytes.length);
    await untilChecked(session.shortId, "clean");
    assert.equal((await getShare(server, session.shortId)).sha256, sha256(bytes));
    assert.equal(await download(session.fileId), sha256(bytes));
    assert.deepEqual((await postComplete(server, session, { parts })).body, body);
    assert.deepEqual(await audit(server), NOTHING);
    assert.deepEqual(await withDatabase(server, (db) => db.selectFrom("expected_parts").selectAll().execute()), []);
  });

  test("filehost up sends the parts of a file to the store", async () => {
    await using device = await makeDevice({ FILEHOST_SERVER: server.url });
    const bytes = someBytes(40 * MB + 7);
    await writeFile(join(device.path, "large.bin"), bytes);
    const { code, stdout, stderr } = await device.run(["up", "large.bin", "--quiet"]);
    assert.equal(code, 0, stderr);
    const shortId = stdout.trim().split("/").at(-1) ?? "";
    await untilChecked(shortId, "clean");
    assert.equal(await download((await getShare(server, shortId)).id), sha256(bytes));
  });

  test("part URLs change nothing after completion", async () => {
    const bytes = someBytes(PART + 1, 2);
    const session = await startUpload(bytes);
    const urls = await partUrls(server, session, bytes);
    await sendPlain(server, session, bytes);
    await complete(server, session);
    await untilChecked(session.shortId, "clean");
    assert.equal((await putPlain(urls[0] ?? "", someBytes(PART, 3))).status, 404);
    assert.equal((await putPlain(urls[1] ?? "", someBytes(1, 3))).status, 404);
    assert.equal(await download(session.fileId), sha256(bytes));
    const { objects, uploads } = await listBucket(swift, server.bucket);
    assert.deepEqual([objects.filter((name) => !name.startsWith("files/blobs/")), uploads], [[], []]);
  });

  test("a file with a part that differs from its digest never becomes clean, although the store accepted it", async () => {
    const bytes = someBytes(2 * PART, 4);
    const wrong = someBytes(PART, 5);
    const session = await startUpload(bytes);
    const [first = "", second = ""] = await partUrls(server, session, bytes);
    const parts = [
      { partNumber: 1, etag: (await putPlain(first, bytes.subarray(0, PART))).etag },
      { partNumber: 2, etag: (await putPlain(second, wrong)).etag },
    ];
    await complete(server, session, { parts });
    await untilChecked(session.shortId, "unavailable");
    assertRefused(await authorize(server, session.fileId), { status: 404, code: "SCAN_BLOCKED" });
    const { code } = await server.run(["rescan", session.fileId]);
    assert.equal(code, 0);
    await until("it was scanned again", () => server.logs().filter(({ msg }) => msg === "scan failed; file blocked").length >= 2);
    await untilChecked(session.shortId, "unavailable");
    assertRefused(await authorize(server, session.fileId), { status: 404, code: "SCAN_BLOCKED" });
  });

  test("a file that differs from its expected digest never becomes clean", async () => {
    const bytes = someBytes(PART + 9, 6);
    const session = await startUpload(bytes, { sha256: sha256("another file") });
    await sendPlain(server, session, bytes);
    await complete(server, session);
    await untilChecked(session.shortId, "unavailable");
    assertRefused(await authorize(server, session.fileId), { status: 404, code: "SCAN_BLOCKED" });
  });

  test("a part URL accepts only the declared size", async () => {
    const bytes = someBytes(PART, 7);
    const session = await startUpload(bytes);
    const [url = ""] = await partUrls(server, session, bytes);
    assert.equal((await putPlain(url, someBytes(PART + 1, 7))).status, 403);
    assert.equal((await putPlain(url, someBytes(PART - 1, 7))).status, 403);
    assert.deepEqual(await listStored(session), []);
    await abort(server, session);
  });

  test("complete lists missing parts and refuses wrong ETags", async () => {
    const bytes = someBytes(2 * PART + 5, 8);
    const session = await startUpload(bytes);
    const first = await sendPlain(server, session, bytes, [1]);
    const early = await postComplete(server, session, { parts: first });
    assertRefused(early, { status: 409, code: "PARTS_MISSING" });
    assert.deepEqual(early.body.missing, [2, 3]);
    const rest = await sendPlain(server, session, bytes, [2, 3]);
    const foreign = [{ partNumber: 1, etag: `"${"0".repeat(32)}"` }, ...rest];
    assertRefused(await postComplete(server, session, { parts: foreign }), { status: 400, code: "VALIDATION_FAILED" });
    await complete(server, session, { parts: [...first, ...rest] });
    await untilChecked(session.shortId, "clean");
    assert.equal(await download(session.fileId), sha256(bytes));
  });

  test("an upload continues after a restart with the parts in the store", async () => {
    const bytes = someBytes(2 * PART + 5, 9);
    const session = await startUpload(bytes);
    const first = await sendPlain(server, session, bytes, [1]);
    await server.restart({ signal: "SIGKILL" });
    const parts = split(bytes, session);
    assert.deepEqual(await listStored(session), [{ partNumber: 1, size: PART, sha256: sha256(parts[0] ?? ""), etag: first[0]?.etag }]);
    await waitForPresignedParts(server, 2);
    await sendPlain(server, session, bytes, [2, 3]);
    assert.deepEqual(
      (await listStored(session)).map(({ size }) => size),
      [PART, PART, 5],
    );
    await complete(server, session);
    await untilChecked(session.shortId, "clean");
    assert.equal(await download(session.fileId), sha256(bytes));
  });

  test("an upload continues when FILEHOST_S3_UPLOADS changes between direct and proxy", async () => {
    for (const [from, to, seed] of [
      ["direct", "proxy", 10],
      ["proxy", "direct", 11],
    ] as const) {
      await using other = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: from } });
      if (from === "direct") await waitForPresignedParts(other);
      const bytes = someBytes(2 * PART, seed);
      const session = await init(other, { fileSize: bytes.length, partSize: PART });
      await sendPlain(other, session, bytes, [1]);
      await other.restart({ env: { FILEHOST_S3_UPLOADS: to } });
      if (to === "direct") await waitForPresignedParts(other);
      const [second = ""] = await partUrls(other, session, bytes, [2]);
      // An upload that started through the server continues there, since clients must not reach its staged bytes.
      assert.notEqual(new URL(second).origin, swift.endpoint);
      await sendPlain(other, session, bytes, [2]);
      await complete(other, session);
      const url = await until("it is clean", () => signedUrl(other, session.fileId));
      assert.equal(sha256(new Uint8Array(await (await fetch(url)).arrayBuffer())), sha256(bytes));
      assert.deepEqual(await audit(other), NOTHING);
    }
  });

  test("an abort removes every part from the store and invalidates the URLs", async () => {
    const before = await swift.segmentsOf(server.bucket);
    const bytes = someBytes(PART + 1, 12);
    const session = await startUpload(bytes);
    const [url = ""] = await partUrls(server, session, bytes);
    await sendPlain(server, session, bytes);
    assert.ok((await swift.segmentsOf(server.bucket)).length > before.length);
    await abort(server, session);
    assert.deepEqual((await listBucket(swift, server.bucket)).uploads, []);
    assert.deepEqual(await swift.segmentsOf(server.bucket), before);
    assert.equal((await putPlain(url, bytes.subarray(0, PART))).status, 404);
    assertRefused(await postUrls(server, session, { "1": sha256(bytes) }), { status: 404, code: "NOT_FOUND" });
  });

  test("idle uploads are expired in the store, but not one that received a part there", async () => {
    await using other = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "direct" } });
    await holdScheduledCleanup(other);
    await waitForPresignedParts(other);
    const bytes = someBytes(2 * PART, 13);
    const live = await init(other, { fileSize: bytes.length, partSize: PART });
    await sendPlain(other, live, bytes, [1]);
    const idle: Session[] = [];
    for (let count = 0; count < 5; count++) {
      const session = await init(other, { fileSize: bytes.length, partSize: PART });
      if (count < 2) await partUrls(other, session, bytes);
      idle.push(session);
    }
    assert.equal((await listBucket(swift, other.bucket)).uploads.length, 6);
    await withDatabase(other, (db) =>
      db
        .updateTable("upload_sessions")
        .set({ last_byte_at: Date.now() - 7 * HOUR_MS })
        .execute(),
    );
    await cleanUp(other);
    assert.equal((await listBucket(swift, other.bucket)).uploads.length, 1);
    for (const { shortId } of idle) assert.equal((await askShare(other, shortId)).status, 404);
    await sendPlain(other, live, bytes, [2]);
    await complete(other, live);
    await until("it is clean", async () => (await authorize(other, live.fileId)).status === 200);
  });

  test("auto detects that this store enforces nothing and proxies the parts", async () => {
    await using auto = await startOnS3(swift);
    await until("the store is known", () => uploadModeLogs(auto).length > 0);
    assert.match(
      uploadModeLogs(auto)[0] ?? "",
      /pass through the server: the store does not enforce the digests of parts, accepts parts after/,
    );
    const bytes = someBytes(PART + 1, 14);
    const session = await init(auto, { fileSize: bytes.length, partSize: PART });
    const [url = ""] = await partUrls(auto, session, bytes);
    assert.notEqual(new URL(url).origin, swift.endpoint);
    assert.equal((await putPlain(url, someBytes(PART, 15))).status, 400);
    await sendPlain(auto, session, bytes);
    const file = await complete(auto, session);
    assert.equal((await waitForScan(auto, file.shortId)).scanStatus, "clean");
    const { objects, uploads } = await listBucket(swift, auto.bucket);
    assert.deepEqual([objects.length, uploads], [1, []]);
  });
});
