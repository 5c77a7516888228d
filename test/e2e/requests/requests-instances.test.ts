import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getMe } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf, postUpload } from "../support/api/api.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import {
  createFileRequest,
  getByToken,
  getRequest,
  joining,
  openSubmission,
  patchRequest,
  type RequestView,
  send,
  tokenOf,
} from "../support/shares/requests.ts";
import { manyFiles, postBatch } from "../support/uploads/batches.ts";
import { holdPut } from "../support/uploads/held-put.ts";
import { complete, init, MB, partUrl, postComplete, putPart, type Session, someBytes } from "../support/uploads/multipart.ts";

const STORAGE_BYTES = 4 * MB;
const ENV = {
  FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
  FILEHOST_SCANNER: "off",
  FILEHOST_MIN_FREE: "0",
  FILEHOST_LIMITS: JSON.stringify({
    tiers: { free: { storageBytes: STORAGE_BYTES, storageMaxBytes: STORAGE_BYTES } },
    rates: { signUps: 1000 },
  }),
};

/** requests, "Requests", "States", "Limits" and "Sending files", on two servers with one database. */
for (const { database, store, skip } of [
  { database: "server", store: "bucket", skip: swiftMissing },
  { database: "file", store: "folder", skip: undefined },
] as const)
  describeUnless(longSkipped ?? skip, `a request on two server instances with one database, a ${database}, and one ${store}`, () => {
    let servers: ServerInstances;
    before(async () => {
      const swift = store === "bucket" ? await joinSwift() : undefined;
      servers = await startServerInstances({ count: 2, database, swift, env: ENV });
    });
    after(async () => {
      await assertNothingLostOrLeft(servers.instance(0));
      await servers[Symbol.asyncDispose]();
    });

    const signUpPerson = async () => {
      const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada" };
      const { owner, sessionToken } = (await clientOf(servers.instance(0)).call("signUp", person)).data;
      return { ...owner, key: sessionToken };
    };
    const signUp = async (): Promise<string> => (await signUpPerson()).key;
    /** Calls both instances at the same time; resolves to the number of responses with each status. */
    const together = async (count: number, start: (index: number) => Promise<{ readonly status: number }>) => {
      const responses = await Promise.all(Array.from({ length: count }, (_, index) => start(index)));
      return Object.fromEntries(
        Object.entries(Object.groupBy(responses, ({ status }) => status)).map(([status, all]) => [status, all?.length]),
      );
    };
    const received = async (key: string, { id }: RequestView, index = 1) => {
      const { receivedFiles, receivedBytes } = await getRequest(servers.instance(index), key, id);
      return { receivedFiles, receivedBytes };
    };
    const stored = async (key: string, index = 1) => {
      const { usedBytes, reservedBytes } = (await getMe(servers.instance(index), key)).storage;
      return { usedBytes, reservedBytes };
    };
    /** Asserts that the request counts the files that the account has, and that nothing is reserved. */
    const assertExact = async (key: string, request: RequestView): Promise<void> => {
      const { submissions } = await getRequest(servers.instance(0), key, request.id);
      const files = submissions.flatMap(({ files }) => files);
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      assert.deepEqual(await received(key, request), { receivedFiles: files.length, receivedBytes: bytes });
      assert.deepEqual(await stored(key), { usedBytes: bytes, reservedBytes: 0 });
    };

    test("accepts exactly as many files as its limit allows, sent to both at the same time", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key, { maxFiles: 6 });
      const requestToken = tokenOf(request);
      assert.deepEqual(await together(14, (index) => send(servers.instance(index), { requestToken })), { 200: 6, 413: 8 });
      assert.equal((await getByToken(servers.instance(1), requestToken)).state, "usedUp");
      await assertExact(key, request);
    });

    test("accepts exactly as many files of batches and uploads in parts", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key, { maxFiles: 20 });
      const requestToken = tokenOf(request);
      const submissions = await Promise.all([0, 1].map((index) => openSubmission(servers.instance(index), requestToken)));
      const batches = submissions.map((submission, index) =>
        postBatch(servers.instance(index), joining(requestToken, submission), manyFiles(12)),
      );
      const parts = [0, 1, 0, 1].map((index) => sendInParts(index, { requestToken }));
      const files = (await Promise.all(batches)).flatMap(({ body }) => body.data.files);
      const accepted =
        files.filter(({ error }) => error === undefined).length + (await Promise.all(parts)).filter((status) => status === 200).length;
      assert.equal(accepted, 20);
      assert.ok(files.every(({ errorCode }) => errorCode === undefined || errorCode === "QUOTA_EXCEEDED"));
      await assertExact(key, request);
    });

    /** Each request of the upload goes to another instance. */
    async function sendInParts(index: number, fields: object): Promise<number> {
      const bytes = someBytes(1000, index);
      const begun = await call<{ data: Session }>(servers.instance(index), "POST", "/api/files/multipart/init", {
        json: { fileName: "parts.bin", fileSize: bytes.length, ...fields },
      });
      if (begun.status !== 200) return begun.status;
      const { data: session } = begun.body;
      await putPart(await urlOfPart(index + 1, session, bytes), bytes);
      return (await postComplete(servers.instance(index), session)).status;
    }

    /** The URL of the only part of a session: of the store, or of an instance. */
    async function urlOfPart(index: number, session: Session, bytes: Uint8Array): Promise<string> {
      const url = await partUrl(servers.instance(index), session, 1, bytes);
      return url.startsWith("http://files.test") ? servers.at(index, url) : url;
    }

    test("accepts exactly as many bytes as its limit allows, whether their size is known or not", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key, { maxBytes: 2_000_000 });
      const requestToken = tokenOf(request);
      const bytes = "x".repeat(300_000);
      assert.deepEqual(await together(10, (index) => send(servers.instance(index), { requestToken }, { bytes })), { 200: 6, 413: 4 });
      await assertExact(key, request);
      const put = (index: number) => {
        const body = new Blob(["x".repeat(70_000)]).stream();
        return fetch(`${servers.instance(index).url}/stream.bin?requestToken=${requestToken}`, { method: "PUT", body });
      };
      const statuses = await together(6, put);
      assert.ok((statuses[200] ?? 0) <= 2, JSON.stringify(statuses));
      await assertExact(key, request);
    });

    test("counts on the account's storage exactly, beside another request and the owner's own files", async () => {
      const key = await signUp();
      const requests = [
        await createFileRequest(servers.instance(0), key, { maxBytes: STORAGE_BYTES }),
        await createFileRequest(servers.instance(1), key, { maxBytes: STORAGE_BYTES }),
      ];
      const bytes = "x".repeat(900_000);
      const start = (index: number) => {
        const request = requests[index % 3];
        if (!request) return postUpload(servers.instance(index), { bytes }, { key });
        return send(servers.instance(index), { requestToken: tokenOf(request) }, { bytes });
      };
      assert.deepEqual(await together(9, start), { 200: 4, 413: 5 });
      assert.deepEqual(await stored(key), { usedBytes: 3_600_000, reservedBytes: 0 });
    });

    test("accepts one of several senders if it is limited to one, who adds more on the other instance", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key, { once: true });
      const requestToken = tokenOf(request);
      const submissions = await Promise.all([0, 1, 0, 1, 0].map((index) => openSubmission(servers.instance(index), requestToken)));
      const sendAll = async (shift: number): Promise<readonly number[]> =>
        await Promise.all(
          submissions.map(
            async (submission, index) => (await send(servers.instance(index + shift), joining(requestToken, submission))).status,
          ),
        );
      const first = await sendAll(0);
      assert.deepEqual(first.toSorted(), [200, 409, 409, 409, 409]);
      assert.deepEqual(await sendAll(1), first);
      assert.deepEqual(await together(4, (index) => send(servers.instance(index), { requestToken })), { 409: 4 });
      assert.equal((await getRequest(servers.instance(1), key, request.id)).submissions.length, 1);
      await assertExact(key, request);
    });

    test("is closed and replaced for the other instance's next request; uploads that have begun complete there", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key);
      const requestToken = tokenOf(request);
      const submission = await openSubmission(servers.instance(1), requestToken);
      const bytes = someBytes(1000);
      const begin = async () => {
        const session = await init(servers.instance(1), { fileSize: bytes.length, ...joining(requestToken, submission) });
        assert.equal((await putPart(await urlOfPart(1, session, bytes), bytes)).status, 200);
        return session;
      };
      const sessions = [await begin(), await begin()] as const;
      assert.equal((await patchRequest(servers.instance(0), key, request.id, { closed: true })).status, 200);
      assertRefused(await send(servers.instance(1), joining(requestToken, submission)), { status: 409, code: "REQUEST_CLOSED" });
      await complete(servers.instance(1), sessions[0]);
      assert.equal((await patchRequest(servers.instance(1), key, request.id, { closed: false })).status, 200);
      const replaced = (await clientOf(servers.instance(0), { key }).call("rotateRequest", { id: request.id })).data;
      for (const fields of [{ requestToken }, joining(requestToken, submission)])
        assertRefused(await send(servers.instance(1), fields), { status: 404, code: "NOT_FOUND" });
      assert.equal((await call(servers.instance(1), "GET", `/api/requests/by-token?requestToken=${requestToken}`)).status, 404);
      await complete(servers.instance(1), sessions[1]);
      assert.equal((await send(servers.instance(1), joining(tokenOf(replaced), submission))).status, 200);
      await assertExact(key, request);
    });

    test("ends uploads that began on the other instance when it is deleted, and releases their reservations", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key);
      const requestToken = tokenOf(request);
      const bytes = someBytes(1000);
      const session = await init(servers.instance(1), { fileSize: bytes.length, requestToken });
      assert.equal((await putPart(await urlOfPart(1, session, bytes), bytes)).status, 200);
      await clientOf(servers.instance(0), { key }).call("deleteRequest", { id: request.id });
      assertRefused(await postComplete(servers.instance(1), session), { status: 409, code: "UPLOAD_CLOSED" });
      assert.equal((await servers.instance(0).run(["cleanup"])).code, 0);
      assert.deepEqual(await stored(key), { usedBytes: 0, reservedBytes: 0 });
    });

    test("counts a file once if it is sent to both with one Idempotency-Key, and its removal on both once", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key);
      const requestToken = tokenOf(request);
      const submission = await openSubmission(servers.instance(0), requestToken);
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      const sendAgain = (index: number) => send(servers.instance(index), joining(requestToken, submission), { headers });
      const statuses = await together(4, sendAgain);
      assert.equal((statuses[200] ?? 0) + (statuses[409] ?? 0), 4, JSON.stringify(statuses));
      const { id } = (await sendAgain(1)).body.data;
      await send(servers.instance(1), joining(requestToken, submission), { name: "other.txt" });
      assert.equal((await received(key, request, 0)).receivedFiles, 2);
      const { shortId, deletionToken } = submission;
      const remove = (index: number) => {
        const query = new URLSearchParams({ deletionToken, fileId: id });
        return call(servers.instance(index), "DELETE", `/api/requests/submissions/${shortId}?${query}`);
      };
      assert.deepEqual(await together(4, remove), { 200: 1, 404: 3 });
      assert.equal((await received(key, request, 0)).receivedFiles, 1);
      await assertExact(key, request);
    });

    test("counts wrong codes for both together, and accepts a new code immediately", async () => {
      const key = await signUp();
      const request = await createFileRequest(servers.instance(0), key, { protect: true });
      const requestToken = tokenOf(request);
      const unlock = (index: number, unlockCode: string, headers = {}) =>
        call(servers.instance(index), "POST", "/api/requests/unlock", { json: { requestToken, unlockCode }, headers });
      assert.deepEqual(await together(14, (index) => unlock(index, "AAAAAA")), { 403: 10, 429: 4 });
      const { unlockCode } = (await clientOf(servers.instance(0), { key }).call("updateRequest", { id: request.id, protect: true })).data;
      const other = fromAddress("203.0.113.5");
      const opened = (index: number, code = "") => unlock(index, code, other);
      assert.deepEqual([(await opened(1, request.unlockCode)).status, (await opened(1, unlockCode)).status], [403, 200]);
    });

    test("receives nothing more when its account is disabled or deleted on the other instance during an upload", async () => {
      const held = async (requestToken: string) => {
        const upload = holdPut(`${servers.instance(1).url}/held.bin?requestToken=${requestToken}`, someBytes(1000));
        await upload.sent;
        return upload;
      };
      for (const end of ["disabled", "deleted"] as const) {
        const { id, email, key } = await signUpPerson();
        const request = await createFileRequest(servers.instance(0), key);
        const upload = await held(tokenOf(request));
        await until("the upload has begun", async () => (await received(key, request)).receivedFiles === 1);
        if (end === "disabled")
          await servers.withDatabase((db) => db.updateTable("users").set({ disabled_at: Date.now() }).where("id", "=", id).execute());
        else await clientOf(servers.instance(0), { key }).call("deleteMe", { confirm: email });
        const { status } = await upload.finish();
        assert.ok(status >= 400, `${end}: ${status}`);
        assert.equal((await send(servers.instance(1), { requestToken: tokenOf(request) })).status, 404);
        await until("nothing of it is left", () =>
          servers.withDatabase(async (db) => {
            const files = await db
              .selectFrom("files")
              .select("id")
              .where("owner_id", "=", id)
              .where("blob_state", "<>", "removed")
              .execute();
            const quota = await db.selectFrom("quotas").selectAll().where("owner", "=", `user:${id}`).executeTakeFirst();
            return files.length === 0 && (quota?.reserved_bytes ?? 0) === 0;
          }),
        );
      }
    });
  });
