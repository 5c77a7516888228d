import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { askShare, authorize, call, getShare, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { authorizeWith, patchLink, postClaim } from "../support/shares/shares.ts";
import { type Entry, manyFiles, postBatch, type SentFile } from "../support/uploads/batches.ts";
import { postInit, someBytes } from "../support/uploads/multipart.ts";
import { joining, type OpenedShipment, openShipment } from "../support/uploads/sent-shipments.ts";

const KB = 1024;
const STORAGE_BYTES = 1000 * KB;
const small = { storageBytes: STORAGE_BYTES };
const LIMITS = JSON.stringify({ tiers: { anonymous: small, free: small } });
const ROUNDS = longSkipped === undefined ? 6 : 2;

/** uploads, "Many small files"; sharing, "Claiming", "Deleting" and "Protection"; limits, "Tiers". */
describe("batches during other changes", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_LIMITS: LIMITS });
  });
  after(async () => {
    await assertNothingLostOrLeft(server);
    await server[Symbol.asyncDispose]();
  });

  /** Sends several batches at the same time, and calls `act` once some files have arrived; resolves to the entries and to what `act` resolves to. */
  async function sendDuring<T>(
    shipment: OpenedShipment,
    arrivedBefore: number,
    act: () => Promise<T>,
  ): Promise<{ readonly entries: readonly Entry[]; readonly acted: T }> {
    const sending = Promise.all([0, 1, 2].map((n) => postBatch(server, joining(shipment), manyFiles(64, n * 64))));
    await until("some files have arrived", async () => (await countFiles(shipment.shortId)) >= arrivedBefore);
    const [responses, acted] = await Promise.all([sending, act()]);
    return { entries: responses.flatMap(({ status, body }) => (status === 200 ? body.data.files : [])), acted };
  }

  const countFiles = (shortId: string): Promise<number> =>
    withDatabase(server, async (db) => (await db.selectFrom("files").select("id").where("short_id", "=", shortId).execute()).length);

  const storedIds = (entries: readonly Entry[]): string[] =>
    entries.flatMap(({ id, error }) => (error === undefined ? [id] : [])).toSorted();

  /** Asserts that every quota equals the stored files that count on it, that none is above its limit, and that nothing is reserved. */
  const assertQuotasExact = (): Promise<void> =>
    withDatabase(server, async (db) => {
      const wrong = await sql`SELECT * FROM quotas LEFT JOIN
        (SELECT quota_owner, sum(size_bytes) AS bytes, count(*) AS files FROM files WHERE blob_state <> 'removed' GROUP BY quota_owner)
        ON quota_owner = owner WHERE reserved_bytes <> 0 OR used_bytes > ${STORAGE_BYTES}
        OR used_bytes <> coalesce(bytes, 0) OR file_count <> coalesce(files, 0)`.execute(db);
      assert.deepEqual(wrong.rows, []);
    });

  const claimBy = ({ key }: Account, { shortId, claimToken }: OpenedShipment) => postClaim(server, { fileId: shortId, claimToken }, key);

  const remove = (shortId: string, { key, token = "" }: { readonly key?: string; readonly token?: string | undefined }) =>
    call(server, "DELETE", `/api/files/delete?fileId=${shortId}&token=${token}`, key === undefined ? {} : { key });

  const countActive = (shortId: string): Promise<number> =>
    withDatabase(server, async (db) => {
      const active = db.selectFrom("files").select("id").where("short_id", "=", shortId).where("status", "=", "active");
      return (await active.execute()).length;
    });

  test("a claim moves the stored files, and files that join meanwhile or are refused", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await addAccount(server);
      const shipment = await openShipment(server);
      const { entries, acted } = await sendDuring(shipment, round * 20, () => claimBy(account, shipment));
      assert.equal(acted.status, 200, JSON.stringify(acted.body));
      const files = (await getShare(server, shipment.shortId)).files ?? [];
      const missing = storedIds(entries).filter((id) => !files.some((file) => file.id === id));
      assert.deepEqual(missing, []);
      assert.ok(files.every(({ uploading }) => uploading === false));
      for (const { errorCode } of entries) assert.ok(errorCode === undefined || errorCode === "WRONG_TOKEN", `${errorCode}`);
      const owners = await withDatabase(server, (db) =>
        db.selectFrom("files").select("owner_id").distinct().where("short_id", "=", shipment.shortId).execute(),
      );
      assert.ok(owners.every(({ owner_id }) => owner_id === account.userId));
      await assertQuotasExact();
      await remove(shipment.shortId, account);
    }
  });

  test("a deletion removes the stored files, and files that were being received", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const shipment = await openShipment(server);
      const { entries, acted } = await sendDuring(shipment, 1 + round * 20, () =>
        remove(shipment.shortId, { token: shipment.deletionToken }),
      );
      assert.equal(acted.status, 200, JSON.stringify(acted.body));
      assert.equal((await askShare(server, shipment.shortId)).status, 404);
      for (const id of storedIds(entries).slice(0, 5)) assert.equal((await authorize(server, id)).status, 404);
      for (const { errorCode } of entries)
        assert.ok([undefined, "WRONG_TOKEN", "SHARE_EXPIRED", "UPLOAD_CLOSED"].includes(errorCode), `${errorCode}`);
      await assertNothingLostOrLeft(server);
      await assertQuotasExact();
      assert.equal(await countActive(shipment.shortId), 0);
    }
  });

  test("a claim or a deletion succeeds, never both, and the files share its result", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await addAccount(server);
      const shipment = await openShipment(server);
      const { acted } = await sendDuring(shipment, 1 + round * 20, () =>
        Promise.all([claimBy(account, shipment), remove(shipment.shortId, { token: shipment.deletionToken })]),
      );
      const [claimed, deleted] = acted;
      assert.equal([claimed, deleted].filter(({ status }) => status === 200).length, 1, JSON.stringify(acted));
      assert.equal((await askShare(server, shipment.shortId)).status, claimed.status === 200 ? 200 : 404);
      await remove(shipment.shortId, account);
      await assertNothingLostOrLeft(server);
      assert.equal(await countActive(shipment.shortId), 0);
      await assertQuotasExact();
    }
  });

  test("protection applies to the files that are stored and to those that join", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const shipment = await openShipment(server);
      const protect = () => patchLink(server, { fileId: shipment.shortId, claimToken: shipment.claimToken, protect: true });
      const { entries, acted } = await sendDuring(shipment, 1 + round * 20, protect);
      assert.equal(acted.status, 200, JSON.stringify(acted.body));
      const ids = storedIds(entries);
      assert.equal(ids.length, 192);
      const { unlockCode } = (acted.body as { data: { unlockCode: string } }).data;
      for (const id of [ids[0], ids.at(-1), entries[0]?.id, entries.at(-1)?.id].filter((id) => id !== undefined)) {
        assert.equal((await authorize(server, id)).body.errorCode, "UNLOCK_REQUIRED");
        assert.equal((await authorizeWith(server, id, { unlockCode })).status, 200);
      }
      const again = await postBatch(server, joining(shipment), manyFiles(64));
      assert.ok(again.body.data.files.every(({ url }) => url === null));
      await remove(shipment.shortId, { token: shipment.deletionToken });
    }
    await assertNothingLostOrLeft(server);
    await assertQuotasExact();
  });

  const sized = (count: number, bytes: number, from: number): SentFile[] =>
    Array.from({ length: count }, (_, n) => ({ relativePath: `${from + n}.bin`, bytes: someBytes(bytes, from + n) }));

  const usedBy = (account: Account): Promise<number> =>
    withDatabase(server, async (db) => {
      const quota = await db.selectFrom("quotas").selectAll().where("owner", "=", `user:${account.userId}`).executeTakeFirst();
      return (quota?.used_bytes ?? 0) + (quota?.reserved_bytes ?? 0);
    });

  test("as many files of concurrent batches, uploads and a claim are stored as fit the quota", async () => {
    const account = await addAccount(server);
    const owned = await openShipment(server, {}, account);
    const fields = { shareShortId: owned.shortId };
    const claimable = await openShipment(server);
    const claimed = await postBatch(server, joining(claimable), sized(10, 10 * KB, 0));
    assert.ok(claimed.body.data.files.every(({ error }) => error === undefined));
    let isSending = true;
    const highest = (async () => {
      let most = 0;
      while (isSending) most = Math.max(most, await usedBy(account));
      return most;
    })();
    const [claim, ...sent] = await Promise.all([
      claimBy(account, claimable),
      ...[1, 2, 3, 4].map((n) => postBatch(server, fields, sized(40, 10 * KB, n * 100), account)),
    ]);
    isSending = false;
    const entries = sent.flatMap(({ body }) => body.data.files);
    const stored = storedIds(entries).length;
    assert.equal(stored, claim.status === 200 ? 90 : 100);
    for (const { errorCode } of entries) assert.ok(errorCode === undefined || errorCode === "QUOTA_EXCEEDED", `${errorCode}`);
    assert.ok((await highest) <= STORAGE_BYTES);
    assert.equal(await usedBy(account), STORAGE_BYTES);
    const more = await postInit(server, { fileName: "a", fileSize: 1 }, { key: account.key });
    assert.equal(more.body.errorCode, "QUOTA_EXCEEDED");
    await assertQuotasExact();
    await remove(claimable.shortId, claim.status === 200 ? account : { token: claimable.deletionToken });
    await remove(owned.shortId, account);
    await assertNothingLostOrLeft(server);
    assert.equal(await usedBy(account), 0);
    await upload(server, { bytes: someBytes(10) }, account);
  });

  test("concurrent batches of files of unequal size never exceed the quota of their address", async () => {
    const shipments = await Promise.all([1, 2, 3].map(() => openShipment(server)));
    const sent = await Promise.all(
      shipments.map((shipment, n) =>
        postBatch(server, joining(shipment), [...sized(30, 7 * KB + n, n * 100), ...sized(30, 9 * KB + n, n * 100 + 50)]),
      ),
    );
    const entries = sent.flatMap(({ body }) => body.data.files);
    const used = entries.reduce((sum, { error, size }) => sum + (error === undefined ? size : 0), 0);
    assert.ok(used <= STORAGE_BYTES && used > STORAGE_BYTES - 10 * KB, `${used}`);
    await assertQuotasExact();
    for (const { shortId, deletionToken } of shipments) await remove(shortId, { token: deletionToken });
  });
});
