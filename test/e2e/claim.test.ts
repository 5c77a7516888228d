import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { addAccount } from "./support/accounts.ts";
import { assertRefused, authorize, type Body, call, getShare, type Upload, upload } from "./support/api.ts";
import { someBytes, uploadInParts } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { claim, postClaim } from "./support/shares.ts";
import { withDatabase } from "./support/state.ts";

const DAY_MS = 86_400_000;

interface Storage {
  readonly storage: { readonly usedBytes: number; readonly reservedBytes: number };
}

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
  const expiryOf = async (file: Upload): Promise<number | null> => {
    const { body } = await getShare(server, file.shortId);
    return typeof body.expires_at === "string" ? Date.parse(body.expires_at) : null;
  };
  const isNear = (ms: number | null, expected: number): void => {
    assert.ok(ms !== null && Math.abs(ms - expected) < 20_000, `${ms} is not about ${expected}`);
  };
  const usedBy = async (key: string): Promise<number> => {
    const { body } = await call<Body & { data: Storage }>(server, "GET", "/api/me", { key });
    assert.equal(body.data.storage.reservedBytes, 0);
    return body.data.storage.usedBytes;
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
    const { status, body } = await claim(server, file, key);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, { success: true, data: { id: file.id, shortCode: file.shortId } });
    const list = await call<Body & { data: { files: { id: string; isAnonymous: boolean }[] } }>(server, "GET", "/api/files/list", { key });
    assert.deepEqual(
      list.body.data.files.map(({ id, isAnonymous }) => ({ id, isAnonymous })),
      [{ id: file.id, isAnonymous: false }],
    );
    assert.equal((await authorize(server, file.id)).status, 200);
    const byToken = await call(server, "DELETE", `/api/files/delete?fileId=${file.id}&token=${file.deletionToken}`);
    assertRefused(byToken, { status: 404, code: "NOT_FOUND" });
    assert.equal((await call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key })).status, 200);
  });

  test("moves the file's storage to the account's quota", async () => {
    const { key } = await addAccount(server);
    const before = await anonymousUse();
    const file = await anonymous({}, someBytes(1000));
    assert.equal((await anonymousUse()) - before, 1000);
    assert.equal((await claim(server, file, key)).status, 200);
    assert.equal((await anonymousUse()) - before, 0);
    assert.equal(await usedBy(key), 1000);
    assert.equal((await call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key })).status, 200);
    assert.equal(await usedBy(key), 0);
    assert.equal((await anonymousUse()) - before, 0);
  });

  test("fails when the account's quota is too small, and changes nothing", async () => {
    const { key } = await addAccount(server);
    const file = await anonymous({}, someBytes(5001));
    const answer = await claim(server, file, key);
    assertRefused(answer, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(answer.body.limitKind, "STORAGE_QUOTA");
    assert.equal(answer.body.limitBytes, 5000);
    assert.equal(await usedBy(key), 0);
    const other = await addAccount(server, { tier: "pro" });
    assert.equal((await claim(server, file, other.key)).status, 200);
  });

  test("replaces a default expiry by the tier's, and keeps a chosen one", async () => {
    const free = await addAccount(server);
    const pro = await addAccount(server, { tier: "pro" });
    const plain = await anonymous();
    isNear(await expiryOf(plain), Date.now() + 3 * DAY_MS);
    assert.equal((await claim(server, plain, free.key)).status, 200);
    isNear(await expiryOf(plain), Date.now() + 7 * DAY_MS);
    const chosen = await anonymous({ ttl: "1d" });
    assert.equal((await claim(server, chosen, free.key)).status, 200);
    isNear(await expiryOf(chosen), Date.now() + DAY_MS);
    const chosenPro = await anonymous({ ttl: "2d" });
    assert.equal((await claim(server, chosenPro, pro.key)).status, 200);
    isNear(await expiryOf(chosenPro), Date.now() + 2 * DAY_MS);
    const defaultPro = await anonymous();
    assert.equal((await claim(server, defaultPro, pro.key)).status, 200);
    assert.equal(await expiryOf(defaultPro), null);
  });

  test("succeeds again for the same account and fails for another", async () => {
    const [first, second] = [await addAccount(server), await addAccount(server)];
    const file = await anonymous();
    assert.equal((await claim(server, file, first.key)).status, 200);
    assert.equal((await claim(server, file, first.key)).status, 200);
    assert.equal(await usedBy(first.key), 5);
    assertRefused(await claim(server, file, second.key), { status: 409, code: "CONFLICT" });
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
    await call(server, "DELETE", `/api/files/delete?fileId=${deleted.id}&token=${deleted.deletionToken}`);
    assertRefused(await claim(server, deleted, other.key), { status: 404, code: "NOT_FOUND" });
    const usedUp = await anonymous({ once: "true" });
    assert.equal((await authorize(server, usedUp.id)).status, 200);
    assertRefused(await claim(server, usedUp, other.key), { status: 404, code: "NOT_FOUND" });
  });

  test("succeeds for a file uploaded in parts", async () => {
    const { key } = await addAccount(server);
    const file = await uploadInParts(server, someBytes(3000));
    assert.equal((await claim(server, file, key)).status, 200);
    assert.equal(await usedBy(key), 3000);
  });

  test("succeeds for one of several concurrent accounts", async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => addAccount(server)));
    for (let round = 0; round < 5; round += 1) {
      const file = await anonymous();
      const answers = await Promise.all(accounts.map(({ key }) => claim(server, file, key)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
      const winner = accounts[answers.findIndex(({ status }) => status === 200)];
      const { body } = await call<Body & { data: { files: { id: string }[] } }>(server, "GET", "/api/files/list", {
        key: winner?.key ?? "",
      });
      assert.ok(body.data.files.some(({ id }) => id === file.id));
    }
    const used = await Promise.all(accounts.map(({ key }) => usedBy(key)));
    assert.equal(
      used.reduce((sum, bytes) => sum + bytes, 0),
      5 * 5,
    );
  });
});
