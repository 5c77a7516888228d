import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, getShare, listFiles } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { eventsOf } from "../support/servers/server-context.ts";
import { assertBlocked, readPage, waitForScan } from "../support/shares/scanning.ts";
import {
  abort,
  complete,
  init,
  listUploadedParts,
  MB,
  postComplete,
  sendParts,
  sha256,
  someBytes,
  uploadInParts,
} from "../support/uploads/multipart.ts";

/** uploads, "Expected digests"; scanning, "Why a file is blocked". */
describe("an expected SHA-256 of the whole file", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const failureOf = async (key: string, id: string): Promise<string | null | undefined> => {
    const { files } = await listFiles(server, key);
    return files.find((file) => file.id === id)?.failureReason;
  };

  test("refuses to complete an upload whose one part differs, until the right part is uploaded", async () => {
    const bytes = someBytes(MB, 1);
    const session = await init(server, { fileSize: MB, partSize: MB, sha256: sha256(bytes) });
    await sendParts(server, session, someBytes(MB, 2));
    for (let round = 0; round < 2; round++)
      assertRefused(await postComplete(server, session), { status: 422, code: "FILE_DIGEST_MISMATCH" });
    assert.equal((await listUploadedParts(server, session)).length, 1);
    await sendParts(server, session, bytes);
    await complete(server, session);
    const share = await waitForScan(server, session.shortId);
    assert.deepEqual([share.scanStatus, share.failureReason, share.sha256], ["clean", null, sha256(bytes)]);
  });

  test("allows a refused upload to be aborted, and applies to an empty file", async () => {
    const session = await init(server, { fileSize: MB, partSize: MB, sha256: sha256("other") });
    await sendParts(server, session, someBytes(MB, 3));
    assertRefused(await postComplete(server, session), { status: 422, code: "FILE_DIGEST_MISMATCH" });
    await abort(server, session);
    const empty = await init(server, { fileSize: 0, sha256: sha256("other") });
    assertRefused(await postComplete(server, empty), { status: 422, code: "FILE_DIGEST_MISMATCH" });
    const right = await init(server, { fileSize: 0, sha256: sha256("") });
    await complete(server, right);
  });

  test("blocks a file of several parts that differs as damaged, also after a rescan", async () => {
    const { key } = await addAccount(server);
    const file = await uploadInParts(server, someBytes(2 * MB, 4), { partSize: MB, sha256: sha256("other") }, { key });
    const share = await waitForScan(server, file.shortId);
    assert.deepEqual([share.scanStatus, share.failureReason], ["unavailable", "digest_mismatch"]);
    assert.equal(await failureOf(key, file.id), "digest_mismatch");
    await assertBlocked(server, file, /This file arrived damaged/);
    const { html } = await readPage(server, file.shortId);
    assert.match(html, /Ask the sender to upload it again/);
    assert.doesNotMatch(html, /malware/i);
    const failed = async (): Promise<unknown[]> =>
      (await eventsOf(server, file.id)).map(({ type, data }) => [type, JSON.parse(data).reason]);
    assert.deepEqual(await failed(), [["file.failed", "scan_failed"]]);

    const report = await server.run(["rescan", file.id, "--json"]);
    assert.equal(report.code, 0, report.stderr);
    await until("the file is scanned again", async () => (await failed()).length === 2);
    assert.equal((await getShare(server, file.shortId)).failureReason, "digest_mismatch");
    await assertBlocked(server, file, /This file arrived damaged/);
  });

  test("blocks one file of a shipment and shows it as damaged there", async () => {
    const { key } = await addAccount(server);
    const good = await uploadInParts(server, someBytes(10, 5), { fileName: "good.bin", openShare: true }, { key });
    const fields = { fileName: "bad.bin", partSize: MB, sha256: sha256("other"), shareShortId: good.shortId };
    await uploadInParts(server, someBytes(2 * MB, 6), fields, { key });
    const files = async () => (await getShare(server, good.shortId)).files ?? [];
    await until("both are scanned", async () => (await files()).every(({ scanStatus }) => /clean|unavailable/.test(scanStatus)));
    assert.deepEqual(
      (await files()).map(({ name, failureReason }) => [name, failureReason]),
      [
        ["good.bin", null],
        ["bad.bin", "digest_mismatch"],
      ],
    );
    assert.equal((await getShare(server, good.shortId)).failureReason, null);
    assert.match((await readPage(server, good.shortId)).html, /Blocked: damaged/);
  });
});
