import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eicarFile } from "../../../src/scan/eicar.ts";
import type { TestServer } from "../../support/server.ts";
import { clamdMissing, joinClamd } from "../../support/services/clamd.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import {
  askShare,
  assertRefused,
  authorize,
  call,
  clientOf,
  deleteFile,
  type Upload,
  type UploadForm,
  upload,
} from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { audit, cleanUp, holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { abort, complete, init, MB, partUrl, putPart, sendParts, sha256, someBytes, uploadInParts } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const NOTHING = { missing: [], orphans: [] };

/** storage, "Rows and bytes" and "Parts and an S3 store": how bytes are stored in a bucket and removed from it. */
describeUnless(swiftMissing, "uploads to a server on S3", () => {
  let swift: TestSwift;
  let server: TestServer;
  before(async () => {
    swift = await joinSwift();
    server = await startOnS3(swift, { env: { FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" } });
    await holdScheduledCleanup(server);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
  });

  const put = async (body: BodyInit): Promise<Upload> => {
    const init = { method: "PUT", body, headers: { Accept: "application/json" }, duplex: "half" };
    const response = await fetch(`${server.url}/stream.bin`, init);
    const uploaded = (await response.json()) as { data: Upload };
    assert.equal(response.status, 200, JSON.stringify(uploaded));
    return uploaded.data;
  };

  test("forms, streams without a declared length and parts are stored intact", async () => {
    const large = someBytes(19 * MB + 7);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < large.length; at += MB) controller.enqueue(large.slice(at, at + MB));
        controller.close();
      },
    });
    const form: UploadForm = { bytes: "a note" };
    for (const [file, digest] of [
      [await upload(server, form), sha256("a note")],
      [await upload(server, { bytes: "" }), sha256("")],
      [await put(large), sha256(large)],
      [await put(stream), sha256(large)],
      [await uploadInParts(server, large, { partSize: MB }), sha256(large)],
    ] as const) {
      assert.equal(await downloadDigest(server, file.id), digest, file.name);
    }
    assert.deepEqual(await audit(server), NOTHING);
  });

  test("a wrong part is refused and the stored one stays, and an abort leaves nothing", async () => {
    const bytes = someBytes(7 * MB, 3);
    const session = await init(server, { fileSize: bytes.length, partSize: 5 * MB });
    const parts = await sendParts(server, session, bytes);
    const url = await partUrl(server, session, 1, bytes.subarray(0, 5 * MB));
    assertRefused(await putPart(url, someBytes(5 * MB, 4)), { status: 400, code: "DIGEST_MISMATCH" });
    const file = await complete(server, session, { parts });
    assert.equal(await downloadDigest(server, file.id), sha256(bytes));
    // A completed upload confirms a part that its file contains and refuses any other; neither is written.
    assert.equal((await putPart(url, bytes.subarray(0, 5 * MB))).status, 200);
    assertRefused(await putPart(url, someBytes(5 * MB, 4)), { status: 400, code: "DIGEST_MISMATCH" });
    assert.equal(await downloadDigest(server, file.id), sha256(bytes));

    const aborted = await init(server, { fileSize: bytes.length, partSize: 5 * MB });
    await sendParts(server, aborted, bytes);
    await abort(server, aborted);
    assert.deepEqual(await audit(server), NOTHING);
  });

  test("an import is stored in the bucket", async () => {
    const bytes = someBytes(18 * MB, 9);
    await using origin = await startOrigin({ "/film.bin": sendFile({ bytes, headers: { etag: '"1"', "accept-ranges": "bytes" } }) });
    const { data } = await clientOf(server).call("importFile", { url: `${origin.url}/film.bin` });
    assert.equal(await downloadDigest(server, data.id), sha256(bytes));
  });

  test("an infected file is quarantined and a clean one is served", { skip: clamdMissing }, async () => {
    const clamd = await joinClamd();
    const socket = clamd.unix.kind === "unix" ? clamd.unix.path : "";
    await using scanned = await startOnS3(swift, { env: { FILEHOST_SCANNER: "clamd", FILEHOST_CLAMD: `unix:${socket}` } });
    const clean = await upload(scanned, { bytes: "harmless" });
    const infected = await upload(scanned, { bytes: new Uint8Array(eicarFile()) });
    await until("both are checked", () =>
      withDatabase(scanned, async (db) => {
        const rows = await db.selectFrom("files").select(["id", "blob_state", "scan_status"]).execute();
        const states = new Map(rows.map((row) => [row.id, `${row.blob_state} ${row.scan_status}`]));
        return states.get(clean.id) === "stored clean" && states.get(infected.id)?.startsWith("quarantined");
      }),
    );
    assert.equal(await downloadDigest(scanned, clean.id), sha256("harmless"));
    assert.equal((await authorize(scanned, infected.id)).status, 404);
    assert.deepEqual(await audit(scanned), NOTHING);
  });

  test("the cleanup removes the bytes of deleted and expired files and orphans", async () => {
    const [deleted, expired] = [await upload(server, { bytes: "x" }), await upload(server, { bytes: "y" })];
    await deleteFile(server, { fileId: deleted.id, token: deleted.deletionToken });
    await withDatabase(server, (db) => db.updateTable("shares").set({ expires_at: 1 }).where("short_id", "=", expired.shortId).execute());
    assert.equal((await askShare(server, expired.shortId)).status, 404);
    const unfinished = await init(server, { fileSize: 6 * MB, partSize: 5 * MB });
    await withDatabase(server, (db) => db.deleteFrom("upload_sessions").where("file_id", "=", unfinished.fileId).execute());
    await withDatabase(server, (db) => db.deleteFrom("files").where("id", "=", unfinished.fileId).execute());
    const found = await audit(server);
    assert.deepEqual(found.missing, []);
    assert.deepEqual(
      found.orphans.map(({ where }) => where),
      ["staging"],
    );
    await cleanUp(server);
    assert.deepEqual(await audit(server), NOTHING);
  });

  test("an upload whose client disconnects leaves nothing", async () => {
    const aborter = new AbortController();
    let sentBytes = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        sentBytes += MB;
        if (sentBytes > 12 * MB) aborter.abort();
        else controller.enqueue(new Uint8Array(MB));
      },
    });
    const init = { method: "PUT", body: stream, signal: aborter.signal, duplex: "half" };
    await assert.rejects(fetch(`${server.url}/gone.bin`, init));
    await until("its rows are gone", () =>
      withDatabase(
        server,
        async (db) => (await db.selectFrom("upload_sessions").select("id").where("kind", "=", "direct").execute()).length === 0,
      ),
    );
    await until("its parts are gone", async () => (await audit(server)).orphans.length === 0);
  });

  test("an unavailable store causes 503 with Retry-After and leaves no rows", async () => {
    await using unavailable = await startOnS3(swift, { env: { FILEHOST_S3_ENDPOINT: "http://127.0.0.1:9" } });
    const refused = await call(unavailable, "PUT", "/note.txt", { body: "x", headers: { Accept: "application/json" } });
    assertRefused(refused, { status: 503, code: "UNAVAILABLE" });
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    const rows = await withDatabase(unavailable, (db) => db.selectFrom("files").select("id").execute());
    assert.deepEqual(rows, []);
    assert.equal((await fetch(`${unavailable.url}/health`)).status, 503);
    await until("the log says so", () => unavailable.logs().some(({ msg }) => msg === "file store unavailable"));
  });
});
