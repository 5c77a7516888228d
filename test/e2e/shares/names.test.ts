import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { assertRefused, call, getShare, signedUrl, type Upload, upload } from "../support/api.ts";
import { postInit, someBytes, uploadInParts } from "../support/multipart.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { sendRaw } from "../support/raw-http.ts";
import { storedFiles } from "../support/state.ts";

/** Sent name → stored name, for names that matter to headers and pages. All rules are in test/lib/text/file-name.test.ts. */
const NAMES: readonly (readonly [string, string])[] = [
  ["plain.txt", "plain.txt"],
  ["../../etc/passwd", "etcpasswd"],
  ["line\r\nX-Injected: yes.txt", "lineX-Injected: yes.txt"],
  ['quote".txt', 'quote".txt'],
  ["semi;colon=1.txt", "semi;colon=1.txt"],
  ["per%20cent%.txt", "per%20cent%.txt"],
  ["<script>alert(1)</script>.html", "<script>alert(1)<script>.html"],
  ["invoice\u202Egpj.exe", "invoicegpj.exe"],
  ["naïve – Ünïcödé.txt", "naïve – Ünïcödé.txt"],
  ["日本語.txt", "日本語.txt"],
  ["👩‍🚀.png", "👩‍🚀.png"],
  ["__proto__", "__proto__"],
];

/** uploads, "Name and type"; downloads, "Signed URLs". */
describe("file names", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const bytes = someBytes(10);

  for (const [sent, name] of NAMES) {
    test(`${JSON.stringify(sent)} becomes ${JSON.stringify(name)}`, async () => {
      const file = await uploadInParts(server, bytes, { fileName: sent });
      assert.equal(file.name, name);
      assert.equal((await getShare(server, file.shortId)).name, name);
      const response = await fetch(await signedUrl(server, file.id));
      assert.equal(response.status, 200);
      await response.arrayBuffer();
      assert.equal(response.headers.get("x-injected"), null);
      const disposition = response.headers.get("content-disposition") ?? "";
      assert.match(disposition, /^attachment; filename/);
      assert.ok(/^[\x20-\x7e]*$/.test(disposition), disposition);
      assert.equal(offeredName(disposition), name);
      const ascii = /; filename=("[^"\\]+"|[^;"]+);/.exec(disposition)?.[1] ?? "";
      assert.match(ascii.replaceAll('"', ""), /^(?!-)[^<>:"|?*\\/'`$;&!#~]+(?<![. ])$/, disposition);
      const page = await (await fetch(server.url + file.sharePath, { headers: { Accept: "text/html" } })).text();
      assert.ok(!page.includes("<script>alert"), "the page escapes it");
    });
  }

  test("a name of 64 KB is cut to 255 bytes and keeps its extension", async () => {
    for (const letter of ["a", "ä", "語", "👩"]) {
      const file = await uploadInParts(server, bytes, { fileName: `${letter.repeat(65_000 / letter.length)}.tar.gz` });
      assert.ok(new TextEncoder().encode(file.name).length <= 255);
      assert.ok(file.name.startsWith(letter) && file.name.endsWith(".gz"));
      assert.ok(file.name.isWellFormed());
      assert.equal((await fetch(await signedUrl(server, file.id))).status, 200);
    }
    const form = await upload(server, { name: `${"x".repeat(60_000)}.txt`, bytes: "x" });
    assert.equal(form.name.length, 255);
  });

  test("a longer name is refused", async () => {
    assertRefused(await postInit(server, { fileName: "x".repeat(70_000), fileSize: 1 }), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("a name with a lone surrogate becomes well-formed", async () => {
    const json = '{"fileName":"lone \\ud800 here.txt","fileSize":10,"runId":"\\udc00"}';
    const { status, body } = await call<{ data: { uploadId: string; shortId: string } }>(server, "POST", "/api/files/multipart/init", {
      body: json,
      headers: { "Content-Type": "application/json" },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await getShare(server, body.data.shortId)).name, "lone \uFFFD here.txt");
  });

  test("the path of curl -T determines the name, whether it is encoded or not", async () => {
    const put = async (path: string): Promise<string> => {
      const response = await sendRaw(server, [`PUT ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Length: 1\r\n\r\nx`]);
      assert.equal(response.status, 200, response.text);
      const json = Buffer.from(response.text.slice(response.text.indexOf("\r\n\r\n")), "latin1").toString();
      return (JSON.parse(json) as { data: Upload }).data.name;
    };
    assert.equal(await put("/a%20b.txt"), "a b.txt");
    assert.equal(await put("/%E6%97%A5%E6%9C%AC.txt"), "日本.txt");
    assert.equal(await put("/..%2F..%2Fetc%2Fpasswd"), "etcpasswd");
    assert.equal(await put("/a%00b%0D%0Ac"), "abc");
    assert.equal(await put("/100%.txt"), "100%.txt");
    assert.equal(await put("/%FF%FE"), "%FF%FE");
    assert.ok((await put("/%F0%9F%92")).length > 0);
    assert.equal(await put("/plus+plus"), "plus+plus");
  });

  test("a path that is too long is refused and the server keeps running", async () => {
    const response = await sendRaw(server, [`PUT /${"x".repeat(100_000)} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx`]);
    assert.ok(response.status >= 400 || response.status === 0, response.text.slice(0, 100));
    assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
  });

  test("names in forms are read with the quoting of browsers and of curl", async () => {
    const send = async (path: string, filename: string): Promise<string> => {
      const body = `--b\r\nContent-Disposition: form-data; name="file"; ${filename}\r\nContent-Type: text/x-thing\r\n\r\nhello\r\n--b--\r\n`;
      const headers = { "Content-Type": "multipart/form-data; boundary=b", Accept: "application/json" };
      const response = await call<{ data: Upload }>(server, "POST", path, { body, headers });
      assert.equal(response.status, 200, JSON.stringify(response.body));
      assert.equal(response.body.data.mimeType, "text/x-thing");
      return response.body.data.name;
    };
    for (const path of ["/", "/api/files/upload"]) {
      assert.equal(await send(path, 'filename="q%22uote.txt"'), 'q"uote.txt');
      assert.equal(await send(path, 'filename="q\\"uote.txt"'), 'q"uote.txt');
      assert.equal(await send(path, 'filename="a%0D%0Ab.txt"'), "ab.txt");
      assert.equal(await send(path, 'filename="naïve 日本.txt"'), "naïve 日本.txt");
      assert.equal(await send(path, "filename*=UTF-8''na%C3%AFve.txt"), "naïve.txt");
      assert.equal(await send(path, 'filename="../../up.txt"'), "up.txt");
    }
  });

  test("names are never used as a path in the store", async () => {
    for (const name of await storedFiles(server)) assert.match(name, /^(staging|blobs)\/[0-9a-f]{32}$/);
  });
});

describe("uploaded content is never rendered", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  for (const [name, type, content] of [
    ["page.html", "text/html", "<!doctype html><script>alert(1)</script>"],
    ["image.svg", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["page.xhtml", "application/xhtml+xml", '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ["script.js", "text/javascript", "alert(1)"],
  ] as const) {
    test(`${name} is sent as a sandboxed attachment`, async () => {
      const file = await upload(server, { name, type, bytes: content });
      for (const url of [file.url, await signedUrl(server, file.id)]) {
        const response = await fetch(url, { headers: { Accept: "text/html", "Sec-Fetch-Dest": "document" } });
        assert.equal(await response.text(), content);
        assert.match(response.headers.get("content-disposition") ?? "", /^attachment;/);
        assert.equal(response.headers.get("x-content-type-options"), "nosniff");
        assert.match(response.headers.get("content-security-policy") ?? "", /sandbox/);
        assert.ok(!(response.headers.get("content-security-policy") ?? "").includes("allow-"));
      }
    });
  }
});

/** The name that a browser uses: `filename*` if present, else `filename` (RFC 6266). */
function offeredName(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  const quoted = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
  return /filename=([^;]+)/.exec(disposition)?.[1] ?? "";
}
