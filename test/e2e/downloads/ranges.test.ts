import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signedUrl, type Upload, upload } from "../support/api/api.ts";
import { sha256, someBytes } from "../support/uploads/multipart.ts";
import { type ServerWithFile, startServerWithFile } from "../support/uploads/transfers.ts";

const SIZE = 1000;

/** downloads, "Signed URLs". The tables of headers are in test/lib/http/range.test.ts and preconditions.test.ts. */
describe("ranges", () => {
  let server: ServerWithFile;
  let file: Upload;
  let url: string;
  let bytes: Uint8Array<ArrayBuffer>;
  before(async () => {
    server = await startServerWithFile(SIZE);
    ({ file, bytes, signedUrl: url } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const get = async (headers: Record<string, string> = {}, method = "GET") => await fetch(url, { method, headers });
  const bodyOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

  test("a range returns a part", async () => {
    const response = await get({ Range: "bytes=10-19" });
    assert.equal(response.status, 206);
    assert.equal(response.headers.get("content-range"), `bytes 10-19/${SIZE}`);
    assert.equal(response.headers.get("content-length"), "10");
    assert.deepEqual(await bodyOf(response), bytes.subarray(10, 20));
  });

  test("a range beyond the file returns 416", async () => {
    const response = await get({ Range: "bytes=1000-" });
    assert.equal(response.status, 416);
    assert.equal(response.headers.get("content-range"), `bytes */${SIZE}`);
    const body = (await response.json()) as Record<string, unknown>;
    assert.equal(body.success, false);
    assert.equal(body.errorCode, "RANGE_NOT_SATISFIABLE");
    assert.match(String(body.error), /1000/);
  });

  test("several ranges are ignored", async () => {
    const response = await get({ Range: "bytes=0-1,5-6" });
    assert.equal(response.status, 200);
    assert.equal((await bodyOf(response)).length, SIZE);
  });

  test("every range of an empty file returns 416", async () => {
    const empty = await upload(server, { bytes: "" });
    const address = await signedUrl(server, empty.id);
    assert.equal((await fetch(address)).status, 200);
    const response = await fetch(address, { headers: { Range: "bytes=0-" } });
    assert.equal(response.status, 416);
    assert.equal(response.headers.get("content-range"), "bytes */0");
  });

  test("If-Range must match for a range to apply", async () => {
    const modified = (await get({}, "HEAD")).headers.get("last-modified") ?? "";
    assert.equal((await get({ Range: "bytes=0-9", "If-Range": modified })).status, 206);
    assert.equal((await get({ Range: "bytes=0-9", "If-Range": '"other"' })).status, 200);
    assert.equal((await get({ Range: "bytes=5000-", "If-Range": '"other"' })).status, 200);
  });

  test("If-None-Match and If-Modified-Since return 304 if the client has the file", async () => {
    const modified = (await get({}, "HEAD")).headers.get("last-modified") ?? "";
    const same: readonly Record<string, string>[] = [
      { "If-None-Match": `"other", W/"${file.id}"`, Range: "bytes=0-9" },
      { "If-Modified-Since": modified },
    ];
    for (const headers of same) {
      for (const method of ["GET", "HEAD"]) {
        const response = await get(headers, method);
        assert.equal(response.status, 304, JSON.stringify(headers));
        assert.equal(response.headers.get("etag"), `"${file.id}"`);
        assert.equal((await bodyOf(response)).length, 0);
      }
    }
    assert.equal((await bodyOf(await get({ "If-None-Match": '"other"' }))).length, SIZE);
    assert.equal((await fetch(url.replace("&s=", "&s=x"), { headers: { "If-None-Match": "*" } })).status, 403);
  });

  test("a 304 response does not count as a download of a limited share", async () => {
    const once = await upload(server, { bytes, fields: { once: "true" } });
    const address = await signedUrl(server, once.id);
    const headers = { "If-None-Match": `"${once.id}"` };
    for (let n = 0; n < 3; n += 1) assert.equal((await fetch(address, { headers })).status, 304);
    assert.equal((await bodyOf(await fetch(address))).length, SIZE);
    assert.equal((await fetch(address, { headers })).status, 404);
  });

  test("the ranges of a large file together equal the file", async () => {
    const large = someBytes(3 * 1024 ** 2, 7);
    const { id } = await upload(server, { bytes: large });
    const address = await signedUrl(server, id);
    const step = 700_001;
    const starts = Array.from({ length: Math.ceil(large.length / step) }, (_, index) => index * step);
    const pieces = await Promise.all(
      starts.map(async (start) => bodyOf(await fetch(address, { headers: { Range: `bytes=${start}-${start + step - 1}` } }))),
    );
    assert.equal(sha256(Buffer.concat(pieces)), sha256(large));
  });
});
