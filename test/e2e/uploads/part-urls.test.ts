import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { assertRefused, call } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { abort, partCalls, partUrl, postAbort, postComplete, postUrls, putPart, sha256 } from "../support/uploads/multipart.ts";

/** uploads, "Uploads in parts"; identifiers, "Signed URLs". */
describe("URLs of parts", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const { first, initUpload, uploadedParts } = partCalls(() => server);

  test("a URL that is altered, expired, or of another part or upload is refused", async () => {
    const session = await initUpload();
    const other = await initUpload();
    const url = await partUrl(server, session, 1, first);
    const altered = (change: (address: URL) => void): string => {
      const address = new URL(url);
      change(address);
      return address.href;
    };
    const wrong = [
      ...[...new URL(url).searchParams.keys()].flatMap((name) => [
        altered((address) => address.searchParams.delete(name)),
        altered((address) => address.searchParams.set(name, `${address.searchParams.get(name)}0`)),
      ]),
      altered((address) => {
        address.pathname = address.pathname.replace(/1$/, "2");
      }),
      altered((address) => {
        address.pathname = address.pathname.replace(session.key, other.key);
      }),
      altered((address) => address.searchParams.set("d", sha256("other"))),
      altered((address) => address.searchParams.set("e", "1")),
      altered((address) => {
        address.search = "";
      }),
    ];
    for (const address of wrong) assertRefused(await putPart(address, first), { status: 403, code: "SIGNATURE_INVALID" });
    assert.deepEqual(await uploadedParts(session), []);
  });

  test("an unknown upload is not found, with any other fields", async () => {
    const session = await initUpload();
    for (const uploadId of ["nothing", "A".repeat(43), session.key, "x".repeat(500), "../../etc"]) {
      const unknown = { uploadId, key: session.key };
      assertRefused(await postUrls(server, unknown, { 1: sha256("x") }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await postComplete(server, unknown), { status: 404, code: "NOT_FOUND" });
      assertRefused(await postAbort(server, unknown), { status: 404, code: "NOT_FOUND" });
      assertRefused(await call(server, "GET", `/api/files/multipart/${encodeURIComponent(uploadId)}`), {
        status: 404,
        code: "NOT_FOUND",
      });
    }
    assertRefused(await postAbort(server, { uploadId: session.uploadId, key: "another" }), { status: 404, code: "NOT_FOUND" });
    await abort(server, session);
  });
});
