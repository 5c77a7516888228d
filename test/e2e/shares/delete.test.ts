import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount, createKey } from "../support/accounts.ts";
import {
  type ApiResponse,
  askDelete,
  askShare,
  assertRefused,
  authorize,
  type CallOptions,
  clientOf,
  deleteFile,
  getShare,
  signedUrl,
  upload,
} from "../support/api.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { changeSettings } from "../support/shares.ts";
import { countStoredState, withDatabase } from "../support/state.ts";

/** sharing, "Deleting" and "Immutable files and lineage". */
describe("DELETE /api/files/delete", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const remove = (query: Record<string, string>, options: CallOptions = {}): Promise<ApiResponse> => askDelete(server, query, options);

  test("removes the file, its bytes and its name immediately by the deletion token", async () => {
    const before = await countStoredState(server);
    const file = await upload(server, { bytes: "x" });
    const url = await signedUrl(server, file.id);
    const input = { fileId: file.id, token: file.deletionToken };
    assert.deepEqual(await clientOf(server).call("deleteFile", input), { success: true, data: { id: file.id, remainingLinks: 0 } });
    assert.equal((await fetch(url)).status, 404);
    assert.equal((await fetch(file.url)).status, 404);
    assertRefused(await askShare(server, file.shortId), { status: 404, code: "NOT_FOUND" });
    assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
    assert.equal((await fetch(server.url + file.sharePath)).status, 404);
    const after = await countStoredState(server);
    assert.deepEqual(after.stored, before.stored);
    assert.equal(after.usedBytes, before.usedBytes);
    assertRefused(await remove({ fileId: file.id, token: file.deletionToken ?? "" }), { status: 404, code: "NOT_FOUND" });
    const row = await withDatabase(server, (db) =>
      db.selectFrom("files").select(["name", "download_count", "status"]).where("id", "=", file.id).executeTakeFirstOrThrow(),
    );
    assert.deepEqual(row, { name: "", download_count: 0, status: "deleted" });
  });

  test("deletes a file by its owner's key", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, { key: owner.key });
    await deleteFile(server, { fileId: file.id }, owner);
    assertRefused(await remove({ fileId: file.id }, { key: owner.key }), { status: 404, code: "NOT_FOUND" });
  });

  test("responds to another account's file as to an unknown one", async () => {
    const owner = await addAccount(server);
    const otherAccount = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, { key: owner.key });
    const responses = await Promise.all([
      remove({ fileId: file.id }, { key: otherAccount.key }),
      remove({ fileId: "A".repeat(16) }, { key: otherAccount.key }),
      remove({ fileId: "A".repeat(16) }),
      remove({ fileId: file.id, token: "del_wrong" }),
    ]);
    for (const response of responses) {
      assertRefused(response, { status: 404, code: "NOT_FOUND" });
      assert.deepEqual(response.body, responses[0]?.body);
    }
    assertRefused(await remove({ fileId: file.id }), { status: 401, code: "UNAUTHENTICATED" });
    await getShare(server, file.shortId);
  });

  test("refuses a wrong token and the file's other tokens", async () => {
    const file = await upload(server, { bytes: "x" });
    const other = await upload(server, { bytes: "x" });
    for (const token of ["wrong", file.claimToken ?? "", other.deletionToken ?? "", `${file.deletionToken}x`, "x".repeat(1000)]) {
      assertRefused(await remove({ fileId: file.id, token }), { status: 403, code: "WRONG_TOKEN" });
    }
    assertRefused(await remove({ fileId: file.id }), { status: 403, code: "WRONG_TOKEN" });
    await getShare(server, file.shortId);
  });

  test("refuses a read-only key", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, owner);
    const { key } = await createKey(server, owner.key, { scope: "files_read" });
    assertRefused(await remove({ fileId: file.id }, { key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
  });

  test("refuses a missing id and an invalid key", async () => {
    assertRefused(await remove({}), { status: 400, code: "VALIDATION_FAILED" });
    const file = await upload(server, { bytes: "x" });
    assertRefused(await remove({ fileId: file.id, token: file.deletionToken ?? "" }, { key: "bc_no" }), {
      status: 401,
      code: "UNAUTHENTICATED",
    });
    await getShare(server, file.shortId);
  });

  test("succeeds for one of ten concurrent requests", async () => {
    const before = await countStoredState(server);
    const file = await upload(server, { bytes: "0123456789" });
    const responses = await Promise.all(Array.from({ length: 10 }, () => remove({ fileId: file.id, token: file.deletionToken ?? "" })));
    assert.deepEqual(responses.map((response) => response.status).sort(), [200, ...Array<number>(9).fill(404)]);
    assert.equal((await countStoredState(server)).usedBytes, before.usedBytes);
  });

  test("deletes an immutable file only for its owner and with force", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, { key: owner.key });
    await changeSettings(server, { shortId: file.shortId, immutable: true }, owner.key);
    assertRefused(await remove({ fileId: file.id }, { key: owner.key }), { status: 409, code: "IMMUTABLE" });
    await deleteFile(server, { fileId: file.id, force: "true" }, owner);
  });
});
