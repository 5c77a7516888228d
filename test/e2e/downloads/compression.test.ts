import assert from "node:assert/strict";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { TestServer } from "../../support/server.ts";
import { signedUrl, upload } from "../support/api/api.ts";
import { uploadProtected } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

interface Raw {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** pages, "Pages are compressed, secrets are not": what is compressed, and what never is. */
describe("compression of pages", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  /** Requests a page and reads the body undecoded, which `fetch` would decompress. */
  async function ask(path: string, encoding = "gzip", options: { method?: string; form?: string } = {}): Promise<Raw> {
    const { method = options.form === undefined ? "GET" : "POST", form } = options;
    const headers = { Accept: "text/html", "Accept-Encoding": encoding, "Content-Type": "application/x-www-form-urlencoded" };
    const { promise, resolve, reject } = Promise.withResolvers<Raw>();
    const sent = request(server.url + path, { method, headers }, (response) => {
      buffer(response).then((body) => resolve({ status: response.statusCode, headers: response.headers, body }), reject);
    });
    sent.on("error", reject).end(form);
    return await promise;
  }

  test("uses gzip for clients that accept it, with the same text", async () => {
    const { sharePath } = await upload(server, { name: "a.txt", bytes: "bytes" });
    for (const path of ["/", sharePath, "/d/nowhere1"]) {
      const packed = await ask(path, "br;q=0, gzip, deflate");
      const plain = await ask(path, "gzip;q=0, identity");
      assert.equal(packed.headers["content-encoding"], "gzip", path);
      assert.equal(packed.headers.vary, "Accept-Encoding");
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(plain.headers.vary, "Accept-Encoding");
      assert.equal(gunzipSync(packed.body).toString(), plain.body.toString());
      assert.ok(packed.body.length < plain.body.length / 1.5, `${packed.body.length} of ${plain.body.length}`);
      const head = await ask(path, "gzip", { method: "HEAD" });
      assert.deepEqual(
        [head.headers["content-length"], head.headers["content-encoding"]],
        [packed.headers["content-length"], packed.headers["content-encoding"]],
      );
    }
  });

  test("uses brotli for clients that accept it", async () => {
    const packed = await ask("/", "gzip, deflate, br");
    assert.equal(packed.headers["content-encoding"], "br");
    assert.equal(brotliDecompressSync(packed.body).toString(), (await ask("/", "identity")).body.toString());
  });

  test("uses gzip for clients that accept anything, unless they refuse it", async () => {
    for (const [accepted, used] of [
      ["*", "gzip"],
      ["identity, *;q=0.5", "gzip"],
      ["br;q=0, *", "gzip"],
      ["gzip;q=0, *", undefined],
      ["*;q=0", undefined],
      ["br;q=0.5, *;q=0", "br"],
    ] as const)
      assert.equal((await ask("/", accepted)).headers["content-encoding"], used, accepted);
  });

  test("is off for pages that show a token, a code or a private link", async () => {
    const share = await uploadProtected(server, { name: "b.txt" });
    const locked = await ask(share.sharePath);
    assert.equal(locked.headers["content-encoding"], "gzip");
    const unlocked = await ask(`${share.sharePath}/unlock`, "gzip", { form: `unlockCode=${share.unlockCode}` });
    assert.match(unlocked.body.toString(), /name="unlockToken"/);
    assert.equal(unlocked.headers["content-encoding"], undefined);
    const handoff = await ask(new URL(share.handoffUrl).pathname);
    assert.match(handoff.body.toString(), /name="handoffToken"/);
    assert.equal(handoff.headers["content-encoding"], undefined);
    const deletion = await ask(`/delete/${share.id}/${share.deletionToken}`);
    assert.match(deletion.body.toString(), /Delete this file/);
    assert.equal(deletion.headers["content-encoding"], undefined);
    const form = new FormData();
    form.append("file", new File(["bytes"], "c.txt"));
    const uploaded = await fetch(server.url, { method: "POST", body: form, headers: { Accept: "text/html", "Accept-Encoding": "gzip" } });
    assert.match(await uploaded.text(), /Your link is ready/);
    assert.equal(uploaded.headers.get("content-encoding"), null);
  });

  /** envelopes and errors, "Compression". */
  test("is on for documents and lists of at least 1 KB", async () => {
    for (const path of ["/agent-openapi.json", "/llms.txt", "/api/agent/capabilities"]) {
      const packed = await ask(path, "gzip, br");
      assert.equal(packed.headers["content-encoding"], "br", path);
      assert.equal(packed.headers.vary, "Accept-Encoding");
      assert.equal(brotliDecompressSync(packed.body).toString(), (await ask(path, "identity")).body.toString());
      assert.equal((await ask(path, "br", { method: "HEAD" })).headers["content-length"], packed.headers["content-length"]);
    }
  });

  test("is off for file downloads, short API responses and those with a signed URL", async () => {
    const bytes = "the same line\n".repeat(500);
    const { id } = await upload(server, { name: "long.txt", bytes });
    const { pathname, search } = new URL(await signedUrl(server, id));
    const file = await ask(pathname + search);
    assert.equal(file.headers["content-encoding"], undefined);
    assert.equal(file.body.toString(), bytes);
    assert.equal((await ask("/api/folders/list")).headers["content-encoding"], undefined);
    assert.equal((await ask(`/api/files/download/${id}`)).headers["content-encoding"], undefined);
  });
});
