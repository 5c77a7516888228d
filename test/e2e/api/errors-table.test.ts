import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { ScanStatus } from "../../../src/contract/scalars.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { redirectTo, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import {
  type ApiResponse,
  askShare,
  assertRefused,
  authorize,
  type Body,
  call,
  clientOf,
  findInfo,
  getShare,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { type Credentials, credentialsIn } from "../support/shares/shares.ts";
import { atServer } from "../support/uploads/transfers.ts";

const GB = 1024 ** 3;

type Route = readonly [name: string, ask: (file: Upload, query?: Readonly<Record<string, string>>, key?: string) => Promise<ApiResponse>];

/** envelopes and errors, "Codes", row by row, on every route on which it can occur; downloads, "Getting a signed URL". */
describe("documented errors", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" });
  });
  after(() => server[Symbol.asyncDispose]());

  const downloadRoutes: readonly Route[] = [
    ["download", (file, query, key) => authorize(server, `${file.id}?${new URLSearchParams(query)}`, { key })],
    [
      "archive",
      (file, query, key) => call(server, "GET", `/api/files/share/${file.shortId}/archive?${new URLSearchParams(query)}`, { key }),
    ],
  ];
  const submitDownloadForm = (file: Upload, fields: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${server.url}${file.sharePath}/download`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ fileId: file.id, ...fields }),
    });
  /** Sets the scan status as the scanner would; the server of this suite runs none. */
  const setScan = (file: Upload, status: ScanStatus, reason: "infected" | "scan_failed" | null = null) =>
    withDatabase(server, (db) =>
      db.updateTable("files").set({ scan_status: status, scan_reason: reason }).where("id", "=", file.id).execute(),
    );
  const setPrice = (file: Upload, priceCents: number) =>
    withDatabase(server, (db) => db.updateTable("shares").set({ price_cents: priceCents }).where("short_id", "=", file.shortId).execute());
  const without = ({ body }: ApiResponse, ...names: readonly string[]): object =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

  test("a download during the malware scan returns 409", async () => {
    const file = await upload(server, { bytes: "x" });
    for (const scanStatus of ["pending", "scanning"] as const) {
      await setScan(file, scanStatus);
      assert.equal((await getShare(server, file.shortId)).scanStatus, scanStatus);
      const uploaders = await call(server, "GET", atServer(server, file.url).slice(server.url.length));
      for (const [route, response] of [
        ...(await Promise.all(downloadRoutes.map(async ([route, ask]) => [route, await ask(file)] as const))),
        ["url", uploaders] as const,
      ]) {
        assertRefused(response, { status: 409, code: "SCAN_PENDING" });
        assert.deepEqual(
          without(response, "error"),
          { success: false, errorCode: "SCAN_PENDING", scanPending: true, retryAfterSeconds: 15 },
          route,
        );
        assert.equal(response.headers.get("retry-after"), "15", route);
      }
      assert.equal((await submitDownloadForm(file)).status, 409);
    }
  });

  test("a download of a file that the malware scan has blocked returns 404", async () => {
    for (const reason of ["infected", "scan_failed"] as const) {
      const file = await upload(server, { bytes: "x" });
      await setScan(file, "unavailable", reason);
      assert.equal((await getShare(server, file.shortId)).scanStatus, "unavailable");
      const uploaders = await call(server, "GET", atServer(server, file.url).slice(server.url.length));
      for (const response of [...(await Promise.all(downloadRoutes.map(([, ask]) => ask(file)))), uploaders]) {
        assertRefused(response, { status: 404, code: "SCAN_BLOCKED" });
        assert.deepEqual(without(response, "error"), { success: false, errorCode: "SCAN_BLOCKED", scanBlocked: true });
      }
      assert.equal((await submitDownloadForm(file)).status, 404);
    }
  });

  test("a download of a missing or expired file returns 404 without `scanBlocked`", async () => {
    const file = await upload(server, { bytes: "x" });
    const missing = { ...file, id: "A".repeat(16), shortId: "zzzzzzzz" };
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", file.shortId)
        .execute(),
    );
    for (const unavailable of [file, missing]) {
      for (const [, ask] of downloadRoutes) {
        const response = await ask(unavailable);
        assertRefused(response, { status: 404, code: "NOT_FOUND" });
        assert.deepEqual(without(response, "error"), { success: false, errorCode: "NOT_FOUND" });
      }
    }
  });

  test("a download of a priced share returns 402, after the unlock and before the malware scan, but not to its owner", async () => {
    const { key } = await addAccount(server);
    const otherAccount = await addAccount(server);
    const file: Upload = await upload(server, { bytes: "x", fields: { protect: "true" } }, { key });
    const { unlockCode }: Credentials = credentialsIn(file);
    await setPrice(file, 250);
    await setScan(file, "pending");
    const { paymentRequired, priceCents } = await getShare(server, file.shortId);
    assert.deepEqual([paymentRequired, priceCents], [true, 250]);
    const info = await findInfo(server, file.shortId);
    assert.deepEqual([info?.paymentRequired, info?.priceCents], [true, 250]);
    for (const [, ask] of downloadRoutes) {
      assertRefused(await ask(file), { status: 403, code: "UNLOCK_REQUIRED" });
      for (const buyer of [undefined, otherAccount.key]) {
        const response = await ask(file, { unlockCode, purchaseToken: "purchase_invented" }, buyer);
        assertRefused(response, { status: 402, code: "PAYMENT_REQUIRED" });
        assert.deepEqual([response.body.priceCents, response.body.currency], [250, "usd"]);
      }
      assertRefused(await ask(file, {}, key), { status: 403, code: "UNLOCK_REQUIRED" });
      assertRefused(await ask(file, { unlockCode }, key), { status: 409, code: "SCAN_PENDING" });
    }
    assert.equal((await submitDownloadForm(file, { unlockCode })).status, 303, "to the page that sells it");
    await setScan(file, "clean");
    assert.equal((await fetch(atServer(server, file.url))).status, 200, "the uploader's URL requires neither");
    for (const [, ask] of downloadRoutes) {
      assertRefused(await ask(file, { unlockCode }), { status: 402, code: "PAYMENT_REQUIRED" });
      assert.equal((await ask(file, { unlockCode }, key)).status, 200);
    }
  });

  test("the metadata of an unknown or expired share returns 404", async () => {
    const file = await upload(server, { bytes: "x" });
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", file.shortId)
        .execute(),
    );
    for (const shortId of [file.shortId, "zzzzzzzz"]) assertRefused(await askShare(server, shortId), { status: 404, code: "NOT_FOUND" });
  });

  test("an import without a valid URL reports that no URL was sent", async () => {
    for (const path of ["remote-upload", "remote-multipart/init"]) {
      for (const json of [{}, { url: "" }, { url: "   " }, { url: "example" }, { url: 7 }, { url: null }]) {
        const response = await call(server, "POST", `/api/files/${path}`, { json });
        assertRefused(response, { status: 400, code: "NO_URL" });
        assert.match(response.body.error ?? "", /^No URL was sent/);
      }
    }
  });

  test("an import that the remote server refuses reports that server's status as `remoteStatus`", async () => {
    const { key } = await addAccount(server);
    const statuses = [400, 401, 403, 404, 410, 429, 500, 503];
    const routes = Object.fromEntries(
      statuses.map((status) => [
        `/${status}`,
        (_request: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(status).end(),
      ]),
    );
    await using origin = await startOrigin({ ...routes, "/moved": redirectTo("/410") });
    for (const [path, status] of [...statuses.map((status) => [`/${status}`, status] as const), ["/moved", 410] as const]) {
      const response = await call(server, "POST", "/api/files/remote-upload", { key, json: { url: origin.url + path } });
      assertRefused(response, { status: 502, code: "REMOTE_REFUSED" });
      assert.equal(response.body.remoteStatus, status);
    }
  });

  test("an anonymous upload larger than 1 GB is refused before its bytes, on every upload route", async () => {
    const wanted = { limitKind: "FILE_SIZE", limitBytes: GB };
    const limitOf = ({ limitKind, limitBytes }: Body) => ({ limitKind, limitBytes });
    const init = await call(server, "POST", "/api/files/multipart/init", { json: { fileName: "a", fileSize: GB + 1 } });
    assertRefused(init, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual(limitOf(init.body), wanted);
    const head = `PUT /a HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Length: ${GB + 1}\r\n\r\n`;
    const put = await sendRaw(server, [head, "x"]);
    assert.equal(put.status, 413);
    assert.match(
      put.text,
      /"success":false,"error":"[^"]{10,}","errorCode":"QUOTA_EXCEEDED","limitKind":"FILE_SIZE","limitBytes":1073741824/,
    );
    await using origin = await startOrigin({
      "/large": (_request, response) => void response.writeHead(200, { "content-length": String(GB + 1) }).flushHeaders(),
    });
    const imported = await call(server, "POST", "/api/files/remote-upload", { json: { url: `${origin.url}/large` } });
    assertRefused(imported, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual(limitOf(imported.body), wanted);
  });

  test("file info reports an unknown code as an item of status 404 in a 200 response", async () => {
    const body = await clientOf(server).call("getFileInfo", { file_code: "zzzzzzzz" });
    assert.deepEqual([body.status, body.msg, body.result], [200, "OK", [{ status: 404, filecode: "zzzzzzzz" }]]);
  });
});

/** envelopes and errors, "Errors": an unexpected error shows a request id for the log and no internal details. */
test("an internal error responds 500 with a request id, in the API and on pages", async () => {
  await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
  const file = await upload(server, { bytes: "x" });
  await withDatabase(server, (db) => sql`ALTER TABLE shares RENAME TO lost_shares`.execute(db));
  const response = await askShare(server, file.shortId);
  assertRefused(response, { status: 500, code: "INTERNAL" });
  assert.deepEqual(Object.keys(response.body).sort(), ["error", "errorCode", "requestId", "success"]);
  assert.equal(response.headers.get("x-request-id"), response.body.requestId);
  assert.doesNotMatch(JSON.stringify(response.body), /shares|sql|table/i);
  assert.ok(server.logs().some((line) => line.requestId === response.body.requestId && /lost|no such table/.test(JSON.stringify(line))));
  const page = await fetch(server.url + file.sharePath, { headers: { Accept: "text/html" } });
  assert.equal(page.status, 500);
  assert.doesNotMatch(await page.text(), /no such table|sql/i);
});
