import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ApiResponse, askDelete, askShare, call, clientOf, listFiles, signedUrl, upload } from "../support/api/api.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";

/** Repeats a request while the database is too busy for it, as clients do. */
const untilAvailable = (ask: () => Promise<ApiResponse>): Promise<ApiResponse> =>
  until("the database is free", async () => {
    const response = await ask();
    return response.status !== 503 && response;
  });

const ROUNDS = Array.from({ length: 8 }, (_, index) => index);

/** model, "Places"; storage, "One server". */
for (const { database, store, skip } of [
  { database: "server", store: "folder", skip: undefined },
  { database: "server", store: "bucket", skip: swiftMissing },
  { database: "file", store: "folder", skip: undefined },
] as const) {
  describeUnless(skip, `places of files at two server instances on one database, a ${database}, and one ${store}`, () => {
    let instances: ServerInstances;
    let key: string;
    let swift: TestSwift | undefined;
    before(async () => {
      swift = store === "bucket" ? await joinSwift() : undefined;
      instances = await startServerInstances({ count: 2, database, swift, env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0" } });
      const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
      key = (await clientOf(instances.instance(0)).call("signUp", person)).data.sessionToken;
    });
    after(async () => {
      await instances[Symbol.asyncDispose]();
    });

    const read = async (index: number, fileId: string): Promise<string | number> => {
      const response = await fetch(instances.at(index, await signedUrl(instances.instance(index), fileId)));
      return response.status === 200 ? await response.text() : response.status;
    };
    const countBytes = () =>
      instances.withDatabase(async (db) => {
        const rows = await db.selectFrom("files").select(["blob_key", "size_bytes"]).where("blob_state", "not in", ["removed"]).execute();
        const quota = await db.selectFrom("quotas").selectAll().executeTakeFirstOrThrow();
        const bytes = new Map(rows.map(({ blob_key, size_bytes }) => [blob_key, size_bytes])).values().reduce((sum, size) => sum + size, 0);
        assert.deepEqual([quota.used_bytes, quota.file_count], [bytes, rows.length]);
        return bytes;
      });
    const remove = (index: number, fileId: string, query: Readonly<Record<string, string>> = {}) =>
      untilAvailable(() => askDelete(instances.instance(index), { fileId, ...query }, { key }));

    test("a file that one instance shares again is listed, sent and deleted by the other", async () => {
      const file = await upload(instances.instance(0), { bytes: "shared again" }, { key });
      const { data } = await clientOf(instances.instance(1), { key }).call("shareFiles", { fileIds: [file.id] });
      const [item] = (await listFiles(instances.instance(0), key)).files;
      assert.deepEqual(
        item?.links.map(({ shortId }) => shortId),
        [file.shortId, data.shortId],
      );
      await remove(1, file.id);
      const [second] = (await listFiles(instances.instance(1), key)).files;
      assert.equal(second?.shortId, data.shortId);
      assert.equal(await read(0, second?.id ?? ""), "shared again");
      assert.equal((await remove(0, second?.id ?? "")).status, 200);
      assert.equal(await countBytes(), 0);
    });

    test("a file that is shared by one instance while the other deletes it has its bytes or is gone", async () => {
      for (const round of ROUNDS) {
        const file = await upload(instances.instance(0), { bytes: `round ${round}` }, { key });
        const [shared] = await Promise.all([
          untilAvailable(() => call(instances.instance(0), "POST", "/api/files/share", { key, json: { fileIds: [file.id] } })),
          remove(1, file.id),
        ]);
        const [left] = (await listFiles(instances.instance(1), key)).files;
        assert.equal(shared.status === 200, left !== undefined);
        assert.equal((await askShare(instances.instance(1), file.shortId)).status, 404);
        if (!left) continue;
        assert.equal(await read(1, left.id), `round ${round}`);
        await remove(0, left.id, { allLinks: "true" });
      }
      assert.equal(await countBytes(), 0);
    });
  });
}
