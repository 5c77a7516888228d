import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount, getMe } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, deleteFile, getShare, listFiles, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { claim, postClaim } from "../support/shares/shares.ts";
import { someBytes, uploadInParts } from "../support/uploads/multipart.ts";

/** sharing, "Claiming". */
describe("claiming an anonymous upload", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({
      FILEHOST_LIMITS: JSON.stringify({ tiers: { free: { storageBytes: 5000, storageMaxBytes: 5000 } } }),
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const anonymous = (fields: Record<string, string> = {}, bytes: string | Uint8Array<ArrayBuffer> = "hello"): Promise<Upload> =>
    upload(server, { bytes, fields });
  const askClaim = ({ id, claimToken }: Upload, key: string) => postClaim(server, { fileId: id, claimToken }, key);
  const expiryOf = async (file: Upload): Promise<number | null> => {
    const { expires_at } = await getShare(server, file.shortId);
    return expires_at === null ? null : Date.parse(expires_at);
  };
  const isNear = (ms: number | null, expected: number): void => {
    assert.ok(ms !== null && Math.abs(ms - expected) < 20_000, `${ms} is not about ${expected}`);
  };
  const usedBy = async (key: string): Promise<number> => {
    const { storage } = await getMe(server, key);
    assert.equal(storage.reservedBytes, 0);
    return storage.usedBytes;
  };
  const anonymousUse = () =>
    withDatabase(server, async (db) => {
      const rows = await db.selectFrom("quotas").selectAll().execute();
      const used = rows.filter(({ owner }) => !owner.startsWith("user:")).reduce((sum, row) => sum + row.used_bytes, 0);
      return used;
    });

  test("returns the file and its code, and makes the key's account the owner", async () => {
    const { key } = await addAccount(server);
    const file = await anonymous();
    const response = await clientOf(server, { key }).call("claimFile", { fileId: file.id, claimToken: file.claimToken ?? "" });
    assert.deepEqual(response, { success: true, data: { id: file.id, shortCode: file.shortId } });
    const { files } = await listFiles(server, key);
    assert.deepEqual(
      files.map(({ id, isAnonymous }) => ({ id, isAnonymous })),
      [{ id: file.id, isAnonymous: false }],
    );
    await signedUrl(server, file.id);
    const byToken = await call(server, "DELETE", `/api/files/delete?fileId=${file.id}&token=${file.deletionToken}`);
    assertRefused(byToken, { status: 404, code: "NOT_FOUND" });
    await deleteFile(server, { fileId: file.id }, { key });
  });

  test("moves the file's storage to the account's quota", async () => {
    const { key } = await addAccount(server);
    const before = await anonymousUse();
    const file = await anonymous({}, someBytes(1000));
    assert.equal((await anonymousUse()) - before, 1000);
    await claim(server, file, key);
    assert.equal((await anonymousUse()) - before, 0);
    assert.equal(await usedBy(key), 1000);
    await deleteFile(server, { fileId: file.id }, { key });
    assert.equal(await usedBy(key), 0);
    assert.equal((await anonymousUse()) - before, 0);
  });

  test("fails when the account's quota is too small, and changes nothing", async () => {
    const { key } = await addAccount(server);
    const file = await anonymous({}, someBytes(5001));
    const response = await askClaim(file, key);
    assertRefused(response, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(response.body.limitKind, "STORAGE_QUOTA");
    assert.equal(response.body.limitBytes, 5000);
    assert.equal(await usedBy(key), 0);
    const other = await addAccount(server, { tier: "pro" });
    await claim(server, file, other.key);
  });

  test("replaces a default expiry by the tier's, and keeps a chosen one", async () => {
    const free = await addAccount(server);
    const pro = await addAccount(server, { tier: "pro" });
    const plain = await anonymous();
    isNear(await expiryOf(plain), Date.now() + 3 * DAY_MS);
    await claim(server, plain, free.key);
    isNear(await expiryOf(plain), Date.now() + 7 * DAY_MS);
    const chosen = await anonymous({ ttl: "1d" });
    await claim(server, chosen, free.key);
    isNear(await expiryOf(chosen), Date.now() + DAY_MS);
    const chosenPro = await anonymous({ ttl: "2d" });
    await claim(server, chosenPro, pro.key);
    isNear(await expiryOf(chosenPro), Date.now() + 2 * DAY_MS);
    const defaultPro = await anonymous();
    await claim(server, defaultPro, pro.key);
    assert.equal(await expiryOf(defaultPro), null);
  });

  test("succeeds again for the same account and fails for another", async () => {
    const [first, second] = [await addAccount(server), await addAccount(server)];
    const file = await anonymous();
    await claim(server, file, first.key);
    await claim(server, file, first.key);
    assert.equal(await usedBy(first.key), 5);
    assertRefused(await askClaim(file, second.key), { status: 409, code: "CONFLICT" });
    assert.equal(await usedBy(second.key), 0);
  });

  test("fails without a key, with an invalid one and with a read-only one", async () => {
    const file = await anonymous();
    const json = { fileId: file.id, claimToken: file.claimToken };
    assertRefused(await postClaim(server, json), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await postClaim(server, json, "bc_nothing"), { status: 401, code: "UNAUTHENTICATED" });
    const reader = await addAccount(server, { scope: "files_read" });
    assertRefused(await postClaim(server, json, reader.key), { status: 403, code: "INSUFFICIENT_SCOPE" });
  });

  test("responds 403 to a wrong token, 404 to an unknown file and 400 to invalid fields", async () => {
    const { key } = await addAccount(server);
    const file = await anonymous();
    const other = await anonymous();
    const post = (json: object) => postClaim(server, json, key);
    assertRefused(await post({ fileId: file.id, claimToken: other.claimToken }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await post({ fileId: file.id, claimToken: file.deletionToken }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await post({ fileId: "aaaaaaaaaaaaaaaa", claimToken: file.claimToken }), { status: 404, code: "NOT_FOUND" });
    for (const json of [
      {},
      { fileId: file.id },
      { claimToken: file.claimToken },
      { fileId: "1234567", claimToken: file.claimToken },
      { fileId: file.id, claimToken: "1234567" },
      { fileId: 12345678, claimToken: file.claimToken },
    ]) {
      assertRefused(await post(json), { status: 400, code: "VALIDATION_FAILED" });
    }
    assert.equal((await post({ fileId: file.id, claimToken: file.claimToken, step: "x" })).status, 200);
  });

  test("fails for a file uploaded with a key, a deleted file and a used-up one", async () => {
    const [owner, other] = [await addAccount(server), await addAccount(server)];
    const owned = await upload(server, { bytes: "x" }, { key: owner.key });
    assert.equal(owned.claimToken, undefined);
    assert.notEqual((await postClaim(server, { fileId: owned.id, claimToken: "claim_anything" }, other.key)).status, 200);
    const deleted = await anonymous();
    await deleteFile(server, { fileId: deleted.id, token: deleted.deletionToken });
    assertRefused(await askClaim(deleted, other.key), {
      status: 404,
      code: "NOT_FOUND",
    });
    const usedUp = await anonymous({ once: "true" });
    await signedUrl(server, usedUp.id);
    assertRefused(await askClaim(usedUp, other.key), {
      status: 404,
      code: "NOT_FOUND",
    });
  });

  test("succeeds for a file uploaded in parts", async () => {
    const { key } = await addAccount(server);
    const file = await uploadInParts(server, someBytes(3000));
    await claim(server, file, key);
    assert.equal(await usedBy(key), 3000);
  });

  test("succeeds for one of several concurrent accounts", async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => addAccount(server)));
    for (let round = 0; round < 5; round += 1) {
      const file = await anonymous();
      const responses = await Promise.all(accounts.map(({ key }) => askClaim(file, key)));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409]);
      const winner = accounts[responses.findIndex(({ status }) => status === 200)];
      const { files } = await listFiles(server, winner?.key ?? "");
      assert.ok(files.some(({ id }) => id === file.id));
    }
    const used = await Promise.all(accounts.map(({ key }) => usedBy(key)));
    assert.equal(
      used.reduce((sum, bytes) => sum + bytes, 0),
      5 * 5,
    );
  });
});
