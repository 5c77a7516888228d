import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { getMe, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import {
  cancelImport,
  createImport,
  startImportingServer,
  startStalledOrigin,
  waitForBytes,
  waitForEnd,
} from "../support/shares/imports.ts";
import { createFileRequest, getRequest, joining, openSubmission, patchRequest, send, tokenOf } from "../support/shares/requests.ts";

const AWAITED = "/api/files/remote-upload";
const JOB = "/api/files/remote-multipart/init";

/** imports, "Imports into a request". */
describe("an import into a request", () => {
  let server: ServerWith<"owner">;
  let origin: Awaited<ReturnType<typeof startOrigin>>;
  before(async () => {
    server = await withAccounts(startImportingServer(), { owner: {} });
    origin = await startOrigin({ "/ten.txt": sendFile({ bytes: Buffer.from("ten bytes.") }) });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  const create = (input: Parameters<typeof createFileRequest>[2] = {}) => createFileRequest(server, server.owner.key, input);
  const url = (): string => `${origin.url}/ten.txt`;
  const start = (path: string, json: object) => call(server, "POST", path, { json });
  const usageOf = async (request: { readonly id: string }) => {
    const { receivedFiles, receivedBytes, submissions } = await getRequest(server, server.owner.key, request.id);
    return { receivedFiles, receivedBytes, files: submissions.map(({ files }) => files.length) };
  };
  const receiptOf = async (shortId: string, deletionToken: string) =>
    (await clientOf(server).call("getSubmission", { shortId, deletionToken })).data;

  test("belongs to the account that asks, with the sender's name and a receipt", async () => {
    const request = await create();
    const requestToken = tokenOf(request);
    const { status, body } = await start(AWAITED, { url: url(), requestToken, senderName: "Grace", senderNote: "From afar" });
    assert.equal(status, 200, JSON.stringify(body));
    const { shortId, deletionToken } = body.data as { readonly shortId: string; readonly deletionToken: string };
    const { submissions } = await getRequest(server, server.owner.key, request.id);
    assert.deepEqual(
      submissions.map(({ senderName, senderNote, files }) => [senderName, senderNote, files.map(({ name }) => name)]),
      [["Grace", "From afar", ["ten.txt"]]],
    );
    const receipt = await receiptOf(shortId, deletionToken);
    assert.deepEqual(
      receipt.files.map(({ name, size, uploading }) => [name, size, uploading]),
      [["ten.txt", 10, false]],
    );
    assert.equal((await call(server, "GET", `/api/files/share/${shortId}`)).status, 404);
  });

  test("is a job that begins a submission, to which the sender adds files", async () => {
    const request = await create();
    const requestToken = tokenOf(request);
    const created = await createImport(server, { url: url(), fileName: "named.txt", requestToken, senderName: "Grace" });
    const { shortId = "", shareToken = "", deletionToken = "" } = created;
    const job = await waitForEnd(server, created);
    assert.deepEqual([job.status, job.shortId, job.error], ["completed", shortId, null]);
    assert.equal((await send(server, { requestToken, shareShortId: shortId, shareToken }, { name: "more.txt" })).status, 200);
    const { files } = await receiptOf(shortId, deletionToken);
    assert.deepEqual(files.map(({ name }) => name).sort(), ["more.txt", "named.txt"]);
    assert.deepEqual(await usageOf(request), { receivedFiles: 2, receivedBytes: 20, files: [2] });
  });

  test("joins a submission, also of a request with a code, and no other", async () => {
    const request = await create({ protect: true });
    const requestToken = tokenOf(request);
    for (const path of [AWAITED, JOB])
      assertRefused(await start(path, { url: url(), requestToken }), { status: 403, code: "UNLOCK_REQUIRED" });
    const submission = await openSubmission(server, requestToken, { unlockCode: request.unlockCode ?? "" });
    const other = await openSubmission(server, tokenOf(await create()));
    const fields = joining(requestToken, submission);
    for (const path of [AWAITED, JOB]) {
      const refused = await start(path, { url: url(), ...fields, shareToken: other.shareToken });
      assertRefused(refused, { status: 403, code: "WRONG_TOKEN" });
    }
    assert.equal((await start(AWAITED, { url: url(), ...fields, relativePath: "a/ten.txt" })).status, 200);
    assert.equal((await waitForEnd(server, await createImport(server, { url: url(), ...fields }))).status, "completed");
    assert.deepEqual(await usageOf(request), { receivedFiles: 2, receivedBytes: 20, files: [2] });
  });

  test("is refused with settings of a share, for a closed or unknown request, and where no URL is allowed", async () => {
    const request = await create();
    const requestToken = tokenOf(request);
    for (const path of [AWAITED, JOB]) {
      const refuse = async (json: object, status: number, code: string) =>
        assertRefused(await start(path, { url: url(), requestToken, ...json }), { status, code });
      await refuse({ ttl: "1h" }, 400, "VALIDATION_FAILED");
      await refuse({ requestToken: null, senderName: "Grace" }, 400, "VALIDATION_FAILED");
      await refuse({ url: "" }, 400, "NO_URL");
      await refuse({ url: "http://10.0.0.1/a" }, 400, "URL_NOT_ALLOWED");
      await refuse({ requestToken: "rq_unknown" }, 404, "NOT_FOUND");
      await patchRequest(server, server.owner.key, request.id, { closed: true });
      await refuse({}, 409, "REQUEST_CLOSED");
      await patchRequest(server, server.owner.key, request.id, { closed: false });
    }
    assert.deepEqual(await usageOf(request), { receivedFiles: 0, receivedBytes: 0, files: [] });
  });

  test("is refused for an encrypted request, because the server would see the bytes", async () => {
    const request = await create({ encryptTo: (await createShareKey()).recipient });
    for (const path of [AWAITED, JOB]) {
      const refused = await start(path, { url: url(), requestToken: tokenOf(request) });
      assertRefused(refused, { status: 415, code: "ENCRYPTION_REQUIRED" });
    }
    assert.deepEqual(await usageOf(request), { receivedFiles: 0, receivedBytes: 0, files: [] });
  });

  test("holds the limits of the request exactly, and returns what it reserved when it fails", async () => {
    const request = await create({ maxFiles: 2, maxBytes: 1000, maxFileBytes: 1000 });
    const requestToken = tokenOf(request);
    const jobs = await Promise.all(Array.from({ length: 4 }, () => createImport(server, { url: url(), requestToken })));
    const ends = await Promise.all(jobs.map((job) => waitForEnd(server, job)));
    assert.deepEqual(ends.map(({ status, errorCode }) => [status, errorCode].join()).sort(), [
      "completed,",
      "completed,",
      "failed,QUOTA_EXCEEDED",
      "failed,QUOTA_EXCEEDED",
    ]);
    await patchRequest(server, server.owner.key, request.id, { maxFiles: 100, maxFileBytes: 9 });
    assertRefused(await start(AWAITED, { url: url(), requestToken }), { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual((await usageOf(request)).receivedBytes, 20);
  });

  test("is in the submission while it loads, and returns its bytes when its sender cancels it", async () => {
    await using stalled = await startStalledOrigin();
    const request = await create();
    const before = await getMe(server, server.owner.key);
    const created = await createImport(server, { url: `${stalled.url}/a`, requestToken: tokenOf(request) });
    const { shortId = "", deletionToken = "" } = created;
    await waitForBytes(server, created, 600);
    assert.deepEqual(
      (await receiptOf(shortId, deletionToken)).files.map(({ name, uploading }) => [name, uploading]),
      [["a", true]],
    );
    const { receivedFiles, receivedBytes } = await usageOf(request);
    assert.deepEqual({ receivedFiles, receivedBytes }, { receivedFiles: 1, receivedBytes: 1000 });
    assert.equal((await cancelImport(server, created)).status, "cancelled");
    await until("the reservation is returned", async () => (await usageOf(request)).receivedBytes === 0);
    assert.equal((await usageOf(request)).receivedFiles, 0);
    assert.deepEqual(await getMe(server, server.owner.key), before);
    assert.deepEqual((await receiptOf(shortId, deletionToken)).files, []);
  });
});
