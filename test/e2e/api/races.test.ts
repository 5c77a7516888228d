import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Account, addAccount, getMe, type ServerWith, withAccounts } from "../support/accounts.ts";
import { getChallenge, postRegistration, solve } from "../support/agents.ts";
import { askDelete, askShare, assertRefused, call, postUpload, type Upload, upload } from "../support/api.ts";
import { init, MB, postAbort, postComplete, postInit, sendParts, someBytes } from "../support/multipart.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { assertNothingLostOrLeft } from "../support/server-context.ts";
import { authorizeWith, changeSettings, credentialsIn, patchSettings, postClaim, postUnlock } from "../support/shares.ts";
import { countStoredState, withDatabase } from "../support/state.ts";

const ROUNDS = 8;

/** model, "Transitions"; downloads, "Limited shares". Concurrent requests end as if they had run in some order; nothing is lost or left behind. */
describe("concurrent requests", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(
      startPlainServer({
        FILEHOST_LIMITS: JSON.stringify({
          tiers: { free: { storageBytes: 100 * MB, storageMaxBytes: 100 * MB } },
          rates: { registrations: 100 },
        }),
      }),
      { owner: {} },
    );
  });
  after(async () => {
    await assertNothingLostOrLeft(server);
    await server[Symbol.asyncDispose]();
  });

  const usedBy = async ({ key }: Account): Promise<{ usedBytes: number; reservedBytes: number }> => {
    const me = await getMe(server, key);
    const { usedBytes, reservedBytes } = me.storage;
    return { usedBytes, reservedBytes };
  };

  test("exactly one of claim and delete succeeds, and quotas match the result", async () => {
    const account = await addAccount(server);
    let claimed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const file = await upload(server, { bytes: "x" });
      const remove = () => askDelete(server, { fileId: file.id, token: file.deletionToken });
      const [claiming, deleting] =
        round % 2 === 0
          ? await Promise.all([postClaim(server, { fileId: file.id, claimToken: file.claimToken }, account.key), remove()])
          : (await Promise.all([remove(), postClaim(server, { fileId: file.id, claimToken: file.claimToken }, account.key)])).reverse();
      assert.ok(claiming && deleting);
      assert.deepEqual([claiming.status, deleting.status].sort(), [200, 404]);
      if (claiming.status === 200) claimed += 1;
      assert.equal((await askShare(server, file.shortId)).status, claiming.status === 200 ? 200 : 404);
    }
    assert.deepEqual(await usedBy(account), { usedBytes: claimed, reservedBytes: 0 });
  });

  test("exactly as many of twenty inits just under the quota succeed as fit", async () => {
    const account = await addAccount(server);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => postInit(server, { fileName: "a", fileSize: 11 * MB }, { key: account.key })),
    );
    const good = responses.filter(({ status }) => status === 200);
    assert.equal(good.length, 9);
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual(await usedBy(account), { usedBytes: 0, reservedBytes: 99 * MB });
    await Promise.all(good.map(({ body }) => postAbort(server, body.data, { key: account.key })));
    assert.deepEqual(await usedBy(account), { usedBytes: 0, reservedBytes: 0 });
  });

  test("one proof of work gives one key in many concurrent registrations", async () => {
    const challenge = await getChallenge(server);
    const json = { challenge_id: challenge.challenge_id, nonce: solve(challenge) };
    const responses = await Promise.all(Array.from({ length: 5 }, () => postRegistration(server, json)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
  });

  test("no old credentials work after new ones are issued, even if used at the same time", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const file: Upload = await upload(server, { bytes: "x", fields: { protect: "true" } }, { key: server.owner.key });
      const { unlockCode, handoffToken } = credentialsIn(file);
      const [, unlocked, downloaded] = await Promise.all([
        changeSettings(server, { fileId: file.id, protect: true }, server.owner.key),
        postUnlock(server, { shortId: file.shortId, unlockCode }),
        authorizeWith(server, file.id, { handoffToken }),
      ]);
      if (unlocked.status === 200)
        assertRefused(await authorizeWith(server, file.id, { unlockToken: String(unlocked.body.unlockToken) }), {
          status: 403,
          code: "UNLOCK_INVALID",
        });
      if (downloaded.status === 200) assert.equal((await fetch(downloaded.body.url ?? "")).status, 403);
    }
  });

  test("only the last credentials work after several changes", async () => {
    const file = await upload(server, { bytes: "x" }, { key: server.owner.key });
    const changes = await Promise.all(
      Array.from({ length: 5 }, () => changeSettings(server, { fileId: file.id, protect: true }, server.owner.key)),
    );
    const tokens = changes.map((change) => credentialsIn(change).handoffToken);
    const statuses = await Promise.all(tokens.map(async (handoffToken) => (await authorizeWith(server, file.id, { handoffToken })).status));
    assert.deepEqual(statuses.sort(), [200, 403, 403, 403, 403]);
  });

  test("files that join a shipment while it expires are either in it or refused without remains", async () => {
    const before = await countStoredState(server);
    const first = await upload(server, { bytes: "x", fields: { openShare: "true" } }, { key: server.owner.key });
    const [responses] = await Promise.all([
      Promise.all(
        Array.from({ length: 10 }, () =>
          postUpload(server, { bytes: "x", fields: { shareShortId: first.shortId } }, { key: server.owner.key }),
        ),
      ),
      withDatabase(server, (db) =>
        db
          .updateTable("shares")
          .set({ expires_at: Date.now() - 1 })
          .where("short_id", "=", first.shortId)
          .execute(),
      ),
    ]);
    const joined = responses.filter(({ status }) => status === 200);
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 409, code: "SHARE_EXPIRED" });
    for (const { body } of joined) assert.equal(body.data.shortId, first.shortId);
    const now = await countStoredState(server);
    assert.deepEqual(
      { files: now.files - before.files, shares: now.shares - before.shares, reserved: now.reservedBytes },
      { files: joined.length + 1, shares: 1, reserved: before.reservedBytes },
    );
  });

  test("either complete or abort succeeds, and either the file or nothing exists", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const session = await init(server, { fileSize: 1000 }, { key: server.owner.key });
      await sendParts(server, session, someBytes(1000), { key: server.owner.key });
      const [completed, aborted] = await Promise.all([
        postComplete(server, session, {}, { key: server.owner.key }),
        postAbort(server, session, { key: server.owner.key }),
      ]);
      const { status } = await authorizeWith(server, session.fileId);
      assert.equal(status, completed.status === 200 ? 200 : 404, `${completed.status} ${aborted.status}`);
      if (completed.status === 200) assert.notEqual(aborted.status, 200);
    }
    assert.equal((await usedBy(server.owner)).reservedBytes, 0);
  });

  test("downloads and archives of a limited file are counted together", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const file = await upload(server, { bytes: "x", fields: { once: "true" } }, { key: server.owner.key });
      const responses = await Promise.all([
        authorizeWith(server, file.id),
        call(server, "GET", `/api/files/share/${file.shortId}/archive`),
        authorizeWith(server, file.id),
      ]);
      assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    }
  });

  test("an immutable setting and a deletion never both succeed", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const file = await upload(server, { bytes: "x" }, { key: server.owner.key });
      const [patched, deleted] = await Promise.all([
        patchSettings(server, { fileId: file.id, immutable: true }, server.owner.key),
        call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key: server.owner.key }),
      ]);
      const both = [patched.status, deleted.status];
      assert.ok(both.join() === "200,409" || both.join() === "404,200", both.join());
      assert.equal((await askShare(server, file.shortId)).status, patched.status);
    }
  });
});
