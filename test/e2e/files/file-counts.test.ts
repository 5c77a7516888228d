import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount, getMe } from "../support/accounts.ts";
import { fromAddress } from "../support/agents.ts";
import { type ApiResponse, assertRefused, type Body, call, clientOf, deleteFile, postUpload, type Upload, upload } from "../support/api.ts";
import { abort, init, postComplete, postInit, sendParts, someBytes } from "../support/multipart.ts";
import { sendRaw } from "../support/raw-http.ts";
import { cleanUp, holdScheduledCleanup } from "../support/server-context.ts";
import { claim, postClaim } from "../support/shares.ts";
import { withDatabase } from "../support/state.ts";

const FILES = { anonymous: 3, free: 5 };
const LIMITS = JSON.stringify({ tiers: { anonymous: { files: FILES.anonymous }, free: { files: FILES.free } } });

/** The file count of each quota, beside the number of its rows. */
const counts = (server: TestServer) =>
  withDatabase(server, async (db) => {
    const counted = await db.selectFrom("quotas").select(["owner", "file_count"]).where("file_count", "<>", 0).orderBy("owner").execute();
    const rows = await db
      .selectFrom("files")
      .select((select) => ["quota_owner as owner", select.fn.countAll<number>().as("file_count")])
      .where("blob_state", "<>", "removed")
      .groupBy("quota_owner")
      .orderBy("quota_owner")
      .execute();
    return { counted, rows };
  });

function assertFull(response: ApiResponse, limitFiles: number): void {
  assertRefused(response, { status: 413, code: "QUOTA_EXCEEDED" });
  const { limitKind, limitBytes } = response.body;
  assert.deepEqual(
    { limitKind, limitBytes, limitFiles: (response.body as { limitFiles?: unknown }).limitFiles },
    { limitKind: "FILE_COUNT", limitBytes: null, limitFiles },
  );
}

/** request limits, "Number of files". */
describe("the file count limit", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      env: { FILEHOST_SCANNER: "off", FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_MIN_FREE: "0", FILEHOST_LIMITS: LIMITS },
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const bearer = (key: string) => ({ Accept: "application/json", Authorization: `Bearer ${key}` });

  /** Uploads an empty file on each route. */
  const uploadRoutes: Readonly<Record<string, (key: string) => Promise<ApiResponse<Body & { readonly data?: Upload }>>>> = {
    form: (key) => postUpload(server, { bytes: "" }, { key }),
    "curl -T": (key) => call(server, "PUT", "/a.bin", { body: "", headers: bearer(key) }),
    "curl -F": (key) => {
      const form = new FormData();
      form.append("file", new File([], "a.bin"));
      return call(server, "POST", "/", { body: form, headers: bearer(key) });
    },
    parts: async (key) => {
      const created = await postInit(server, { fileName: "a.bin", fileSize: 0 }, { key });
      if (created.status !== 200) return { ...created, body: { ...created.body, data: undefined } };
      await sendParts(server, created.body.data, someBytes(0), { key });
      return await postComplete(server, created.body.data, {}, { key });
    },
  };

  for (const [route, send] of Object.entries(uploadRoutes)) {
    test(`applies to empty files and concurrent uploads by ${route}`, async () => {
      const { key } = await addAccount(server);
      const responses = await Promise.all(Array.from({ length: 12 }, () => send(key)));
      assert.equal(responses.filter(({ status }) => status === 200).length, FILES.free);
      for (const response of responses) if (response.status !== 200) assertFull(response as ApiResponse, FILES.free);
      const me = await getMe(server, key);
      assert.deepEqual([me.limits.files, me.limits.filesLeft], [FILES.free, 0]);
    });
  }

  test("counts uploads in progress, but not aborted, disconnected or deleted ones", async () => {
    const { key } = await addAccount(server);
    const session = await init(server, { fileSize: 10 }, { key });
    const files: Upload[] = [];
    for (let n = 1; n < FILES.free; n += 1) files.push(await upload(server, { bytes: "x" }, { key }));
    assertFull(await postUpload(server, { bytes: "" }, { key }), FILES.free);
    await abort(server, session, { key });
    await sendRaw(
      server,
      [`PUT /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 100000\r\n\r\n`, "x".repeat(1000)],
      {
        cutAfter: () =>
          until("the upload has started", async () => (await postInit(server, { fileName: "a", fileSize: 1 }, { key })).status === 413),
      },
    );
    await until("the disconnected upload is removed", async () => (await postUpload(server, { bytes: "x" }, { key })).status === 200);
    assertFull(await postUpload(server, { bytes: "" }, { key }), FILES.free);
    await deleteFile(server, { fileId: files[0]?.id ?? "" }, { key });
    await upload(server, { bytes: "" }, { key });
    assertFull(await postUpload(server, { bytes: "" }, { key }), FILES.free);
  });

  test("applies per address without a key, and sixteenfold per IPv6 /48", async () => {
    const send = (address: string) => postUpload(server, { bytes: "" }, { headers: fromAddress(address) });
    for (let n = 0; n < FILES.anonymous; n += 1) assert.equal((await send("192.0.2.1")).status, 200);
    assertFull(await send("192.0.2.1"), FILES.anonymous);
    assert.equal((await send("192.0.2.2")).status, 200);
    const responses: ApiResponse[] = [];
    for (let subnet = 0; subnet < 17; subnet += 1)
      for (let n = 0; n < FILES.anonymous; n += 1) responses.push(await send(`2001:db8:5:${subnet.toString(16)}::${n + 1}`));
    assert.equal(responses.filter(({ status }) => status === 200).length, 16 * FILES.anonymous);
    assertFull(responses.at(-1) ?? assert.fail(), 16 * FILES.anonymous);
    assert.equal((await send("2001:db8:6:1::1")).status, 200);
  });

  test("moves a claimed file to the account's count, and refuses a claim above it", async () => {
    const headers = fromAddress("192.0.2.9");
    const { key } = await addAccount(server);
    for (let n = 1; n < FILES.free; n += 1) await upload(server, { bytes: "" }, { key });
    const [first, second] = [await upload(server, { bytes: "" }, { headers }), await upload(server, { bytes: "" }, { headers })];
    await claim(server, first, key);
    assertFull(await postClaim(server, { fileId: second.id, claimToken: second.claimToken }, key), FILES.free);
    for (let n = 1; n < FILES.anonymous; n += 1) await upload(server, { bytes: "" }, { headers });
    assertFull(await postUpload(server, { bytes: "" }, { headers }), FILES.anonymous);
  });

  test("is listed in the capabilities", async () => {
    const capabilities = await clientOf(server).call("getCapabilities", {});
    assert.deepEqual(
      [capabilities.limits.anonymous.files, capabilities.limits.free.files, capabilities.limits.pro.files],
      [3, 5, 1_000_000],
    );
  });
});

/** request limits, "Number of files". */
test("each quota counts the existing files after uploads, deletions, aborts, claims, expiries, takedowns and a crash", async () => {
  await using server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" } });
  await holdScheduledCleanup(server);
  const accounts = [await addAccount(server), await addAccount(server, { tier: "pro" })] as const;
  const address = (n: number) => fromAddress(`192.0.2.${n % 3}`);
  const work = async (n: number): Promise<void> => {
    const { key } = accounts[n % 2 === 0 ? 0 : 1];
    const owned = await upload(server, { bytes: n % 3 === 0 ? "" : "x", fields: n % 5 === 0 ? { ttl: "10m" } : {} }, { key });
    const anonymous = await upload(server, { bytes: "y" }, { headers: address(n) });
    if (n % 4 === 0) await deleteFile(server, { fileId: owned.id }, { key });
    if (n % 3 === 1) await deleteFile(server, { fileId: anonymous.id, token: anonymous.deletionToken });
    if (n % 3 === 2) await postClaim(server, { fileId: anonymous.id, claimToken: anonymous.claimToken }, key);
    const session = await init(server, { fileSize: 3 }, { headers: address(n) });
    if (n % 2 === 0) await abort(server, session, { headers: address(n) });
    if (n % 6 === 5) await server.run(["takedown", anonymous.shortId]);
    await call(server, "PUT", "/a.txt?ttl=never", { body: "x", headers: { Accept: "application/json", ...address(n) } });
  };
  await Promise.all(Array.from({ length: 12 }, (_, n) => work(n)));
  const isExact = async (): Promise<void> => {
    const { counted, rows } = await counts(server);
    assert.ok(rows.length > 0);
    assert.deepEqual(counted, rows);
  };
  await isExact();
  const interrupted = sendRaw(server, ["PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", "x".repeat(1000)]);
  await until("the upload has started", () =>
    withDatabase(server, (db) => db.selectFrom("upload_sessions").select("id").where("kind", "=", "direct").executeTakeFirst()),
  );
  await server.restart({ signal: "SIGKILL" });
  await interrupted;
  await withDatabase(server, (db) => db.updateTable("shares").set({ expires_at: 1 }).where("expires_at", "is not", null).execute());
  await withDatabase(server, (db) => db.updateTable("upload_sessions").set({ last_byte_at: 0, created_at: 0 }).execute());
  await cleanUp(server);
  await isExact();
  const { counted } = await counts(server);
  // Pro files do not expire; everything else is removed.
  assert.deepEqual(
    counted.map(({ owner }) => owner),
    [`user:${accounts[1].userId}`],
  );
});
