import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import {
  abort,
  complete,
  init,
  MB,
  postAbort,
  postComplete,
  postInit,
  postUrls,
  sendParts,
  sha256,
  someBytes,
} from "../support/uploads/multipart.ts";

/** uploads, "Uploads in parts"; limits, "Uploads and requests". */
describe("rights to a multipart upload", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  describe("a server with accounts", () => {
    test("only the key of the owner can continue an upload, which is unknown to all others", async () => {
      const owner = await addAccount(server);
      const other = await addAccount(server);
      const bytes = someBytes(MB);
      const session = await init(server, { fileSize: bytes.length }, { key: owner.key });
      for (const options of [{}, { key: other.key }]) {
        for (const response of await Promise.all([
          postUrls(server, session, { 1: sha256(bytes) }, options),
          postComplete(server, session, {}, options),
          postAbort(server, session, options),
          call(server, "GET", `/api/files/multipart/${session.uploadId}`, options),
        ])) {
          assertRefused(response, { status: 404, code: "NOT_FOUND" });
        }
      }
      const parts = await sendParts(server, session, bytes, { key: owner.key });
      const file = await complete(server, session, { parts }, { key: owner.key });
      assert.equal(file.isAnonymous, false);
      assert.equal(file.claimToken, undefined);
      assert.equal(file.deletionToken, undefined);
    });

    test("an anonymous upload stays anonymous when an account completes it", async () => {
      const { key } = await addAccount(server);
      const bytes = someBytes(10);
      const session = await init(server, { fileSize: bytes.length });
      await sendParts(server, session, bytes);
      const file = await complete(server, session, {}, { key });
      assert.equal(file.isAnonymous, true);
      assert.ok(file.deletionToken);
    });

    test("only the caller who began an upload can replace it, and only an upload with its own link", async () => {
      const owner = await addAccount(server);
      const other = await addAccount(server);
      const before = await init(server, { fileSize: 3 * MB }, { key: owner.key });
      const replacing = { fileName: "new.bin", fileSize: 10, replacesUploadId: before.uploadId };
      for (const options of [{}, { key: other.key }])
        assertRefused(await postInit(server, replacing, options), { status: 404, code: "NOT_FOUND" });
      const anonymous = await init(server, { fileSize: 10 });
      const foreign = { ...replacing, replacesUploadId: anonymous.uploadId };
      assertRefused(await postInit(server, foreign, { key: owner.key }), { status: 404, code: "NOT_FOUND" });
      const opening = await init(server, { fileSize: 10, openShare: true }, { key: owner.key });
      const joinsLater = await init(server, { fileSize: 10, shareShortId: opening.shortId }, { key: owner.key });
      const { data: shipment } = await clientOf(server, { key: owner.key }).call("createShare", {});
      const joined = await init(server, { fileSize: 10, shareShortId: shipment.shortId }, { key: owner.key });
      const withoutLink = [opening, joinsLater, joined].map(({ uploadId }) => ({ replacesUploadId: uploadId }));
      for (const fields of [...withoutLink, { shareShortId: shipment.shortId }, { openShare: true }, { ttl: "1h" }])
        assertRefused(await postInit(server, { ...replacing, ...fields }, { key: owner.key }), { status: 400, code: "VALIDATION_FAILED" });
      const stored = someBytes(3 * MB);
      await sendParts(server, before, stored, { key: owner.key });
      await complete(server, before, {}, { key: owner.key });
      assertRefused(await postInit(server, replacing, { key: owner.key }), { status: 409, code: "UPLOAD_CLOSED" });
    });

    test("a read-only key cannot create an upload", async () => {
      const { key } = await addAccount(server, { scope: "files_read" });
      assertRefused(await postInit(server, { fileName: "a", fileSize: 1 }, { key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
    });
  });

  test("an account has at most twenty open uploads, and aborting one allows another", async () => {
    const { key } = await addAccount(server);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => init(server, { fileSize: 1 }, { key })));
    const refused = await postInit(server, { fileName: "one more", fileSize: 1 }, { key });
    assertRefused(refused, { status: 429, code: "TOO_MANY_UPLOADS" });
    assert.ok(refused.headers.get("retry-after"));
    const [first] = sessions;
    assert.ok(first);
    await abort(server, first, { key });
    await init(server, { fileName: "one more", fileSize: 1 }, { key });
  });

  test("twenty of thirty concurrent init requests succeed", async () => {
    const { key } = await addAccount(server);
    const responses = await Promise.all(Array.from({ length: 30 }, () => postInit(server, { fileName: "a", fileSize: 1 }, { key })));
    assert.equal(responses.filter((response) => response.status === 200).length, 20);
  });
});
