import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { parseNetwork } from "../../../src/net/networks.ts";
import { createSafeFetch } from "../../../src/net/safe-fetch.ts";
import { byAccount, getOwnerActor } from "../../../src/service/accounts/user-actor.ts";
import { importFile } from "../../../src/service/imports/import-file.ts";
import { redirectTo, sendFile, startOrigin } from "../../support/origin-server.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts.ts";
import {
  type ApiResponse,
  assertRefused,
  type CallOptions,
  type ClientSettings,
  call,
  clientOf,
  deleteFile,
  type InputOf,
  signedUrl,
  type Upload,
} from "../support/api.ts";
import { startImportingServer } from "../support/imports.ts";
import { sha256 } from "../support/multipart.ts";
import { withServerContext } from "../support/server-context.ts";
import { countStoredState, withDatabase } from "../support/state.ts";

/** `POST /files/remote-upload`: imports, "Fields", "Which URLs" and "Refusals"; limits, "Rates". */

let server: TestServer;

before(async () => {
  server = await startImportingServer();
});
after(() => server[Symbol.asyncDispose]());

const sendImport = (to: TestServer, json: unknown, options: CallOptions = {}): Promise<ApiResponse> =>
  call(to, "POST", "/api/files/remote-upload", { json, ...options });
const importAccepted = async (from: TestServer, input: InputOf<"importFile">, options?: ClientSettings): Promise<Upload> =>
  (await clientOf(from, options).call("importFile", input)).data;

test("an import stores the bytes, name, type and digest of a public URL", async () => {
  const { key } = await addAccount(server);
  const bytes = randomBytes(300_000);
  await using origin = await startOrigin({ "/dir/photo.bin": sendFile({ bytes }), "/get": redirectTo("/dir/photo.bin") });
  const file = await importAccepted(server, { url: `${origin.url}/get` }, { key });
  assert.deepEqual([file.name, file.size, file.sha256, file.isAnonymous], ["photo.bin", bytes.length, sha256(bytes), false]);
  assert.equal(file.claimToken, undefined);
  assert.equal(file.sharePath, `/d/${file.shortId}`);
  const got = await fetch(await signedUrl(server, file.id));
  assert.ok(Buffer.from(await got.arrayBuffer()).equals(bytes));
});

test("an import applies publish fields and a file name, and returns tokens when anonymous", async () => {
  await using origin = await startOrigin({ "/a": (_request, response) => void response.writeHead(200).end("hello") });
  const file = await importAccepted(server, {
    url: `${origin.url}/a`,
    fileName: "../hello.txt",
    ttl: "1h",
    runId: "r1",
    folderId: null,
  });
  assert.deepEqual([file.name, file.mimeType, file.size, file.runId, file.isAnonymous], ["hello.txt", "text/plain", 5, "r1", true]);
  assert.match(file.claimToken ?? "", /^claim_/);
  const left = Date.parse(file.expiresAt ?? "") - Date.now();
  assert.ok(left > 3_500_000 && left <= 3_600_000);
  await deleteFile(server, { fileId: file.id, token: file.deletionToken });
});

test("an import requires a valid URL", async () => {
  for (const json of [
    {},
    { url: "" },
    { url: null },
    { url: 5 },
    { url: ["http://example.org/"] },
    { url: "not a url" },
    { url: "/path" },
  ]) {
    const response = await sendImport(server, json);
    assertRefused(response, { status: 400, code: "NO_URL" });
    assert.match(response.body.error ?? "", /^No URL was sent/);
  }
});

test("an import refuses private addresses, other schemes and credentials without counting an attempt", async () => {
  const hosts = ["10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "[fd00:ec2::254]", "0xa.1", "metadata.google.internal"];
  const urls = [...hosts.map((host) => `http://${host}/`), "ftp://example.org/a", "file:///etc/passwd", "http://u:p@example.org/"];
  for (const url of [...urls, ...urls]) assertRefused(await sendImport(server, { url }), { status: 400, code: "URL_NOT_ALLOWED" });
});

test("an import refuses every name of the local machine in the compiled executable", async () => {
  await using origin = await startOrigin({ "/a": sendFile({ bytes: randomBytes(10) }) });
  await using strict = await startServer({ env: { FILEHOST_SCANNER: "off" } });
  const { port } = new URL(origin.url);
  for (const host of ["localhost", "localhost.", "127.0.0.1", "127.1", "2130706433", "[::ffff:7f00:1]", "[::1]"])
    assertRefused(await sendImport(strict, { url: `http://${host}:${port}/a` }), { status: 400, code: "URL_NOT_ALLOWED" });
  assert.equal(origin.requests.length, 0);
});

test("an import refuses a redirect to a private address and a redirect loop", async () => {
  const { key } = await addAccount(server);
  await using origin = await startOrigin({
    "/meta": redirectTo("http://169.254.169.254/latest/meta-data/"),
    "/six": redirectTo("http://[::1]/"),
    "/loop": redirectTo("/loop"),
  });
  assertRefused(await sendImport(server, { url: `${origin.url}/meta` }, { key }), { status: 400, code: "URL_NOT_ALLOWED" });
  assertRefused(await sendImport(server, { url: `${origin.url}/six` }, { key }), { status: 400, code: "URL_NOT_ALLOWED" });
  assertRefused(await sendImport(server, { url: `${origin.url}/loop` }, { key }), { status: 422, code: "REMOTE_TOO_MANY_REDIRECTS" });
});

test("an import reports the faults of the remote server and leaves nothing", async () => {
  const { key } = await addAccount(server);
  const bytes = randomBytes(100_000);
  await using origin = await startOrigin({
    "/forbidden": (_request, response) => void response.writeHead(403).end("no"),
    "/page.pdf": (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>"),
    "/gzip": (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
    "/short": sendFile({ bytes, cutAfter: () => 50_000 }),
  });
  const before = await countStoredState(server);
  const refused = await sendImport(server, { url: `${origin.url}/forbidden` }, { key });
  assertRefused(refused, { status: 502, code: "REMOTE_REFUSED" });
  assert.equal(refused.body.remoteStatus, 403);
  assertRefused(await sendImport(server, { url: `${origin.url}/page.pdf` }, { key }), { status: 422, code: "REMOTE_NOT_A_FILE" });
  assertRefused(await sendImport(server, { url: `${origin.url}/gzip` }, { key }), { status: 422, code: "REMOTE_ENCODED" });
  assertRefused(await sendImport(server, { url: `${origin.url}/short` }, { key }), { status: 502, code: "REMOTE_UNREACHABLE" });
  assertRefused(await sendImport(server, { url: "http://127.0.0.1:1/" }, { key }), { status: 502, code: "REMOTE_UNREACHABLE" });
  assertRefused(await sendImport(server, { url: `${origin.url}/forbidden`, ttl: "400d" }, { key }), {
    status: 400,
    code: "EXPIRY_TOO_LONG",
  });
  assert.deepEqual(await countStoredState(server), before);
});

test("an import applies the tier's file size to the declared length, and while streaming without one", async () => {
  const limits = { tiers: { anonymous: { fileBytes: "1MB", storageBytes: "1500KB" } } };
  await using small = await startImportingServer({ FILEHOST_LIMITS: JSON.stringify(limits) });
  const bytes = randomBytes(2 * 1024 * 1024);
  let sent = 0;
  await using origin = await startOrigin({
    "/declared": sendFile({ bytes }),
    "/fits": (_request, response) => void response.writeHead(200).end(bytes.subarray(0, 1_000_000)),
    "/endless": (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        sent += bytes.length;
        if (!response.destroyed) response.write(bytes, more);
      };
      more();
    },
  });
  for (const path of ["/declared", "/endless"]) {
    const response = await sendImport(small, { url: origin.url + path });
    assertRefused(response, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(response.body.limitKind, "FILE_SIZE");
  }
  assert.ok(sent < 50 * bytes.length);
  await importAccepted(small, { url: `${origin.url}/fits` });
  const over = await sendImport(small, { url: `${origin.url}/fits` });
  assertRefused(over, { status: 413, code: "QUOTA_EXCEEDED" });
  assert.equal(over.body.limitKind, "ANON_STORAGE_QUOTA");
  const { files, reservedBytes, stored } = await countStoredState(small);
  assert.deepEqual([files, reservedBytes, stored.length], [1, 0, 1]);
});

test("imports without a key are limited to ten attempts per hour, failed ones included, also across a restart", async () => {
  await using own = await startImportingServer();
  const { key } = await addAccount(own);
  await using origin = await startOrigin({ "/a": (_request, response) => void response.writeHead(200).end("a") });
  for (let n = 0; n < 5; n++) await importAccepted(own, { url: `${origin.url}/a` });
  for (let n = 0; n < 5; n++) assertRefused(await sendImport(own, { url: `${origin.url}/none` }), { status: 502, code: "REMOTE_REFUSED" });
  await own.restart();
  const capped = await sendImport(own, { url: `${origin.url}/a` });
  assertRefused(capped, { status: 429, code: "RATE_LIMITED" });
  assert.equal(capped.body.rateLimitExceeded, true);
  const resetInMs = Date.parse(String(capped.body.resetAt)) - Date.now();
  assert.ok(resetInMs > 3_000_000 && resetInMs <= 3_600_000, String(capped.body.resetAt));
  assert.ok(Number(capped.headers.get("retry-after")) > 3000);
  const init = await call(own, "POST", "/api/files/remote-multipart/init", { json: { url: `${origin.url}/a` } });
  assertRefused(init, { status: 429, code: "RATE_LIMITED" });
  for (let n = 0; n < 11; n++) await importAccepted(own, { url: `${origin.url}/a` }, { key });
});

test("an agent's imports are limited to thirty attempts per hour", async () => {
  const { key, userId } = await addAccount(server);
  await withDatabase(server, async (db) => {
    await db.updateTable("users").set({ role: "agent" }).where("id", "=", userId).execute();
  });
  await using origin = await startOrigin({});
  for (let n = 0; n < 30; n++)
    assertRefused(await sendImport(server, { url: `${origin.url}/a` }, { key }), { status: 502, code: "REMOTE_REFUSED" });
  assertRefused(await sendImport(server, { url: `${origin.url}/a` }, { key }), { status: 429, code: "RATE_LIMITED" });
});

test("an import refuses a read-only key", async () => {
  const { key } = await addAccount(server, { scope: "files_read" });
  assertRefused(await sendImport(server, { url: "http://127.0.0.1:1/" }, { key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
});

test("an import repeated with its Idempotency-Key fetches once", async () => {
  const { key } = await addAccount(server);
  await using origin = await startOrigin({ "/a": (_request, response) => void response.writeHead(200).end("a") });
  const send = () => importAccepted(server, { url: `${origin.url}/a` }, { key, headers: { "Idempotency-Key": "import-once" } });
  const first = await send();
  const second = await send();
  assert.equal(second.id, first.id);
  assert.equal(origin.requests.length, 1);
});

test("an import that exceeds the wait limit responds REMOTE_TIMEOUT and leaves nothing", async () => {
  const { userId } = await addAccount(server);
  const before = await countStoredState(server);
  await using origin = await startOrigin({ "/a": sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 }) });
  await withServerContext(server, async (ctx) => {
    await using fetch = createSafeFetch({ allowedNetworks: [parseNetwork("127.0.0.0/8") ?? assert.fail()] });
    const hurried = {
      ...ctx,
      imports: { ...ctx.imports, fetch },
      config: { ...ctx.config, imports: { ...ctx.config.imports, waitMs: 300 } },
    };
    const actor = await getOwnerActor(ctx, byAccount(userId));
    const call = { actor, requestId: "", address: "127.0.0.1", channel: "api", userAgent: "" } as const;
    const waiting = importFile(hurried, call, { url: `${origin.url}/a` });
    await assert.rejects(waiting, (error) => error instanceof AppError && error.code === "REMOTE_TIMEOUT" && error.status === 504);
  });
  assert.deepEqual(await countStoredState(server), before);
});
