import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { type Answer, assertRefused, type Body, call, postUpload, type Upload, upload } from "./support/api.ts";
import { init, MB, postAbort, postComplete, postInit, sendParts, someBytes } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain.ts";
import { sendRaw } from "./support/raw.ts";
import { traces, withDatabase } from "./support/state.ts";

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

/** interface, "Limits"; decisions, "Errors". */
describe("limits of size and storage", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_LIMITS: LIMITS });
  });
  after(() => server[Symbol.asyncDispose]());

  const JSON_ANSWER = { Accept: "application/json" };
  const bearer = (key: string) => ({ ...JSON_ANSWER, Authorization: `Bearer ${key}` });

  /** One file by each road. */
  const roads: Readonly<
    Record<string, (bytes: Uint8Array<ArrayBuffer>, key: string) => Promise<Answer<Body & { readonly data?: Upload }>>>
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
      const begun = await postInit(server, { fileName: "a.bin", fileSize: bytes.length }, { key });
      if (begun.status !== 200) return { ...begun, body: { ...begun.body, data: undefined } };
      await sendParts(server, begun.body.data, bytes, { key });
      return await postComplete(server, begun.body.data, {}, { key });
    },
  };
  const quotaOf = (userId: string) =>
    withDatabase(server, async (db) => {
      const row = await db.selectFrom("quotas").selectAll().where("owner", "=", `user:${userId}`).executeTakeFirst();
      return [row?.used_bytes ?? 0, row?.reserved_bytes ?? 0];
    });

  for (const [road, send] of Object.entries(roads)) {
    describe(`by ${road}`, () => {
      test("a file of the most bytes is taken, one more is not", async () => {
        const { key, userId } = await addAccount(server);
        assert.equal((await send(someBytes(FILE_BYTES), key)).status, 200);
        const before = await traces(server);
        const refused = await send(someBytes(FILE_BYTES + 1), key);
        assertRefused(refused as Answer, { status: 413, code: "QUOTA_EXCEEDED" });
        assert.deepEqual([refused.body.limitKind, refused.body.limitBytes], ["FILE_SIZE", FILE_BYTES]);
        await until("it is undone", async () => (await traces(server)).sessions === before.sessions);
        assert.deepEqual(await traces(server), before);
        assert.deepEqual(await quotaOf(userId), [FILE_BYTES, 0]);
      });

      test("twenty at once just under the quota do not pass it together", async () => {
        const { key, userId } = await addAccount(server);
        const bytes = someBytes(90 * KB);
        const answers = await Promise.all(Array.from({ length: 20 }, () => send(bytes, key)));
        const taken = answers.filter((answer) => answer.status === 200);
        for (const answer of answers) {
          if (answer.status === 200) continue;
          assertRefused(answer as Answer, { status: 413, code: "QUOTA_EXCEEDED" });
          assert.deepEqual([answer.body.limitKind, answer.body.limitBytes], ["STORAGE_QUOTA", STORAGE_BYTES]);
        }
        assert.ok(taken.length <= 11, String(taken.length));
        await until("nothing is set aside any more", async () => (await quotaOf(userId))[1] === 0);
        assert.deepEqual(await quotaOf(userId), [taken.length * bytes.length, 0]);
        // What others had set aside meanwhile is free again: the storage can be filled, and no more.
        let filled = taken.length;
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

  test("a file announced as too large is refused before its bytes come", async () => {
    const put = await sendRaw(server, [
      `PUT /big HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Length: ${10 * MB}\r\n\r\n`,
      "x",
    ]);
    assert.equal(put.status, 413);
    assert.match(put.text, /"limitKind":"FILE_SIZE"/);
  });

  test("files of one form need no more of the quota than their bytes", async () => {
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

  test("what is deleted, aborted or failed is given back", async () => {
    const { key, userId } = await addAccount(server);
    const file = await upload(server, { bytes: someBytes(FILE_BYTES) }, { key });
    const session = await init(server, { fileSize: FILE_BYTES }, { key });
    assert.deepEqual(await quotaOf(userId), [FILE_BYTES, FILE_BYTES]);
    await postAbort(server, session, { key });
    assert.deepEqual(await quotaOf(userId), [FILE_BYTES, 0]);
    assert.equal((await call(server, "PUT", "/a.txt?ttl=never", { body: "x", headers: bearer(key) })).status, 400);
    assert.deepEqual(await quotaOf(userId), [FILE_BYTES, 0]);
    await call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key });
    assert.deepEqual(await quotaOf(userId), [0, 0]);
  });

  test("Pro may pass what is included, up to its maximum", async () => {
    const { key } = await addAccount(server, { tier: "pro" });
    for (let taken = 0; taken < 10; taken += 1)
      assert.equal((await postUpload(server, { bytes: someBytes(FILE_BYTES) }, { key })).status, 200);
    const refused = await postUpload(server, { bytes: "x" }, { key });
    assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(refused.body.limitBytes, STORAGE_BYTES);
    const me = await call<{ data: { storage: object } }>(server, "GET", "/api/me", { key });
    assert.deepEqual(me.body.data.storage, {
      usedBytes: STORAGE_BYTES,
      reservedBytes: 0,
      includedBytes: FILE_BYTES,
      allowedBytes: STORAGE_BYTES,
      leftBytes: 0,
      isPastIncluded: true,
      isShared: false,
    });
  });

  test("accounts do not share a quota, anonymous callers of one address do", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => postUpload(server, { bytes: someBytes(FILE_BYTES) })));
    const refused = answers.filter((answer) => answer.status !== 200);
    assert.equal(refused.length, 2);
    for (const answer of refused) {
      assertRefused(answer, { status: 413, code: "QUOTA_EXCEEDED" });
      assert.equal(answer.body.limitKind, "ANON_STORAGE_QUOTA");
    }
    const { key } = await addAccount(server);
    assert.equal((await postUpload(server, { bytes: "x" }, { key })).status, 200);
  });
});

describe("the defaults", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_MIN_FREE: "0" });
  });
  after(() => server[Symbol.asyncDispose]());

  test("an anonymous file may have 1 GB, a free one 5 GB, a Pro one 35 GB", async () => {
    const GB = 1024 * MB;
    const [free, pro] = [await addAccount(server), await addAccount(server, { tier: "pro" })];
    for (const [key, most] of [
      [undefined, GB],
      [free.key, 5 * GB],
      [pro.key, 35 * GB],
    ] as const) {
      const refused = await postInit(server, { fileName: "a", fileSize: most + 1 }, { key });
      assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
      assert.deepEqual([refused.body.limitKind, refused.body.limitBytes], ["FILE_SIZE", most]);
      assert.match(refused.body.error ?? "", new RegExp(`${most / GB} GB`));
      const begun = await postInit(server, { fileName: "a", fileSize: most }, { key });
      assert.equal(begun.status, 200, JSON.stringify(begun.body));
      await postAbort(server, begun.body.data, { key });
    }
  });

  test("FILEHOST_ANONYMOUS=off asks for a key by every road", async () => {
    await using closed = await startPlainServer({ FILEHOST_ANONYMOUS: "off" });
    assertRefused(await postUpload(closed, { bytes: "x" }), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await postInit(closed, { fileName: "a", fileSize: 1 }), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await fetch(`${closed.url}/a.txt`, { method: "PUT", body: "x" })).status, 401);
    const form = new FormData();
    form.append("file", new File(["x"], "a.txt"));
    assert.equal((await fetch(`${closed.url}/`, { method: "POST", body: form })).status, 401);
    const { key } = await addAccount(closed);
    assert.equal((await postUpload(closed, { bytes: "x" }, { key })).status, 200);
  });
});
