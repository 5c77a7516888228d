import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ScanStatus } from "../../../src/contract/scalars.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** downloads, "Limited shares" and "Archives". */
describe("an archive authorized before another file of its share is clean", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const setScan = (fileId: string, scan_status: ScanStatus, scanned_at: number | null): Promise<unknown> =>
    withDatabase(server, (db) => db.updateTable("files").set({ scan_status, scanned_at }).where("id", "=", fileId).execute());

  const kinds: readonly Readonly<Record<string, string>>[] = [{}, { maxDownloads: "2" }];
  for (const fields of kinds) {
    test(`contains only the counted files (${JSON.stringify(fields)})`, async () => {
      const { key } = await addAccount(server);
      const first = await upload(server, { name: "first.txt", bytes: "1", fields: { openShare: "true", ...fields } }, { key });
      const second = await upload(server, { name: "second.txt", bytes: "2", fields: { shareShortId: first.shortId } }, { key });
      await setScan(second.id, "pending", null);
      const body = await clientOf(server).call("authorizeArchive", { shortId: first.shortId });
      await setScan(second.id, "clean", Date.now() + 1000);
      const response = await fetch(body.url);
      assert.equal(response.status, 200);
      const zip = Buffer.from(await response.arrayBuffer()).toString("latin1");
      assert.match(zip, /first\.txt/);
      assert.doesNotMatch(zip, /second\.txt/);
      const counts = await withDatabase(server, (db) =>
        db.selectFrom("files").select("download_count").where("short_id", "=", first.shortId).orderBy("created_at").execute(),
      );
      assert.deepEqual(
        counts.map((row) => row.download_count),
        [1, 0],
      );
    });
  }
});
