import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { solve } from "../support/accounts/agents.ts";
import { downloadBytes, putStream, type Reply, send, sendOk, uploadForm, uploadParts } from "../support/accounts/third-party-client.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";

/**
 * Third-party clients work unchanged: the order of their calls, their fields and their headers.
 * openapi, "Versioning".
 */

const UNKNOWN = { grace: 3600, step: "build", intent: "deliver", consumer: "tests", clientEncryption: "age" };
const remote = someBytes(9 * MB, 3);
let server: TestServer;
let origin: Origin;

before(async () => {
  const env = { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off", FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" };
  server = await startServer({ env });
  origin = await startOrigin({ "/nine.bin": sendFile({ bytes: remote }) });
});
after(async () => {
  await origin[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe("a command-line client", () => {
  test("uploads a small file as a form, and gets every field of its receipt", async () => {
    const bytes = someBytes(5000);
    const file = await uploadForm(server, "small.txt", bytes, { fields: { ...UNKNOWN, ttl: "24h", once: true, runId: "run" } });
    assert.deepEqual([file.sharePath, file.shareUrl.endsWith(file.sharePath)], [`/d/${file.shortId}`, true]);
    assert.deepEqual([file.sha256, file.size, file.isAnonymous], [sha256(bytes), bytes.length, true]);
    assert.ok(file.expiresAt && file.claimToken && file.deletionToken);
    await sendOk(server, "DELETE", `/files/delete?${new URLSearchParams({ fileId: file.id, token: file.deletionToken })}`);
  });

  test("uploads a file of exactly 4 MB either as a form or in parts", async () => {
    const bytes = someBytes(4 * MB);
    assert.equal((await uploadForm(server, "four.bin", bytes)).size, bytes.length);
    assert.equal((await uploadParts(server, "four.bin", bytes)).size, bytes.length);
  });

  test("uploads a large file by init, part URLs, parts and complete, with the publish fields at complete", async () => {
    const { key } = await addAccount(server);
    const bytes = someBytes(20 * MB);
    const fields = { ...UNKNOWN, ttl: "24h", protect: true, handoffMessage: "Here it is.", runId: "run-1" };
    const file = await uploadParts(server, "large.bin", bytes, { key, fields });
    assert.match(String(file.unlockCode), /^\w{6}$/);
    const handoffToken = String(file.handoffUrl).split("/").at(-1) ?? "";
    assert.equal(sha256(await downloadBytes(server, file.id, { handoffToken })), sha256(bytes));
    assert.equal(sha256(await downloadBytes(server, file.id, { unlockCode: String(file.unlockCode) })), sha256(bytes));
    assert.equal((await send(server, "GET", `/files/download/${file.id}`)).status, 403);
  });

  test("uploads parts as streams with a declared length and type", async () => {
    const bytes = someBytes(20 * MB, 2);
    const file = await uploadParts(server, "stream.bin", bytes, { put: putStream });
    assert.equal(sha256(await downloadBytes(server, file.id)), sha256(bytes));
  });

  test("uploads a large file again with the same Idempotency-Key, and gets the same file", async () => {
    const { key } = await addAccount(server);
    const bytes = someBytes(20 * MB);
    const options = { key, idempotencyKey: "deploy-2031-07", fields: { protect: true } };
    const first = await uploadParts(server, "again.bin", bytes, options);
    const again = await uploadParts(server, "again.bin", bytes, options);
    assert.deepEqual(again, { ...first, idempotent: true });
    const { body } = await sendOk(server, "GET", "/files/list?page=1&limit=50&includeFolders=false", { key });
    assert.equal((body.data.files as unknown[]).length, 1);
  });

  test("uploads small files, large files and imports into one shipment", async () => {
    const { key } = await addAccount(server);
    const { shortId } = await uploadForm(server, "a.txt", someBytes(10), { key, fields: { openShare: true, protect: true } });
    const fields = { shareShortId: shortId };
    const large = await uploadParts(server, "b.bin", someBytes(5 * MB), { key, fields });
    const url = `${origin.url}/nine.bin`;
    const imported = await sendOk(server, "POST", "/files/remote-upload", { key, json: { url, folderId: null, ...fields } });
    assert.deepEqual([large.shortId, imported.body.data.shortId], [shortId, shortId]);
    const json = { shortId, protect: true, handoffMessage: "All of it." };
    const settings = await sendOk(server, "PATCH", "/files/share-settings", { key, json });
    assert.ok(settings.body.data.unlockCode && settings.body.data.handoffUrl);
  });
});

describe("a command-line client that imports a file", () => {
  const startImport = (key?: string): Promise<Reply> =>
    sendOk(server, "POST", "/files/remote-multipart/init", { key, json: { url: `${origin.url}/nine.bin`, folderId: null, ...UNKNOWN } });

  const assertDone = (job: Readonly<Record<string, unknown>>): void => {
    assert.deepEqual([job.status, job.bytesDone, job.bytesTotal, job.percent], ["completed", remote.length, remote.length, 100]);
    assert.deepEqual([job.sharePath, job.name, job.error], [`/d/${job.shortId}`, "nine.bin", null]);
  };

  test("reads events as blocks with a line `data: `, of which the last has the final state", async () => {
    const { jobId, jobSecret } = (await startImport()).body.data;
    const path = `/api/files/remote-multipart/${jobId}/events?secret=${encodeURIComponent(String(jobSecret))}`;
    const response = await fetch(server.url + path, { headers: { Accept: "text/event-stream" } });
    const blocks = (await response.text()).split("\n\n");
    const lines = blocks.flatMap((block) =>
      block
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .slice(0, 1),
    );
    assertDone(JSON.parse(lines.at(-1)?.slice("data: ".length) ?? ""));
  });

  test("polls the job with its key and the job's secret", async () => {
    const { key } = await addAccount(server);
    const { jobId, jobSecret } = (await startImport(key)).body.data;
    let job: Readonly<Record<string, unknown>> = {};
    await until("the job ends", async () => {
      job = (await sendOk(server, "GET", `/files/remote-multipart/${jobId}?secret=${jobSecret}`, { key })).body.data;
      assert.equal(typeof job.phase, "string");
      return job.status === "completed" || job.status === "failed";
    });
    assertDone(job);
    assert.equal(sha256(await downloadBytes(server, String(job.fileId))), sha256(remote));
  });

  test("gets an error message if the source is missing", async () => {
    const json = { url: `${origin.url}/missing`, folderId: null };
    const { ok, body } = await send(server, "POST", "/files/remote-upload", { json });
    assert.deepEqual([ok, typeof body.error], [false, "string"]);
  });
});

describe("an agent", () => {
  test("registers, and manages a claimed file until it deletes it", async () => {
    const challenge = await sendOk(server, "POST", "/agent/register/challenge");
    const { challenge_id, difficulty, expires_at } = challenge.body as unknown as Parameters<typeof solve>[0];
    assert.equal(typeof difficulty, "number");
    const wrong = await send(server, "POST", "/agent/register", { json: { label: "cli-agent", challenge_id, nonce: "" } });
    assert.deepEqual([wrong.status, typeof wrong.body.error_code], [400, "string"], "clients try again on these codes");
    const nonce = solve({ challenge_id, difficulty, expires_at });
    const { body: agent } = await sendOk(server, "POST", "/agent/register", { json: { label: "cli-agent", challenge_id, nonce } });
    assert.deepEqual([agent.tier, String(agent.key).startsWith(`${agent.key_prefix}`), typeof agent.note], ["bootstrap", true, "string"]);
    const key = String(agent.key);

    const { id: fileId, claimToken, shortId } = await uploadForm(server, "a.txt", someBytes(100));
    const claimed = await sendOk(server, "POST", "/files/claim", { key, json: { fileId, claimToken } });
    assert.deepEqual(claimed.body.data, { id: fileId, shortCode: shortId });

    const folder = await sendOk(server, "POST", "/folders", { key, json: { name: "photos", parentId: null } });
    const inFolder = await uploadParts(server, "b.bin", someBytes(5 * MB), { key, folderId: String(folder.body.data.id) });
    const listed = await sendOk(server, "GET", `/files/list?page=1&limit=50&includeFolders=true&folderId=${folder.body.data.id}`, { key });
    assert.deepEqual(
      (listed.body.data.files as { id: string }[]).map(({ id }) => id),
      [inFolder.id],
    );
    const folders = await sendOk(server, "GET", "/folders/list?page=1&limit=50", { key });
    assert.equal((folders.body.data as unknown as unknown[]).length, 1);

    const settings = { visibility: "unlisted", direct: false, priceCents: 0, currency: "usd", extendTtl: "7d" };
    await sendOk(server, "PATCH", "/files/share-settings", { key, json: { fileId, ...settings } });

    await downloadBytes(server, fileId);
    await until("the download event is listed", async () => {
      const { body } = await sendOk(server, "GET", `/files/${fileId}/download-events?limit=20`, { key });
      const events = body.events as { event_kind: string; created_at: string }[];
      const later = await sendOk(server, "GET", `/files/${fileId}/download-events?limit=20&cursor=${events.at(-1)?.created_at}`, { key });
      assert.deepEqual(later.body.events, [], "the cursor may be the time of the last one seen");
      return events.some(({ event_kind }) => event_kind === "completed");
    });
    const info = await sendOk(server, "GET", `/files/info?file_code=${encodeURIComponent(`${shortId},nothing`)}`, { key });
    assert.deepEqual(
      (info.body.result as { status: number }[]).map(({ status }) => status),
      [200, 404],
    );
    await sendOk(server, "DELETE", `/files/delete?fileId=${fileId}&force=true`, { key, idempotencyKey: "delete-it-once" });
    await sendOk(server, "DELETE", `/files/delete?fileId=${fileId}&force=true`, { key, idempotencyKey: "delete-it-once" });
  });
});
