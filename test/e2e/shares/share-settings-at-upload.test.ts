import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import {
  type ApiResponse,
  assertRefused,
  type Body,
  call,
  clientOf,
  getShare,
  listFiles,
  postUpload,
  signedUrl,
  toForm,
  type Upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { authorizeWith, credentialsIn } from "../support/shares/shares.ts";
import { init, postComplete, postInit, type Session, sendParts, someBytes } from "../support/uploads/multipart.ts";

type Fields = Readonly<Record<string, string>>;
type Uploaded = ApiResponse<Body & { readonly data: Upload }>;
type Sender = (fields: Fields, key: string | undefined) => Promise<Uploaded>;

/** sharing, "Publish fields", on every route that takes a file. */
describe("publish fields that set up a share", () => {
  let server: ServerWith<"pro">;
  before(async () => {
    server = await withAccounts(startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" }), { pro: { tier: "pro", username: "ada" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const withKey = (key: string | undefined) => (key === undefined ? {} : { key });
  const headers = { Accept: "application/json" };
  const inParts = async (session: Session, atEnd: object, key: string | undefined): Promise<Uploaded> => {
    await sendParts(server, session, someBytes(3), withKey(key));
    return await postComplete(server, session, atEnd, withKey(key));
  };
  const routes: Readonly<Record<string, Sender>> = {
    "POST /files/upload": (fields, key) => postUpload(server, { bytes: "abc", fields }, withKey(key)),
    "PUT /": (fields, key) => call(server, "PUT", `/a.txt?${new URLSearchParams(fields)}`, { ...withKey(key), headers, body: "abc" }),
    "POST /": (fields, key) => call(server, "POST", "/", { ...withKey(key), headers, body: toForm({ bytes: "abc", fields }) }),
    init: async (fields, key) => {
      const response = await postInit(server, { fileName: "a.txt", fileSize: 3, ...fields }, withKey(key));
      return response.status === 200 ? await inParts(response.body.data, {}, key) : (response as unknown as Uploaded);
    },
    complete: async (fields, key) => await inParts(await init(server, { fileName: "a.txt", fileSize: 3 }, withKey(key)), fields, key),
    "remote-upload": async (fields, key) => {
      await using origin = await startOrigin({ "/a.txt": sendFile({ bytes: someBytes(3) }) });
      return await call(server, "POST", "/api/files/remote-upload", { ...withKey(key), json: { url: `${origin.url}/a.txt`, ...fields } });
    },
  };

  for (const [route, send] of Object.entries(routes)) {
    const uploadVia = async (fields: Fields, key: string | undefined = server.pro.key): Promise<Upload> => {
      const { status, body } = await send(fields, key);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    };

    describe(`sent by ${route}`, () => {
      test("protect returns credentials once, with a key and without", async () => {
        for (const key of [server.pro.key, undefined]) {
          const file = await uploadVia({ protect: "true", handoffMessage: "Look" }, key);
          const { unlockCode, handoffToken } = credentialsIn(file);
          assert.equal((await getShare(server, file.shortId)).unlockRequired, true);
          assertRefused(await authorizeWith(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
          await signedUrl(server, file.id, { unlockCode });
          // The URL in the upload's response needs no unlocking.
          assert.equal((await fetch(file.url)).status, 200);
          assert.equal((await clientOf(server).call("getHandoff", { token: handoffToken })).message, "Look");
        }
        const open = await uploadVia({ protect: "false" });
        assert.ok(!("unlockCode" in open) && !("handoffUrl" in open));
      });

      test("openShare creates a shipment and shareShortId joins it", async () => {
        const first = await uploadVia({ openShare: "true", relativePath: "a/1.txt" });
        const second = await uploadVia({ shareShortId: first.shortId, relativePath: "a/2.txt" });
        assert.equal(second.shortId, first.shortId);
        const share = await getShare(server, first.shortId);
        assert.equal(share.kind, "shipment");
        assert.deepEqual(
          (share.files as { relativePath: string }[]).map(({ relativePath }) => relativePath),
          ["a/1.txt", "a/2.txt"],
        );
        assertRefused(await send({ openShare: "true", shareShortId: first.shortId }, server.pro.key), {
          status: 400,
          code: "VALIDATION_FAILED",
        });
        assertRefused(await send({ shareShortId: "aaaaaaaa" }, server.pro.key), { status: 404, code: "NOT_FOUND" });
        assertRefused(await send({ openShare: "true" }, undefined), { status: 401, code: "UNAUTHENTICATED" });
      });

      test("direct, folderId, runId, forever and download limits apply", async () => {
        const folder = await clientOf(server, { key: server.pro.key }).call("createFolder", { name: crypto.randomUUID() });
        const folderId = folder.data.id;
        const file = await uploadVia({ direct: "true", folderId, runId: "run 1" });
        assert.equal((await getShare(server, file.shortId)).directEffective, true);
        const { files } = await listFiles(server, server.pro.key, { folderId });
        assert.deepEqual(
          files.map(({ id }) => id),
          [file.id],
        );
        assert.equal(file.runId, "run 1");
        const forever = await uploadVia({ visibility: "public", retention: "forever" });
        assert.equal(forever.expiresAt, null);
        const limited = await uploadVia({ maxDownloads: "5", once: "true" });
        await signedUrl(server, limited.id);
        assertRefused(await authorizeWith(server, limited.id), { status: 404, code: "NOT_FOUND" });
      });

      test("contradictory fields are refused", async () => {
        const nonsense: readonly Fields[] = [
          { ttl: "1d", expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
          { retention: "forever", visibility: "public", ttl: "1d" },
          { retention: "forever", visibility: "unlisted" },
          { retention: "forever" },
        ];
        for (const fields of nonsense) assertRefused(await send(fields, server.pro.key), { status: 400, code: "VALIDATION_FAILED" });
        assertRefused(await send({ folderId: crypto.randomUUID() }, undefined), { status: 401, code: "UNAUTHENTICATED" });
      });
    });
  }

  test("a plain-text response has the credentials in its headers", async () => {
    const response = await fetch(`${server.url}/a.txt?protect=1`, { method: "PUT", body: "x" });
    assert.match(await response.text(), /^http\S+\/d\/\w{8}\n$/);
    credentialsIn({ unlockCode: response.headers.get("x-unlock-code") ?? "", handoffUrl: response.headers.get("x-handoff-url") ?? "" });
  });
});
