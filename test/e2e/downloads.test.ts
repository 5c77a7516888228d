import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createKeyring } from "../../src/auth/secrets.ts";
import { signDownloadUrl } from "../../src/operations/downloads/signed-url.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { assertRefused, authorize, call, getShare, signedUrl, type Upload, upload } from "./support/api.ts";
import { sha256, someBytes } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain.ts";
import { withDatabase } from "./support/state.ts";

const SIZE = 1000;

describe("downloads", () => {
  let server: TestServer;
  let file: Upload;
  let url: string;
  const bytes = someBytes(SIZE);
  before(async () => {
    server = await startPlainServer();
    file = await upload(server, { name: "some.bin", type: "application/x-thing", bytes });
    url = await signedUrl(server, file.id);
  });
  after(() => server[Symbol.asyncDispose]());

  const get = async (headers: Record<string, string> = {}, method = "GET") => await fetch(url, { method, headers });
  const bodyOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

  test("the answer carries the address twice, and it is this server's own", async () => {
    const { status, body } = await authorize(server, file.id);
    assert.equal(status, 200);
    assert.equal(body.success, true);
    assert.deepEqual(body.data, { url: body.url });
    assert.ok(body.url?.startsWith(`http://localhost:${new URL(server.url).port}/`));
  });

  test("the whole, with every documented header", async () => {
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
    assert.match(header("content-disposition") ?? "", /^attachment; filename="?some\.bin"?$/);
    assert.deepEqual(await bodyOf(response), bytes);
  });

  test("HEAD has the same headers and no body", async () => {
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

  describe("ranges", () => {
    const satisfied: readonly (readonly [string, number, number])[] = [
      ["bytes=0-0", 0, 1],
      ["bytes=0-9", 0, 10],
      ["bytes=10-19", 10, 20],
      ["bytes=990-", 990, SIZE],
      ["bytes=0-", 0, SIZE],
      ["bytes=-1", SIZE - 1, SIZE],
      ["bytes=-10", SIZE - 10, SIZE],
      ["bytes=-5000", 0, SIZE],
      ["bytes=999-999", 999, SIZE],
      ["bytes=990-5000", 990, SIZE],
      ["bytes=0-99999999999999999999", 0, SIZE],
      ["BYTES=1-2", 1, 3],
    ];
    for (const [range, start, end] of satisfied) {
      test(`${range} is partial`, async () => {
        const response = await get({ Range: range });
        assert.equal(response.status, 206);
        assert.equal(response.headers.get("content-range"), `bytes ${start}-${end - 1}/${SIZE}`);
        assert.equal(response.headers.get("content-length"), String(end - start));
        assert.deepEqual(await bodyOf(response), bytes.subarray(start, end));
      });
    }

    for (const range of ["bytes=1000-", "bytes=1000-2000", "bytes=99999999999999999999-", "bytes=-0"]) {
      test(`${range} is beyond`, async () => {
        const response = await get({ Range: range });
        assert.equal(response.status, 416);
        assert.equal(response.headers.get("content-range"), `bytes */${SIZE}`);
        const body = (await response.json()) as Record<string, unknown>;
        assert.equal(body.success, false);
        assert.equal(body.errorCode, "RANGE_NOT_SATISFIABLE");
        assert.match(String(body.error), /1000/);
      });
    }

    const ignored = [
      "bytes",
      "bytes=",
      "bytes=-",
      "bytes=a-b",
      "bytes=5-2",
      "bytes=1-2-3",
      "bytes=0x0-0x9",
      "bytes=1.5-2",
      "bytes=--5",
      "bytes=+1-2",
    ];
    for (const range of [...ignored, "bytes=0-1,5-6", "bytes=0-,-1", "items=0-1", "bytes 0-1", "bytes=0-1;", ","]) {
      test(`${range} is ignored`, async () => {
        const response = await get({ Range: range });
        assert.equal(response.status, 200);
        assert.equal((await bodyOf(response)).length, SIZE);
      });
    }

    test("of an empty file", async () => {
      const empty = await upload(server, { bytes: "" });
      const address = await signedUrl(server, empty.id);
      assert.equal((await fetch(address)).status, 200);
      for (const range of ["bytes=0-0", "bytes=0-", "bytes=-1"]) {
        const response = await fetch(address, { headers: { Range: range } });
        assert.equal(response.status, 416);
        assert.equal(response.headers.get("content-range"), "bytes */0");
      }
    });

    test("If-Range decides", async () => {
      const range = { Range: "bytes=0-9" };
      const statusOf = async (ifRange: string) => (await get({ ...range, "If-Range": ifRange })).status;
      const modified = (await get({}, "HEAD")).headers.get("last-modified") ?? "";
      assert.equal(await statusOf(`"${file.id}"`), 206);
      assert.equal(await statusOf(modified), 206);
      for (const other of ['"other"', `W/"${file.id}"`, file.id, "Thu, 01 Jan 1970 00:00:00 GMT", "yesterday"])
        assert.equal(await statusOf(other), 200, other);
      assert.equal((await get({ Range: "bytes=5000-", "If-Range": '"other"' })).status, 200);
    });

    test("of a large file by sendfile and by pieces put together", async () => {
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

  describe("signatures", () => {
    const altered = (change: (address: URL) => void): string => {
      const address = new URL(url);
      change(address);
      return address.href;
    };
    const isRefused = async (address: string) => {
      for (const method of ["GET", "HEAD"]) {
        const response = await fetch(address, { method });
        assert.equal(response.status, 403, address);
        if (method === "GET") assert.equal(((await response.json()) as { errorCode: string }).errorCode, "SIGNATURE_INVALID");
      }
    };

    test("altered in any of its parameters", async () => {
      for (const name of new URL(url).searchParams.keys()) {
        await isRefused(altered((address) => address.searchParams.delete(name)));
        await isRefused(altered((address) => address.searchParams.set(name, "")));
        const value = new URL(url).searchParams.get(name) ?? "";
        await isRefused(altered((address) => address.searchParams.set(name, `${value}0`)));
        await isRefused(
          altered((address) => address.searchParams.set(name, value.startsWith("1") ? `2${value.slice(1)}` : `1${value.slice(1)}`)),
        );
      }
      await isRefused(altered((address) => address.searchParams.set("g", "x")));
      await isRefused(altered((address) => address.searchParams.set("p", "u")));
    });

    test("of another file, an unknown one, or an upload's part", async () => {
      const other = await upload(server, { bytes: "other" });
      for (const id of [other.id, "A".repeat(16), "nothing"]) {
        await isRefused(
          altered((address) => {
            address.pathname = address.pathname.replace(file.id, id);
          }),
        );
      }
    });

    test("lapsed, or made with another secret", async () => {
      const secret = (await readFile(join(server.dataDir, "secret"), "utf8")).trim();
      const contentUrl = server.url;
      const sign = (from: string, untilMs: number) =>
        signDownloadUrl(
          {
            addresses: { contentUrl, siteUrl: contentUrl, mcpUrl: contentUrl, baseUrl: `${contentUrl}/api` },
            keyring: createKeyring(from),
          },
          { file, share: { generation: 0, expires_at: null }, purpose: "download", untilMs },
        );
      assert.equal((await fetch(sign(secret, Date.now() + 60_000))).status, 200);
      await isRefused(sign(secret, Date.now() - 1000));
      await isRefused(
        sign(
          secret.replace(/^./, (first) => (first === "0" ? "1" : "0")),
          Date.now() + 60_000,
        ),
      );
    });

    test("a page for browsers", async () => {
      const response = await fetch(
        altered((address) => address.searchParams.set("s", "x")),
        { headers: { Accept: "text/html" } },
      );
      assert.equal(response.status, 403);
      assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    });

    test("it is valid for about an hour, the uploader's own for about a day, neither beyond the share", async () => {
      const endOf = (address: string) => Number.parseInt(new URL(address).searchParams.get("e") ?? "", 36) * 1000 - Date.now();
      assert.ok(Math.abs(endOf(await signedUrl(server, file.id)) - 3_600_000) < 30_000);
      assert.ok(Math.abs(endOf(file.url) - 24 * 3_600_000) < 30_000);
      const brief = await upload(server, { bytes: "x", fields: { ttl: "10m" } });
      assert.ok(Math.abs(endOf(brief.url) - 600_000) < 30_000);
      assert.ok(Math.abs(endOf(await signedUrl(server, brief.id)) - 600_000) < 30_000);
    });
  });

  test("what is not there is 404, by every road and for everyone", async () => {
    const { key } = await addAccount(server);
    for (const id of ["A".repeat(16), "x", "x".repeat(300), "..%2f..%2fetc%2fpasswd", "%00", "'; DROP TABLE files; --"]) {
      for (const options of [{}, { key }]) {
        assertRefused(await authorize(server, id, options), { status: 404, code: "NOT_FOUND" });
        assertRefused(await call(server, "GET", `/api/files/share/${id}`, options), { status: 404, code: "NOT_FOUND" });
      }
      assert.equal((await fetch(`${server.url}/d/${id}`)).status, 404);
    }
  });

  test("each request for an address counts; a view and the bytes do not", async () => {
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

  test("events: authorized each time, downloaded once all bytes of an owned file went out, in whatever pieces", async () => {
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
    await until("the delivery is known", async () => (await typesOf()).includes("file.downloaded"));
    assert.deepEqual((await typesOf()).sort(), ["file.authorized", "file.downloaded", "file.ready"]);
  });

  test("the page's button is a form that leads to the bytes", async () => {
    const page = await (await fetch(server.url + file.sharePath, { headers: { Accept: "text/html" } })).text();
    assert.match(page, /some\.bin/);
    const pressed = await fetch(`${server.url}${file.sharePath}/download`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ fileId: file.id }),
    });
    assert.equal(pressed.status, 303);
    assert.deepEqual(await bodyOf(await fetch(pressed.headers.get("location") ?? "")), bytes);
  });
});
