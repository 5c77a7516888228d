import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { AppError, type ErrorCode } from "../../src/errors.ts";
import { parseNetwork } from "../../src/net/networks.ts";
import { openRemoteFile, type ResumePoint } from "../../src/net/remote-file.ts";
import { createSafeFetch } from "../../src/net/safe-fetch.ts";
import { type Handler, type Origin, redirectTo, sendFile, startOrigin } from "../support/origin-server.ts";

const LOOPBACK = [parseNetwork("127.0.0.0/8") ?? assert.fail()];
const bytes = randomBytes(3 * 1024 * 1024);
const ETAG = '"v1"';

interface Fetched {
  readonly name: string;
  readonly sizeBytes: number | undefined;
  readonly validator: string | undefined;
  readonly offset: number;
  readonly content: Buffer;
}

interface FetchOptions {
  readonly resume?: ResumePoint;
  readonly idleTimeoutMs?: number;
}

async function fetchFile(url: string, { resume, idleTimeoutMs = 60_000 }: FetchOptions = {}): Promise<Fetched> {
  await using fetch = createSafeFetch({ allowedNetworks: LOOPBACK, idleTimeoutMs });
  const file = await openRemoteFile(fetch, { url, signal: new AbortController().signal, resume });
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.body) chunks.push(chunk);
  const { name, sizeBytes, validator, offset } = file;
  return { name, sizeBytes, validator, offset, content: Buffer.concat(chunks) };
}

const refusal = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

const withHeaders =
  (headers: Readonly<Record<string, string>>, body: string | Uint8Array = "bytes"): Handler =>
  (_request, response) =>
    void response.writeHead(200, headers).end(body);

/** imports, "Fields", "Refusals" and "Interruptions". */
test("a file's name is taken from Content-Disposition, else from the URL", async () => {
  await using origin = await startOrigin({
    "/plain": withHeaders({ "content-disposition": 'attachment; filename="a b.txt"' }),
    "/star": withHeaders({ "content-disposition": "attachment; filename=x.txt; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt" }),
    "/raw": withHeaders({ "content-disposition": Buffer.from('attachment; filename="naïve.txt"').toString("latin1") }),
    "/broken": withHeaders({ "content-disposition": "attachment; filename=no quotes.txt" }),
    "/dir/r%C3%A9sum%C3%A9.pdf": withHeaders({}),
    "/get": redirectTo("/stored/report.pdf?signature=1"),
    "/stored/report.pdf": withHeaders({}),
    "/asked.zip": redirectTo("/blob"),
    "/blob": withHeaders({}),
    "/": withHeaders({}),
  });
  const names: Record<string, string> = {};
  for (const path of ["/plain", "/star", "/raw", "/broken", "/dir/r%C3%A9sum%C3%A9.pdf", "/get", "/asked.zip", "/"])
    names[path] = (await fetchFile(origin.url + path)).name;
  assert.deepEqual(names, {
    "/plain": "a b.txt",
    "/star": "naïve €.txt",
    "/raw": "naïve.txt",
    "/broken": "no quotes.txt",
    "/dir/r%C3%A9sum%C3%A9.pdf": "résumé.pdf",
    "/get": "report.pdf",
    "/asked.zip": "asked.zip",
    "/": "",
  });
});

test("rejects responses that are not the file, with the remote status", async () => {
  const statuses = [204, 206, 304, 400, 401, 403, 404, 410, 416, 429, 500, 503];
  await using origin = await startOrigin(
    Object.fromEntries(statuses.map((status) => [`/${status}`, (_request, response) => void response.writeHead(status).end()])),
  );
  for (const status of statuses) {
    await assert.rejects(
      fetchFile(`${origin.url}/${status}`),
      (error) => error instanceof AppError && error.code === "REMOTE_REFUSED" && error.fields.remoteStatus === status,
      String(status),
    );
  }
});

test("rejects compressed responses without decompressing them", async () => {
  await using origin = await startOrigin({ "/a.txt": withHeaders({ "content-encoding": "gzip" }, gzipSync(Buffer.alloc(100_000))) });
  await assert.rejects(fetchFile(`${origin.url}/a.txt`), refusal("REMOTE_ENCODED"));
  assert.equal(origin.requests[0]?.headers["accept-encoding"], "identity");
});

test("rejects a web page in place of a file", async () => {
  const page = "<!DOCTYPE html><title>Sign in</title><form><input type=password></form>";
  const html = { "content-type": "text/html; charset=utf-8" };
  await using origin = await startOrigin({
    "/report.pdf": withHeaders(html, page),
    "/login": withHeaders(html, page),
    "/long": withHeaders(html, ` \n<HTML>${"x".repeat(100_000)}`),
    "/page.html": withHeaders(html, page),
    "/attached": withHeaders({ ...html, "content-disposition": "attachment; filename=a.html" }, page),
    "/mislabelled.bin": withHeaders(html, "just bytes"),
    "/empty": withHeaders(html, ""),
  });
  for (const path of ["/report.pdf", "/login", "/long"])
    await assert.rejects(fetchFile(origin.url + path), refusal("REMOTE_NOT_A_FILE"), path);
  for (const path of ["/page.html", "/attached"]) assert.equal((await fetchFile(origin.url + path)).content.toString(), page, path);
  assert.equal((await fetchFile(`${origin.url}/mislabelled.bin`)).content.toString(), "just bytes");
  assert.equal((await fetchFile(`${origin.url}/empty`)).content.length, 0);
});

test("reconnects after a broken connection if the source supports ranges", async () => {
  const cuts = [1_000_000, 500_000, 700_000];
  await using origin = await startOrigin({ "/a.bin": sendFile({ bytes, headers: { etag: ETAG }, cutAfter: () => cuts.shift() }) });
  const { content, sizeBytes, validator } = await fetchFile(`${origin.url}/a.bin`);
  assert.ok(content.equals(bytes));
  assert.deepEqual([sizeBytes, validator], [bytes.length, ETAG]);
  const [first, ...again] = origin.requests;
  assert.equal(first?.headers.range, undefined);
  assert.equal(again.length, 3);
  assert.ok(again.every(({ headers }) => headers["if-range"] === ETAG && /^bytes=\d+-$/.test(headers.range ?? "")));
});

test("a broken or truncated source without ranges is REMOTE_UNREACHABLE", async () => {
  await using origin = await startOrigin({
    "/none": sendFile({ bytes, headers: { etag: ETAG, "accept-ranges": "none" }, cutAfter: () => 1000 }),
    "/weak": sendFile({ bytes, headers: { etag: 'W/"v1"' }, cutAfter: () => 1000 }),
    "/chunked": (_request, response) => {
      response.writeHead(200);
      response.write("a", () => response.destroy());
    },
  });
  for (const path of ["/none", "/weak", "/chunked"])
    await assert.rejects(fetchFile(origin.url + path), refusal("REMOTE_UNREACHABLE"), path);
});

test("never combines two versions of a file that changes during the transfer", async () => {
  const tags = [ETAG];
  await using origin = await startOrigin({
    "/a.bin": (request, response) =>
      sendFile({ bytes, headers: { etag: tags.shift() ?? '"v2"' }, cutAfter: () => (tags.length === 0 ? 1000 : undefined) })(
        request,
        response,
      ),
  });
  await assert.rejects(fetchFile(`${origin.url}/a.bin`), refusal("REMOTE_REFUSED"));
});

test("fails after repeated breaks, and when the source stalls", async () => {
  await using origin = await startOrigin({
    "/breaks": sendFile({ bytes, headers: { etag: ETAG }, cutAfter: () => 10 }),
    "/stands": sendFile({ bytes, headers: { etag: ETAG }, stallAfter: () => 10 }),
  });
  await assert.rejects(fetchFile(`${origin.url}/breaks`), refusal("REMOTE_UNREACHABLE"));
  await assert.rejects(fetchFile(`${origin.url}/stands`, { idleTimeoutMs: 200 }), refusal("REMOTE_TIMEOUT"));
  assert.equal(origin.requests.filter(({ path }) => path === "/stands").length, 1);
});

test("resumes an earlier transfer, or restarts it if the file has changed", async () => {
  const goOn = async (origin: Origin, validator: string): Promise<Fetched> =>
    await fetchFile(`${origin.url}/a.bin`, { resume: { offset: 2_000_000, sizeBytes: bytes.length, validator } });
  await using origin = await startOrigin({ "/a.bin": sendFile({ bytes, headers: { etag: ETAG } }) });
  const rest = await goOn(origin, ETAG);
  assert.equal(rest.offset, 2_000_000);
  assert.ok(rest.content.equals(bytes.subarray(2_000_000)));
  const whole = await goOn(origin, '"v0"');
  assert.equal(whole.offset, 0);
  assert.ok(whole.content.equals(bytes));
});
