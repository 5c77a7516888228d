import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../support/origin-server.ts";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { type Answer, assertRefused, type Body, call, getShare, postUpload, toForm } from "./support/api.ts";
import { init, postComplete, postInit, type Session, sendParts, someBytes } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { authorizeWith, credentialsIn, type ProtectedUpload } from "./support/shares.ts";

type Fields = Readonly<Record<string, string>>;
type Uploaded = Answer<Body & { readonly data: ProtectedUpload }>;
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
      const answer = await postInit(server, { fileName: "a.txt", fileSize: 3, ...fields }, withKey(key));
      return answer.status === 200 ? await inParts(answer.body.data, {}, key) : (answer as unknown as Uploaded);
    },
    complete: async (fields, key) => await inParts(await init(server, { fileName: "a.txt", fileSize: 3 }, withKey(key)), fields, key),
    "remote-upload": async (fields, key) => {
      await using origin = await startOrigin({ "/a.txt": sendFile({ bytes: someBytes(3) }) });
      return await call(server, "POST", "/api/files/remote-upload", { ...withKey(key), json: { url: `${origin.url}/a.txt`, ...fields } });
    },
  };

  for (const [route, send] of Object.entries(routes)) {
    const uploadVia = async (fields: Fields, key: string | undefined = server.pro.key): Promise<ProtectedUpload> => {
      const { status, body } = await send(fields, key);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    };

    describe(`sent by ${route}`, () => {
      test("protect returns credentials once, with a key and without", async () => {
        for (const key of [server.pro.key, undefined]) {
          const file = await uploadVia({ protect: "true", handoffMessage: "Look" }, key);
          const { unlockCode, handoffToken } = credentialsIn(file);
          assert.equal((await getShare(server, file.shortId)).body.unlockRequired, true);
          assertRefused(await authorizeWith(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
          assert.equal((await authorizeWith(server, file.id, { unlockCode })).status, 200);
          // The URL in the upload's response needs no unlocking.
          assert.equal((await fetch(file.url)).status, 200);
          assert.equal((await call(server, "GET", `/api/files/handoff/${handoffToken}`)).body.message, "Look");
        }
        const open = await uploadVia({ protect: "false" });
        assert.ok(!("unlockCode" in open) && !("handoffUrl" in open));
      });

      test("openShare creates a shipment and shareShortId joins it", async () => {
        const first = await uploadVia({ openShare: "true", relativePath: "a/1.txt" });
        const second = await uploadVia({ shareShortId: first.shortId, relativePath: "a/2.txt" });
        assert.equal(second.shortId, first.shortId);
        const { body } = await getShare(server, first.shortId);
        assert.equal(body.kind, "shipment");
        assert.deepEqual(
          (body.files as { relativePath: string }[]).map(({ relativePath }) => relativePath),
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
        const folder = await call<Body & { data: { id: string } }>(server, "POST", "/api/folders", {
          key: server.pro.key,
          json: { name: crypto.randomUUID() },
        });
        const folderId = folder.body.data.id;
        const file = await uploadVia({ direct: "true", folderId, runId: "run 1" });
        assert.equal((await getShare(server, file.shortId)).body.directEffective, true);
        const list = await call<Body & { data: { files: { id: string }[] } }>(server, "GET", `/api/files/list?folderId=${folderId}`, {
          key: server.pro.key,
        });
        assert.deepEqual(
          list.body.data.files.map(({ id }) => id),
          [file.id],
        );
        assert.equal(file.runId, "run 1");
        const forever = await uploadVia({ visibility: "public", retention: "forever" });
        assert.equal(forever.expiresAt, null);
        const limited = await uploadVia({ maxDownloads: "5", once: "true" });
        assert.equal((await authorizeWith(server, limited.id)).status, 200);
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
