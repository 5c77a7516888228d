import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { addAccount } from "./support/accounts.ts";
import { assertRefused, call, getShare, signedUrl, type Upload, upload } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { authorizeWith, claim, credentialsIn, patchLink, postUnlock } from "./support/shares.ts";

/** sharing, "Protection". */
describe("link protection of an anonymous upload", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("stores the message without control characters", async () => {
    const file = await upload(server, { bytes: "hello" });
    const { body } = await patchLink(server, {
      fileId: file.id,
      claimToken: file.claimToken,
      protect: true,
      handoffMessage: "a\0b\nc 👩‍🚀",
    });
    const { handoffToken } = credentialsIn(body.data);
    assert.equal((await call(server, "GET", `/api/files/handoff/${handoffToken}`)).body.message, "ab\nc 👩‍🚀");
  });

  const anonymous = (): Promise<Upload> => upload(server, { bytes: "hello" });
  const patch = (file: Upload, fields: object = {}) =>
    patchLink(server, { fileId: file.id, claimToken: file.claimToken, protect: true, ...fields });

  test("returns credentials once and takes effect immediately", async () => {
    const file = await anonymous();
    const url = await signedUrl(server, file.id);
    const { status, body } = await patch(file, { handoffMessage: "For you" });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      { success: body.success, fileId: body.data.fileId, shortId: body.data.shortId, unlockRequired: body.data.unlockRequired },
      { success: true, fileId: file.id, shortId: file.shortId, unlockRequired: true },
    );
    const { unlockCode, handoffToken } = credentialsIn(body.data);
    assert.equal((await getShare(server, file.shortId)).body.unlockRequired, true);
    assert.equal((await fetch(url)).status, 403);
    assert.equal((await fetch(file.url)).status, 403);
    assertRefused(await authorizeWith(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
    assert.equal((await authorizeWith(server, file.id, { unlockCode })).status, 200);
    const handoff = await call(server, "GET", `/api/files/handoff/${handoffToken}`);
    assert.equal(handoff.status, 200);
    assert.deepEqual(
      { shortId: handoff.body.shortId, name: handoff.body.name, message: handoff.body.message },
      { shortId: file.shortId, name: "note.txt", message: "For you" },
    );
    const info = await call(server, "GET", `/api/files/info?file_code=${file.shortId}`);
    assert.equal((info.body.result as { unlockRequired: boolean }[])[0]?.unlockRequired, true);
  });

  test("replaces the credentials when repeated, and clears them with protect false", async () => {
    const file = await anonymous();
    const old = credentialsIn((await patch(file)).body.data);
    const url = (await authorizeWith(server, file.id, { unlockCode: old.unlockCode })).body.url ?? "";
    const next = credentialsIn((await patch(file)).body.data);
    assert.notEqual(next.handoffToken, old.handoffToken);
    assert.equal((await fetch(url)).status, 403);
    assertRefused(await authorizeWith(server, file.id, { unlockCode: old.unlockCode }), { status: 403, code: "UNLOCK_INVALID" });
    assertRefused(await postUnlock(server, { handoffToken: old.handoffToken }), { status: 403, code: "UNLOCK_INVALID" });
    const cleared = await patch(file, { protect: false });
    assert.equal(cleared.body.data.unlockRequired, false);
    assert.ok(!("unlockCode" in cleared.body.data) && !("handoffUrl" in cleared.body.data));
    assert.equal((await authorizeWith(server, file.id)).status, 200);
    assert.equal((await getShare(server, file.shortId)).body.unlockRequired, false);
    assertRefused(await call(server, "GET", `/api/files/handoff/${next.handoffToken}`), { status: 404, code: "NOT_FOUND" });
  });

  test("limits the message to 480 characters, clears it with null and keeps it when absent", async () => {
    const file = await anonymous();
    assertRefused(await patch(file, { handoffMessage: "x".repeat(481) }), { status: 400, code: "VALIDATION_FAILED" });
    const messageAfter = async (fields: object): Promise<unknown> => {
      const { handoffToken } = credentialsIn((await patch(file, fields)).body.data);
      return (await call(server, "GET", `/api/files/handoff/${handoffToken}`)).body.message;
    };
    assert.equal(await messageAfter({ handoffMessage: "é".repeat(480) }), "é".repeat(480));
    assert.equal(await messageAfter({}), "é".repeat(480));
    assert.equal(await messageAfter({ handoffMessage: null }), null);
  });

  test("responds 403 to a wrong token, 404 to an unknown file and 400 to invalid fields", async () => {
    const [file, other] = [await anonymous(), await anonymous()];
    assertRefused(await patch(file, { claimToken: other.claimToken }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await patch(file, { claimToken: file.deletionToken }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await patch(file, { fileId: "aaaaaaaaaaaaaaaa" }), { status: 404, code: "NOT_FOUND" });
    for (const fields of [{ protect: undefined }, { protect: "maybe" }, { claimToken: undefined }, { fileId: undefined }])
      assertRefused(await patch(file, fields), { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await getShare(server, file.shortId)).body.unlockRequired, false);
  });

  test("refuses claimed, owned and deleted files", async () => {
    const { key } = await addAccount(server);
    const file = await anonymous();
    assert.equal((await claim(server, file, key)).status, 200);
    assertRefused(await patch(file), { status: 409, code: "CONFLICT" });
    const owned = await upload(server, { bytes: "x" }, { key });
    assertRefused(await patch(owned, { claimToken: "claim_anything" }), { status: 404, code: "NOT_FOUND" });
    const deleted = await anonymous();
    await call(server, "DELETE", `/api/files/delete?fileId=${deleted.id}&token=${deleted.deletionToken}`);
    assertRefused(await patch(deleted), { status: 404, code: "NOT_FOUND" });
    assert.equal((await getShare(server, file.shortId)).body.unlockRequired, false);
  });
});
