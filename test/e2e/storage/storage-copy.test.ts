import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import type { CopyReport } from "../../../src/service/maintenance/copy-storage/copy-stats.ts";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { clamdMissing, type OwnClamd, startClamd } from "../../support/services/clamd.ts";
import { joinSwift, s3Settings, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { assertRefused, authorize, call, deleteFile, type Upload, upload } from "../support/api/api.ts";
import { assertNothingLostOrLeft, audit, cleanUp, findFile, waitForQuarantine } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { assertBlocked, assertPending, waitForScan } from "../support/shares/scanning.ts";
import {
  abort,
  complete,
  init,
  listUploadedParts,
  MB,
  partUrl,
  postComplete,
  postUrls,
  putPart,
  type Session,
  sha256,
  someBytes,
  uploadInParts,
} from "../support/uploads/multipart.ts";
import { downloadDigest, putFile } from "../support/uploads/transfers.ts";

const NOTHING = { missing: [], orphans: [] };
const PART_BYTES = 5 * MB;

type PrintedReport = Omit<CopyReport, "copied"> & { readonly copied: { readonly fileCount: number } };

/** Runs the command on the server's data to its end. */
async function copy(server: TestServer, from: string, to: string): Promise<PrintedReport> {
  const { code, stdout, stderr } = await server.run(["storage", "copy", "--from", from, "--to", to, "--json"]);
  assert.deepEqual([code, stderr], [0, ""], stdout);
  return JSON.parse(stdout);
}

interface StoredFile {
  readonly file: Upload;
  readonly digest: string;
}

/** Uploads and downloads until the copy has ended; resolves to the files that were stored and not deleted. */
async function useDuring(server: TestServer, copying: Promise<unknown>, stored: readonly StoredFile[]): Promise<StoredFile[]> {
  let hasCopied = false;
  const over = copying.finally(() => {
    hasCopied = true;
  });
  const added: StoredFile[] = [];
  const uploads = async () => {
    for (let seed = 1; !hasCopied || seed < 6; seed++) {
      const bytes = someBytes(seed % 3 === 0 ? 3 * MB + seed : 1000 * seed, 1000 + seed);
      added.push({ file: await putFile(server, `/new-${seed}.bin`, bytes), digest: sha256(bytes) });
      if (seed % 4 !== 0) continue;
      const { file } = added.splice(0, 1)[0] ?? assert.fail();
      await deleteFile(server, { fileId: file.id, token: file.deletionToken });
    }
  };
  const downloads = async () => {
    for (let round = 0; !hasCopied; round++) {
      const { file, digest } = stored[round % stored.length] ?? assert.fail();
      assert.equal(await downloadDigest(server, file.id), digest);
    }
  };
  await Promise.all([uploads(), downloads(), over]);
  return added;
}

async function assertAllStored(server: TestServer, stored: readonly StoredFile[]): Promise<void> {
  for (const { file, digest } of stored) {
    await waitForScan(server, file.shortId, 60_000);
    assert.equal(await downloadDigest(server, file.id), digest, file.name);
  }
}

/** An upload in two parts, of which the first is stored. */
async function startParts(server: TestServer, seed: number): Promise<{ session: Session; bytes: Uint8Array<ArrayBuffer>; url: string }> {
  const bytes = someBytes(PART_BYTES + 1000, seed);
  const session = await init(server, { fileSize: bytes.length, partSize: PART_BYTES });
  const first = bytes.subarray(0, PART_BYTES);
  assert.equal((await putPart(await partUrl(server, session, 1, first), first)).status, 200);
  return { session, bytes, url: await partUrl(server, session, 2, bytes.subarray(PART_BYTES)) };
}

/** A part's URL at the current port of the server, which a restart changes. */
const atCurrentPort = (server: TestServer, url: string): string => url.replace(/^http:\/\/[^/]+/, server.url);

describeUnless(swiftMissing ?? clamdMissing ?? longSkipped, "moving to another store", () => {
  let swift: TestSwift;
  let clamd: OwnClamd;
  let server: TestServer;
  before(async () => {
    [swift, clamd] = await Promise.all([joinSwift(), startClamd()]);
    server = await startServer({
      env: {
        FILEHOST_CLAMD: formatClamdAddress(clamd.unix),
        FILEHOST_MIN_FREE: "1MB",
        ...s3Settings(swift, await swift.createBucket()),
      },
    });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await clamd?.[Symbol.asyncDispose]();
  });

  test("copying to a bucket and back during use loses no stored file", async () => {
    const small = someBytes(70_000, 1);
    const large = someBytes(12 * MB + 5, 2);
    const stored: StoredFile[] = [
      { file: await upload(server, { bytes: small }), digest: sha256(small) },
      { file: await upload(server, { bytes: "" }), digest: sha256("") },
      { file: await uploadInParts(server, large), digest: sha256(large) },
    ];
    const limited = await upload(server, { bytes: small, fields: { maxDownloads: "3" } });
    const infected = await upload(server, { bytes: new Uint8Array(eicarFile()) });
    for (const { file } of stored) await waitForScan(server, file.shortId);
    await waitForScan(server, limited.shortId);
    assert.equal(await downloadDigest(server, limited.id), sha256(small));
    await waitForQuarantine(server, infected.id);

    stored.push(...(await useDuring(server, copy(server, "disk", "s3"), stored)));
    await clamd.kill();
    const pending = await upload(server, { bytes: small });
    const resumed = await startParts(server, 3);
    const aborted = await startParts(server, 4);
    const idle = await startParts(server, 5);
    await server.stop();
    const last = await copy(server, "disk", "s3");
    assert.ok(last.copied.fileCount > 0 && last.copied.fileCount <= stored.length, JSON.stringify(last));
    assert.deepEqual([last.failed, last.unknown, last.unfinishedUploads], [0, 0, 3]);
    await server.restart({ env: { FILEHOST_STORAGE: "s3" } });

    assert.deepEqual(await audit(server), NOTHING);
    await assertPending(server, pending.id);
    await assertBlocked(server, infected);
    assert.equal((await findFile(server, infected.id))?.blob_state, "quarantined");
    await clamd.restart();
    await assertAllStored(server, [...stored, { file: pending, digest: sha256(small) }]);
    assert.equal(await downloadDigest(server, limited.id), sha256(small));

    for (const { session, bytes, url } of [resumed, aborted, idle]) {
      const closed = { status: 409, code: "UPLOAD_CLOSED" };
      const rest = bytes.subarray(PART_BYTES);
      assertRefused(await putPart(atCurrentPort(server, url), rest), closed);
      assertRefused(await postUrls(server, session, { "2": sha256(rest) }), closed);
      assertRefused(await call(server, "GET", `/api/files/multipart/${session.uploadId}`), closed);
      const refused = await postComplete(server, session);
      assertRefused(refused, closed);
      assert.match(refused.body.error ?? "", /start a new upload/i);
    }
    await abort(server, aborted.session);
    await withDatabase(server, (db) =>
      db.updateTable("upload_sessions").set({ last_byte_at: 1 }).where("session_key", "=", idle.session.key).execute(),
    );
    await until("it is expired", async () => {
      await cleanUp(server);
      return (await postComplete(server, idle.session)).status === 404;
    });
    assert.deepEqual(await audit(server), NOTHING);

    stored.push(...(await useDuring(server, copy(server, "s3", "disk"), stored)));
    const [{ file: deleted } = assert.fail()] = stored.splice(0, 1);
    await deleteFile(server, { fileId: deleted.id, token: deleted.deletionToken });
    await server.stop();
    const back = await copy(server, "s3", "disk");
    assert.deepEqual([back.failed, back.unknown, back.unfinishedUploads], [0, 0, 1]);
    assert.ok(back.removed >= 1);
    await server.restart({ env: { FILEHOST_STORAGE: "disk" } });

    await assertNothingLostOrLeft(server);
    await assertBlocked(server, infected);
    await assertAllStored(server, [...stored, { file: pending, digest: sha256(small) }]);
    assert.equal(await downloadDigest(server, limited.id), sha256(small));
    assert.equal((await authorize(server, limited.id)).status, 404);
    // The parts that were stored on the disk before are still there.
    assert.deepEqual(
      (await listUploadedParts(server, resumed.session)).map(({ partNumber }) => partNumber),
      [1],
    );
    assert.equal((await putPart(atCurrentPort(server, resumed.url), resumed.bytes.subarray(PART_BYTES))).status, 200);
    const data = await complete(server, resumed.session);
    await assertAllStored(server, [{ file: data, digest: sha256(resumed.bytes) }]);
    await assertNothingLostOrLeft(server);
  });
});
