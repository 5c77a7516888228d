import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import {
  assertRefused,
  call,
  clientOf,
  deleteFile,
  findInfo,
  getShare,
  type InputOf,
  signedUrl,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { authorizeWith, changeLink, claim, credentialsIn, patchLink, postUnlock } from "../support/shares/shares.ts";

/** sharing, "Protection". */
describe("link protection of an anonymous upload", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const anonymous = (): Promise<Upload> => upload(server, { bytes: "hello" });
  const change = ({ id, claimToken = "" }: Upload, fields: Partial<InputOf<"setLinkProtection">> = {}) =>
    changeLink(server, { fileId: id, claimToken, protect: true, ...fields });
  const patch = (file: Upload, fields: object = {}) =>
    patchLink(server, { fileId: file.id, claimToken: file.claimToken, protect: true, ...fields });

  test("stores the message without control characters", async () => {
    const file = await upload(server, { bytes: "hello" });
    const { handoffToken } = credentialsIn(await change(file, { handoffMessage: "a\0b\nc 👩‍🚀" }));
    assert.equal((await clientOf(server).call("getHandoff", { token: handoffToken })).message, "ab\nc 👩‍🚀");
  });

  test("returns credentials once and takes effect immediately", async () => {
    const file = await anonymous();
    const url = await signedUrl(server, file.id);
    const input = { fileId: file.id, claimToken: file.claimToken ?? "", protect: true, handoffMessage: "For you" };
    const { success, data } = await clientOf(server).call("setLinkProtection", input);
    assert.deepEqual(
      { success, fileId: data.fileId, shortId: data.shortId, unlockRequired: data.unlockRequired },
      { success: true, fileId: file.id, shortId: file.shortId, unlockRequired: true },
    );
    const { unlockCode, handoffToken } = credentialsIn(data);
    assert.equal((await getShare(server, file.shortId)).unlockRequired, true);
    assert.equal((await fetch(url)).status, 403);
    assert.equal((await fetch(file.url)).status, 403);
    assertRefused(await authorizeWith(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
    await signedUrl(server, file.id, { unlockCode });
    const handoff = await clientOf(server).call("getHandoff", { token: handoffToken });
    assert.deepEqual(
      { shortId: handoff.shortId, name: handoff.name, message: handoff.message },
      { shortId: file.shortId, name: "note.txt", message: "For you" },
    );
    assert.equal((await findInfo(server, file.shortId))?.unlockRequired, true);
  });

  test("replaces the credentials when repeated, and clears them with protect false", async () => {
    const file = await anonymous();
    const old = credentialsIn(await change(file));
    const url = await signedUrl(server, file.id, { unlockCode: old.unlockCode });
    const next = credentialsIn(await change(file));
    assert.notEqual(next.handoffToken, old.handoffToken);
    assert.equal((await fetch(url)).status, 403);
    assertRefused(await authorizeWith(server, file.id, { unlockCode: old.unlockCode }), { status: 403, code: "UNLOCK_INVALID" });
    assertRefused(await postUnlock(server, { handoffToken: old.handoffToken }), { status: 403, code: "UNLOCK_INVALID" });
    const cleared = await change(file, { protect: false });
    assert.equal(cleared.unlockRequired, false);
    assert.ok(!("unlockCode" in cleared) && !("handoffUrl" in cleared));
    await signedUrl(server, file.id);
    assert.equal((await getShare(server, file.shortId)).unlockRequired, false);
    assertRefused(await call(server, "GET", `/api/files/handoff/${next.handoffToken}`), { status: 404, code: "NOT_FOUND" });
  });

  test("limits the message to 480 characters, clears it with null and keeps it when absent", async () => {
    const file = await anonymous();
    assertRefused(await patch(file, { handoffMessage: "x".repeat(481) }), { status: 400, code: "VALIDATION_FAILED" });
    const messageAfter = async (fields: { handoffMessage?: string | null }): Promise<unknown> => {
      const { handoffToken } = credentialsIn(await change(file, fields));
      return (await clientOf(server).call("getHandoff", { token: handoffToken })).message;
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
    assert.equal((await getShare(server, file.shortId)).unlockRequired, false);
  });

  test("refuses claimed, owned and deleted files", async () => {
    const { key } = await addAccount(server);
    const file = await anonymous();
    await claim(server, file, key);
    assertRefused(await patch(file), { status: 409, code: "CONFLICT" });
    const owned = await upload(server, { bytes: "x" }, { key });
    assertRefused(await patch(owned, { claimToken: "claim_anything" }), { status: 404, code: "NOT_FOUND" });
    const deleted = await anonymous();
    await deleteFile(server, { fileId: deleted.id, token: deleted.deletionToken });
    assertRefused(await patch(deleted), { status: 404, code: "NOT_FOUND" });
    assert.equal((await getShare(server, file.shortId)).unlockRequired, false);
  });
});
