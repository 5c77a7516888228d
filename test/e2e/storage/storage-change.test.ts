import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, test } from "node:test";
import { sampled } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { joinSwift, s3Settings, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { assertNothingLostOrLeft, audit } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createImport, waitForEnd } from "../support/shares/imports.ts";
import { abort, complete, init, MB, postComplete, putPart, sendParts, sha256, someBytes, split } from "../support/uploads/multipart.ts";
import { atServer, downloadDigest } from "../support/uploads/transfers.ts";

const PART_BYTES = 8 * MB;

/** storage, "Changing the store": what happens to unfinished uploads. */
describeUnless(swiftMissing, "a change of the store", () => {
  let swift: TestSwift;
  before(async () => {
    swift = await joinSwift();
  });

  const startOn = async (storage: string): Promise<TestServer> =>
    await startServer({
      env: {
        FILEHOST_SCANNER: "off",
        FILEHOST_MIN_FREE: "1MB",
        FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
        FILEHOST_STORAGE: storage,
        ...s3Settings(swift, await swift.createBucket()),
      },
    });

  const changes = [
    ["disk", "s3"],
    ["s3", "disk"],
  ] as const;
  for (const [from, to] of sampled(changes, 2)) {
    test(`refuses complete of a fully sent upload, and accepts a new upload, from ${from} to ${to}`, async () => {
      await using server = await startOn(from);
      const bytes = someBytes(PART_BYTES + 1000, 1);
      const session = await init(server, { fileSize: bytes.length, partSize: PART_BYTES });
      await sendParts(server, session, bytes);
      await server.restart({ env: { FILEHOST_STORAGE: to } });
      assertRefused(await postComplete(server, session), { status: 409, code: "UPLOAD_CLOSED" });
      assert.deepEqual(await audit(server), { missing: [], orphans: [] });
      await abort(server, session);
      const again = await init(server, { fileSize: bytes.length, partSize: PART_BYTES });
      const parts = await sendParts(server, again, bytes);
      const file = await complete(server, again, { parts });
      assert.equal(await downloadDigest(server, file.id), sha256(bytes));
      await assertNothingLostOrLeft(server);
    });

    test(`starts an import again, from ${from} to ${to}`, async () => {
      await using server = await startOn(from);
      const { key } = await addAccount(server);
      const bytes = randomBytes(2 * PART_BYTES + 1234);
      const stalls: (number | undefined)[] = [PART_BYTES + 500_000];
      await using origin = await startOrigin({
        "/big.bin": sendFile({ bytes, headers: { etag: '"1"' }, stallAfter: () => stalls.shift() }),
      });
      const created = await createImport(server, { url: `${origin.url}/big.bin` }, key);
      await until("a part is there", () => withDatabase(server, (db) => db.selectFrom("upload_parts").selectAll().executeTakeFirst()));
      await server.restart({ env: { FILEHOST_STORAGE: to } });
      const job = await waitForEnd(server, created);
      assert.equal(job.status, "completed", JSON.stringify(job));
      assert.equal(await downloadDigest(server, job.fileId ?? ""), sha256(bytes));
      assert.deepEqual(
        origin.requests.map(({ headers }) => headers.range),
        [undefined, undefined],
      );
      await assertNothingLostOrLeft(server);
    });

    test(`continues a delegated upload when its parts are sent again, from ${from} to ${to}`, async () => {
      await using server = await startOn(from);
      const { key } = await addAccount(server);
      const bytes = someBytes(20 * MB, 2);
      const { data: delegation } = await clientOf(server, { key }).call("createDelegation", { name: "d.bin", sizeBytes: bytes.length });
      const { delegationToken, uploadId, chunkSize, totalParts = 0 } = delegation;
      const parts = split(bytes, { chunkSize, totalParts });
      assert.deepEqual([parts.length, chunkSize], [totalParts, 16 * MB]);
      const named = { delegationToken, uploadId, key: delegation.key };
      const askComplete = () => call(server, "POST", "/api/files/upload-delegations/multipart/complete", { json: named });
      const send = async (numbers: readonly number[]): Promise<void> => {
        const partDigests = Object.fromEntries(parts.map((part, index) => [index + 1, sha256(part)]));
        const { urls } = await clientOf(server).call("batchDelegatedPartUrls", { ...named, totalParts, partDigests });
        for (const number of numbers) {
          const part = parts[number - 1] ?? assert.fail();
          assert.equal((await putPart(atServer(server, urls[number] ?? ""), part)).status, 200);
        }
      };
      await send([1]);
      await server.restart({ env: { FILEHOST_STORAGE: to } });
      assertRefused(await askComplete(), { status: 409, code: "UPLOAD_CLOSED" });
      await send([2]);
      assertRefused(await askComplete(), { status: 409, code: "PARTS_MISSING" });
      await send([1]);
      const { data } = await clientOf(server).call("completeDelegatedMultipart", named);
      assert.equal(await downloadDigest(server, data.id), sha256(bytes));
      await assertNothingLostOrLeft(server);
    });
  }
});
