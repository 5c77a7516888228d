import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, getShare, upload } from "../support/api/api.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { createImport, startImportingServer, waitForEnd } from "../support/shares/imports.ts";

const PART_BYTES = 8 * 1024 * 1024;

/** administration, "Failed jobs". */
describe("a job that failed", () => {
  let server: ServerWith<"administrator" | "owner">;
  before(async () => {
    server = await withAccounts(startImportingServer(), { administrator: { isAdministrator: true }, owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const admin = () => clientOf(server, server.administrator);
  const listFailed = async () => (await admin().call("listFailedJobs", {})).data;
  /** Waits until a job has failed and is not tried again while the test looks at it. */
  const waitForFailure = (kind: string) =>
    until(`a job of ${kind} failed`, async () => {
      const later = { run_at: Date.now() + 3_600_000 };
      await withDatabase(server, (db) =>
        db
          .updateTable("jobs")
          .set(later)
          .where("kind", "=", kind)
          .where("failed_at", "is not", null)
          .where("lease_holder", "is", null)
          .execute(),
      );
      const failed = (await listFailed()).find((one) => one.kind === kind);
      return failed && !failed.isRunning && Date.parse(failed.nextAttemptAt ?? "") > Date.now() + 1_800_000 && failed;
    });

  test("is a scan of a file that could not be read, and succeeds by a retry after the file can be read", async () => {
    const file = await upload(server, { name: "notes.txt", bytes: "some bytes" }, server.owner);
    const blobs = join(server.dataDir, "blobs");
    await rename(blobs, `${blobs}.away`);
    await admin().call("rescanFile", { fileId: file.id });
    const failed = await waitForFailure("scan");
    assert.deepEqual([failed.subject, failed.name, failed.owner?.id], [file.id, "notes.txt", server.owner.userId]);
    assert.deepEqual([failed.canRetry, failed.canDrop], [true, false]);
    const path = `/api/admin/jobs/${failed.id}`;
    assertRefused(await call(server, "DELETE", path, server.administrator), { status: 409, code: "CONFLICT" });
    assert.deepEqual((await admin().call("dropFailedJobs", { kind: "scan" })).data, { dropped: 0, skipped: 1 });
    await rename(`${blobs}.away`, blobs);
    await admin().call("retryFailedJob", { id: failed.id });
    await until("the scan passed", async () => (await getShare(server, file.shortId)).scanStatus === "clean");
    assert.deepEqual(await listFailed(), []);
    const { data: audited } = await admin().call("listAuditLog", { subject: failed.id });
    assert.deepEqual(
      audited.map(({ action, account, details }) => [action, account?.id, details]),
      [["job.retried", server.owner.userId, { kind: "scan" }]],
    );
  });

  test("is an interrupted import, which a retry resumes and a drop cancels", async () => {
    const bytes = randomBytes(2 * PART_BYTES + 1234);
    let isBroken = true;
    const cutAfter = () => (isBroken ? (origin.requests.at(-1)?.headers.range ? 1000 : PART_BYTES + 500_000) : undefined);
    await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' }, cutAfter }) });
    const url = `${origin.url}/big.bin?token=a-secret`;
    const resumed = await createImport(server, { url }, server.owner.key);
    const failed = await waitForFailure("import");
    assert.deepEqual([failed.subject, failed.owner?.id, failed.canDrop], [resumed.jobId, server.owner.userId, true]);
    assert.ok(!JSON.stringify(failed).includes("a-secret"));
    isBroken = false;
    await admin().call("retryFailedJob", { id: failed.id });
    assert.equal((await waitForEnd(server, resumed)).status, "completed");
    const before = await countStoredState(server);
    isBroken = true;
    const cancelled = await createImport(server, { url }, server.owner.key);
    await admin().call("dropFailedJob", { id: (await waitForFailure("import")).id });
    assert.equal((await waitForEnd(server, cancelled)).status, "cancelled");
    await until("its bytes are deleted", async () => (await countStoredState(server)).stored.length === before.stored.length);
    assert.deepEqual(await countStoredState(server), before);
    assert.deepEqual(await listFailed(), []);
  });
});
