import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount, getMe } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, type Body, call, deleteFile, postUpload, type Upload, upload } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { abort, init, MB, postComplete, postInit, sendParts, someBytes } from "../support/uploads/multipart.ts";

const KB = 1024;
const FILE_BYTES = 100 * KB;
const STORAGE_BYTES = 1000 * KB;
const small = { fileBytes: FILE_BYTES, storageBytes: STORAGE_BYTES };
const LIMITS = JSON.stringify({
  tiers: { anonymous: small, free: small, pro: { fileBytes: FILE_BYTES, storageBytes: FILE_BYTES, storageMaxBytes: STORAGE_BYTES } },
});

const chunked = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let offset = 0; offset < bytes.length; offset += 10_000) controller.enqueue(bytes.subarray(offset, offset + 10_000));
      controller.close();
    },
  });

/** limits, "Tiers"; accounts, "Tiers"; configuration, "Limits that the administrator sets". */
describe("limits of size and storage", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_LIMITS: LIMITS });
  });
  after(() => server[Symbol.asyncDispose]());

  const ACCEPT_JSON = { Accept: "application/json" };
  const bearer = (key: string) => ({ ...ACCEPT_JSON, Authorization: `Bearer ${key}` });

  /** Uploads one file through each channel. */
  const channels: Readonly<
    Record<string, (bytes: Uint8Array<ArrayBuffer>, key: string) => Promise<ApiResponse<Body & { readonly data?: Upload }>>>
  > = {
    form: (bytes, key) => postUpload(server, { bytes }, { key }),
    "curl -T": (bytes, key) => call(server, "PUT", "/a.bin", { body: bytes, headers: bearer(key) }),
    "curl -T -": (bytes, key) => call(server, "PUT", "/a.bin", { body: chunked(bytes), headers: bearer(key) }),
    "curl -F": (bytes, key) => {
      const form = new FormData();
      form.append("file", new File([bytes], "a.bin"));
      return call(server, "POST", "/", { body: form, headers: bearer(key) });
    },
    parts: async (bytes, key) => {
      const created = await postInit(server, { fileName: "a.bin", fileSize: bytes.length }, { key });
      if (created.status !== 200) return { ...created, body: { ...created.body, data: undefined } };
      await sendParts(server, created.body.data, bytes, { key });
      return await postComplete(server, created.body.data, {}, { key });
    },
  };
  const quotaOf = (userId: string) =>
    withDatabase(server, async (db) => {
      const row = await db.selectFrom("quotas").selectAll().where("owner", "=", `user:${userId}`).executeTakeFirst();
      return [row?.used_bytes ?? 0, row?.reserved_bytes ?? 0];
    });

  for (const [channel, send] of Object.entries(channels)) {
    describe(`uploads by ${channel}`, () => {
      test("a file of the maximum size is accepted, and one byte more is refused", async () => {
        const { key, userId } = await addAccount(server);
        assert.equal((await send(someBytes(FILE_BYTES), key)).status, 200);
        const before = await countStoredState(server);
        const refused = await send(someBytes(FILE_BYTES + 1), key);
        assertRefused(refused as ApiResponse, { status: 413, code: "QUOTA_EXCEEDED" });
        assert.deepEqual([refused.body.limitKind, refused.body.limitBytes], ["FILE_SIZE", FILE_BYTES]);
        await until("the refused upload is removed", async () => (await countStoredState(server)).sessions === before.sessions);
        assert.deepEqual(await countStoredState(server), before);
        assert.deepEqual(await quotaOf(userId), [FILE_BYTES, 0]);
      });

      test("twenty concurrent uploads just under the quota do not exceed it together", async () => {
        const { key, userId } = await addAccount(server);
        const bytes = someBytes(90 * KB);
        const responses = await Promise.all(Array.from({ length: 20 }, () => send(bytes, key)));
        const accepted = responses.filter((response) => response.status === 200);
        for (const response of responses) {
          if (response.status === 200) continue;
          assertRefused(response as ApiResponse, { status: 413, code: "QUOTA_EXCEEDED" });
          assert.deepEqual([response.body.limitKind, response.body.limitBytes], ["STORAGE_QUOTA", STORAGE_BYTES]);
        }
        assert.ok(accepted.length <= 11, String(accepted.length));
        await until("no reservation is left", async () => (await quotaOf(userId))[1] === 0);
        assert.deepEqual(await quotaOf(userId), [accepted.length * bytes.length, 0]);
        // Failed uploads release their reservations, so the storage can be filled exactly.
        let filled = accepted.length;
        while ((await send(bytes, key)).status === 200) filled += 1;
        assert.equal(filled, 11);
      });

      test("the last bytes of the quota can be used", async () => {
        const { key, userId } = await addAccount(server);
        await withDatabase(server, (db) =>
          db
            .insertInto("quotas")
            .values({ owner: `user:${userId}`, used_bytes: STORAGE_BYTES - 500, reserved_bytes: 0 })
            .execute(),
        );
        assert.equal((await send(someBytes(501), key)).status, 413);
        assert.equal((await send(someBytes(400), key)).status, 200);
        assert.equal((await send(someBytes(100), key)).status, 200);
        assert.equal((await send(someBytes(1), key)).status, 413);
        assert.deepEqual(await quotaOf(userId), [STORAGE_BYTES, 0]);
      });
    });
  }

  test("a file whose declared size is too large is refused before its bytes are sent", async () => {
    const put = await sendRaw(server, [
      `PUT /big HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Length: ${10 * MB}\r\n\r\n`,
      "x",
    ]);
    assert.equal(put.status, 413);
    assert.match(put.text, /"limitKind":"FILE_SIZE"/);
  });

  test("the files of one form reserve no more of the quota than their bytes", async () => {
    const { key, userId } = await addAccount(server);
    const sizes = [1, 2, 3, 4, 5, 6, 7, 8, FILE_BYTES, FILE_BYTES];
    await withDatabase(server, (db) =>
      db
        .insertInto("quotas")
        .values({ owner: `user:${userId}`, used_bytes: STORAGE_BYTES - 2 * FILE_BYTES - 36, reserved_bytes: 0 })
        .execute(),
    );
    const send = (extraBytes: number) => {
      const form = new FormData();
      for (const [index, size] of sizes.entries())
        form.append("file", new File([someBytes(index === 0 ? size + extraBytes : size)], "a.bin"));
      return call(server, "POST", "/", { body: form, headers: bearer(key) });
    };
    const refused = await send(1);
    assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual(await quotaOf(userId), [STORAGE_BYTES - 2 * FILE_BYTES - 36, 0]);
    assert.equal((await send(0)).status, 200);
    assert.deepEqual(await quotaOf(userId), [STORAGE_BYTES, 0]);
  });

  test("deleted, aborted and failed uploads release their bytes", async () => {
    const { key, userId } = await addAccount(server);
    const file = await upload(server, { bytes: someBytes(FILE_BYTES) }, { key });
    const session = await init(server, { fileSize: FILE_BYTES }, { key });
    assert.deepEqual(await quotaOf(userId), [FILE_BYTES, FILE_BYTES]);
    await abort(server, session, { key });
    assert.deepEqual(await quotaOf(userId), [FILE_BYTES, 0]);
    assert.equal((await call(server, "PUT", "/a.txt?ttl=never", { body: "x", headers: bearer(key) })).status, 400);
    assert.deepEqual(await quotaOf(userId), [FILE_BYTES, 0]);
    await deleteFile(server, { fileId: file.id }, { key });
    assert.deepEqual(await quotaOf(userId), [0, 0]);
  });

  test("Pro may exceed its included storage up to its maximum", async () => {
    const { key } = await addAccount(server, { tier: "pro" });
    for (let accepted = 0; accepted < 10; accepted += 1) await upload(server, { bytes: someBytes(FILE_BYTES) }, { key });
    const refused = await postUpload(server, { bytes: "x" }, { key });
    assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(refused.body.limitBytes, STORAGE_BYTES);
    const me = await getMe(server, key);
    assert.deepEqual(me.storage, {
      usedBytes: STORAGE_BYTES,
      reservedBytes: 0,
      includedBytes: FILE_BYTES,
      allowedBytes: STORAGE_BYTES,
      leftBytes: 0,
      isPastIncluded: true,
      isShared: false,
    });
  });

  test("accounts each have a quota, and anonymous clients of one address share one", async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => postUpload(server, { bytes: someBytes(FILE_BYTES) })));
    const refused = responses.filter((response) => response.status !== 200);
    assert.equal(refused.length, 2);
    for (const response of refused) {
      assertRefused(response, { status: 413, code: "QUOTA_EXCEEDED" });
      assert.equal(response.body.limitKind, "ANON_STORAGE_QUOTA");
    }
    const { key } = await addAccount(server);
    await upload(server, { bytes: "x" }, { key });
  });
});

describe("default limits", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_MIN_FREE: "0" });
  });
  after(() => server[Symbol.asyncDispose]());

  test("a file may have 1 GB anonymously, 5 GB with a free account, 35 GB with Pro", async () => {
    const GB = 1024 * MB;
    const [free, pro] = [await addAccount(server), await addAccount(server, { tier: "pro" })];
    for (const [key, maxBytes] of [
      [undefined, GB],
      [free.key, 5 * GB],
      [pro.key, 35 * GB],
    ] as const) {
      const refused = await postInit(server, { fileName: "a", fileSize: maxBytes + 1 }, { key });
      assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
      assert.deepEqual([refused.body.limitKind, refused.body.limitBytes], ["FILE_SIZE", maxBytes]);
      assert.match(refused.body.error ?? "", new RegExp(`${maxBytes / GB} GB`));
      const created = await init(server, { fileName: "a", fileSize: maxBytes }, { key });
      await abort(server, created, { key });
    }
  });

  test("FILEHOST_ANONYMOUS=off requires a key on every channel", async () => {
    await using closed = await startPlainServer({ FILEHOST_ANONYMOUS: "off" });
    assertRefused(await postUpload(closed, { bytes: "x" }), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await postInit(closed, { fileName: "a", fileSize: 1 }), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await fetch(`${closed.url}/a.txt`, { method: "PUT", body: "x" })).status, 401);
    const form = new FormData();
    form.append("file", new File(["x"], "a.txt"));
    assert.equal((await fetch(`${closed.url}/`, { method: "POST", body: form })).status, 401);
    const { key } = await addAccount(closed);
    await upload(closed, { bytes: "x" }, { key });
  });
});
