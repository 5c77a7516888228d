import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, authorize, call, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { withDatabase } from "../support/servers/state.ts";
import { sha256, someBytes } from "../support/uploads/multipart.ts";
import { type ServerWithFile, startServerWithFile } from "../support/uploads/transfers.ts";

const SIZE = 1000;

/** downloads, "Getting a signed URL", "Signed URLs" and "Events of a download". */
describe("a download", () => {
  let server: ServerWithFile;
  let file: Upload;
  let url: string;
  let bytes: Uint8Array<ArrayBuffer>;
  before(async () => {
    server = await startServerWithFile(SIZE, { type: "application/x-thing" });
    ({ file, bytes, signedUrl: url } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const get = async (headers: Record<string, string> = {}, method = "GET") => await fetch(url, { method, headers });
  const bodyOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

  test("is authorized with a URL of this server at the top level of the response", async () => {
    const { status, body } = await authorize(server, file.id);
    assert.equal(status, 200);
    assert.deepEqual(body, { success: true, url: body.url });
    assert.ok(body.url?.startsWith(`http://localhost:${new URL(server.url).port}/`));
  });

  test("sends the whole file with every documented header", async () => {
    const response = await get();
    assert.equal(response.status, 200);
    const header = (name: string) => response.headers.get(name);
    assert.equal(header("content-length"), String(SIZE));
    assert.equal(header("content-type"), "application/x-thing");
    assert.equal(header("etag"), `"${file.id}"`);
    assert.equal(header("accept-ranges"), "bytes");
    assert.equal(header("cache-control"), "private, no-store");
    assert.equal(header("x-content-type-options"), "nosniff");
    assert.match(header("content-security-policy") ?? "", /(^|; ?)sandbox(;|$)/);
    assert.equal(header("x-robots-tag"), "noindex, nofollow");
    assert.equal(header("repr-digest"), `sha-256=:${Buffer.from(sha256(bytes), "hex").toString("base64")}:`);
    assert.ok(Math.abs(Date.parse(header("last-modified") ?? "") - Date.parse(file.createdAt)) < 1000);
    assert.equal(header("content-disposition"), "attachment; filename=some.bin; filename*=UTF-8''some.bin");
    assert.deepEqual(await bodyOf(response), bytes);
  });

  test("responds to HEAD with the same headers and no body", async () => {
    const asked: readonly Record<string, string>[] = [{}, { Range: "bytes=10-19" }];
    for (const range of asked) {
      const [whole, head] = await Promise.all([get(range), get(range, "HEAD")]);
      assert.equal(head.status, whole.status);
      for (const [name, value] of whole.headers) {
        if (name !== "date" && name !== "x-request-id") assert.equal(head.headers.get(name), value, name);
      }
      assert.equal((await bodyOf(head)).length, 0);
      await bodyOf(whole);
    }
  });

  test("responds 404 to unknown identifiers on every route, with and without a key", async () => {
    const { key } = await addAccount(server);
    for (const id of ["A".repeat(16), "x", "x".repeat(300), "..%2f..%2fetc%2fpasswd", "%00", "'; DROP TABLE files; --"]) {
      for (const options of [{}, { key }]) {
        assertRefused(await authorize(server, id, options), { status: 404, code: "NOT_FOUND" });
        assertRefused(await call(server, "GET", `/api/files/share/${id}`, options), { status: 404, code: "NOT_FOUND" });
      }
      assert.equal((await fetch(`${server.url}/d/${id}`)).status, 404);
    }
  });

  test("counts each authorization, but not views or transfers", async () => {
    const counted = await upload(server, { bytes: "x" });
    const address = await signedUrl(server, counted.id);
    await signedUrl(server, counted.id);
    for (let i = 0; i < 3; i += 1) {
      await fetch(address);
      await fetch(address, { method: "HEAD" });
      await fetch(`${server.url}${counted.sharePath}`);
      await getShare(server, counted.shortId);
    }
    const row = await withDatabase(server, (db) =>
      db.selectFrom("files").select("download_count").where("id", "=", counted.id).executeTakeFirstOrThrow(),
    );
    assert.equal(row.download_count, 2);
  });

  test("records an event per authorization, and one when all bytes of an owned file were sent in any ranges", async () => {
    const { key } = await addAccount(server);
    const owned = await upload(server, { bytes: someBytes(100_000) }, { key });
    const typesOf = () =>
      withDatabase(server, async (db) =>
        (await db.selectFrom("events").select("type").where("file_id", "=", owned.id).execute()).map((event) => event.type),
      );
    assert.deepEqual(await typesOf(), ["file.ready"]);
    const address = await signedUrl(server, owned.id);
    await (await fetch(address, { headers: { Range: "bytes=0-69999" } })).arrayBuffer();
    assert.deepEqual((await typesOf()).sort(), ["file.authorized", "file.ready"]);
    await (await fetch(address, { headers: { Range: "bytes=50000-99999" } })).arrayBuffer();
    await until("the download is recorded", async () => (await typesOf()).includes("file.downloaded"));
    assert.deepEqual((await typesOf()).sort(), ["file.authorized", "file.downloaded", "file.ready"]);
  });

  test("starts from the page's form", async () => {
    const page = await (await fetch(server.url + file.sharePath, { headers: { Accept: "text/html" } })).text();
    assert.match(page, /some\.bin/);
    const submitted = await fetch(`${server.url}${file.sharePath}/download`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ fileId: file.id }),
    });
    assert.equal(submitted.status, 303);
    assert.deepEqual(await bodyOf(await fetch(submitted.headers.get("location") ?? "")), bytes);
  });
});
