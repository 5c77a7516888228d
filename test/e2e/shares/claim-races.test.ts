import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts.ts";
import { type ApiResponse, askDelete, type Upload, upload } from "../support/api.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { cleanUp, holdScheduledCleanup } from "../support/server-context.ts";
import { claim, postClaim } from "../support/shares.ts";
import { withDatabase } from "../support/state.ts";

/** sharing, "Claiming" and "Deleting"; expiry, "Blocked files". */
describe("a claim during other changes to the file", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const askClaim = (file: Upload): Promise<ApiResponse> =>
    postClaim(server, { fileId: file.id, claimToken: file.claimToken }, server.owner.key);
  const remove = (file: Upload): Promise<ApiResponse> => askDelete(server, { fileId: file.id, token: file.deletionToken });

  test("succeeds or loses to a concurrent deletion by token, never both", async () => {
    for (let round = 0; round < 40; round++) {
      const file = await upload(server, { bytes: "x" });
      const [claimed, removed] = await Promise.all([askClaim(file), remove(file)]);
      const won = [claimed, removed].filter(({ status }) => status === 200);
      assert.equal(won.length, 1, JSON.stringify([claimed.body, removed.body]));
    }
  });

  test("uses no storage for a blocked file whose bytes have been removed", async () => {
    const file = await upload(server, { bytes: "12345" });
    const used = (): Promise<number[]> =>
      withDatabase(server, async (db) => {
        const rows = await db.selectFrom("quotas").select(["owner", "used_bytes"]).orderBy("owner").execute();
        return rows.map((row) => row.used_bytes).filter((bytes) => bytes > 0);
      });
    const withFile = await used();
    await withDatabase(server, (db) =>
      db
        .updateTable("files")
        .set({ scan_status: "unavailable", scan_reason: "infected", remove_at: 1 })
        .where("id", "=", file.id)
        .execute(),
    );
    await cleanUp(server);
    const sum = (bytes: readonly number[]): number => bytes.reduce((total, each) => total + each, 0);
    assert.equal(sum(await used()), sum(withFile) - 5);
    const before = await used();
    await claim(server, file, server.owner.key);
    assert.deepEqual(await used(), before);
  });
});
