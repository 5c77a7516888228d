import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { encodeText } from "../../support/formats/encode-text.ts";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { storedFiles } from "../support/servers/state.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { startImportingServer } from "../support/shares/imports.ts";
import type { Entry } from "../support/uploads/batches.ts";
import { postInit, someBytes, uploadInParts } from "../support/uploads/multipart.ts";
import { openShipment } from "../support/uploads/sent-shipments.ts";

/** Sent name → stored name, for names that matter to headers and pages. All rules are in test/lib/text/file-name.test.ts. */
const NAMES: readonly (readonly [string, string])[] = [
  ["plain.txt", "plain.txt"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\a\\photo.jpg", "photo.jpg"],
  ["/home/a/b.txt", "b.txt"],
  ["=?utf-8?B?5pel5pysLnR4dA==?=", "日本.txt"],
  ["line\r\nX-Injected: yes.txt", "lineX-Injected: yes.txt"],
  ['quote".txt', 'quote".txt'],
  ["semi;colon=1.txt", "semi;colon=1.txt"],
  ["per%20cent%.txt", "per%20cent%.txt"],
  ["<script>alert(1)<script>.html", "<script>alert(1)<script>.html"],
  ["invoice\u202Egpj.exe", "invoicegpj.exe"],
  ["naïve – Ünïcödé.txt", "naïve – Ünïcödé.txt"],
  ["日本語.txt", "日本語.txt"],
  ["👩‍🚀.png", "👩‍🚀.png"],
  ["__proto__", "__proto__"],
];

/** Names that are not UTF-8. All rules are in test/lib/text/decode-name.test.ts. */
const LEGACY_NAMES: readonly (readonly [encoding: string, name: string])[] = [
  ["windows-1252", "Übersicht – größer.txt"],
  ["gb18030", "新建文本文档.txt"],
  ["shift_jis", "表.txt"],
  ["euc-kr", "회의록.txt"],
  ["windows-1251", "Договор.txt"],
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
    assert.equal(await put("/..%2F..%2Fetc%2Fpasswd"), "passwd");
    assert.equal(await put("/C:%5CUsers%5Ca%5Cphoto.jpg"), "photo.jpg");
    assert.equal(await put("/a%00b%0D%0Ac"), "abc");
    assert.equal(await put("/100%.txt"), "100%.txt");
    assert.equal(await put("/%DCbersicht.txt"), "Übersicht.txt");
    assert.equal(await put("/%C4%E3%BA%C3.txt"), "你好.txt");
    assert.equal(await put("/%FF%FE"), "ÿþ");
    assert.equal(await put("/=?utf-8?Q?=C3=9C.txt?=".replaceAll("?", "%3F")), "Ü.txt");
    assert.ok((await put("/%F0%9F%92")).length > 0);
    assert.equal(await put("/plus+plus"), "plus+plus");
  });

  test("a path that is too long is refused and the server keeps running", async () => {
    const response = await sendRaw(server, [`PUT /${"x".repeat(100_000)} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx`]);
    assert.ok(response.status >= 400 || response.status === 0, response.text.slice(0, 100));
    assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
  });

  test("names in forms are read with the quoting of browsers and of curl", async () => {
    const send = async (path: string, filename: string | Uint8Array): Promise<string> => {
      const body = Buffer.concat([
        Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; '),
        Buffer.from(filename),
        Buffer.from("\r\nContent-Type: text/x-thing\r\n\r\nhello\r\n--b--\r\n"),
      ]);
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
      assert.equal(await send(path, 'filename="C:\\Users\\a\\photo.jpg"'), "photo.jpg");
      assert.equal(await send(path, 'filename="/home/a/b.txt"'), "b.txt");
      assert.equal(await send(path, 'filename="=?utf-8?B?5pel5pysLnR4dA==?="'), "日本.txt");
      assert.equal(await send(path, 'filename="=?iso-8859-1?Q?caf=E9_1.txt?="'), "café 1.txt");
      assert.equal(await send(path, "filename=\"x\"; filename*=GBK''%C4%E3%BA%C3.txt"), "你好.txt");
      for (const [encoding, name] of LEGACY_NAMES) {
        const quoted = Buffer.concat([Buffer.from('filename="'), encodeText(encoding, name), Buffer.from('"')]);
        assert.equal(await send(path, quoted), name, encoding);
      }
    }
  });

  test("a batch has the folders of its names, and names of any encoding", async () => {
    const shipment = await openShipment(server);
    const part = (head: string | Uint8Array, value: string): Buffer =>
      Buffer.concat([Buffer.from("--b\r\nContent-Disposition: form-data; "), Buffer.from(head), Buffer.from(`\r\n\r\n${value}\r\n`)]);
    const named = (name: Uint8Array): Buffer =>
      part(Buffer.concat([Buffer.from('name="file"; filename="'), name, Buffer.from('"')]), "hello");
    const body = Buffer.concat([
      part('name="shareShortId"', shipment.shortId),
      part('name="shareToken"', shipment.shareToken),
      ...LEGACY_NAMES.map(([encoding, name]) => named(encodeText(encoding, `folder/${name}`))),
      named(Buffer.from("=?utf-8?B?w5wvYS50eHQ=?=")),
      named(Buffer.from("C:\\Users\\a\\photo.jpg")),
      Buffer.from("--b--\r\n"),
    ]);
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const response = await call<{ data: { files: readonly Entry[] } }>(server, "POST", "/api/files/batch", { body, headers });
    assert.deepEqual(
      response.body.data.files.map(({ name, relativePath }) => [name, relativePath]),
      [...LEGACY_NAMES.map(([, name]) => [name, `folder/${name}`]), ["a.txt", "Ü/a.txt"], ["photo.jpg", "Users/a/photo.jpg"]],
    );
  });

  test("an import, a delegation, an agent and the client send names by the same rules", async () => {
    await using importing = await withAccounts(startImportingServer(), { owner: {} });
    const owner = clientOf(importing, { key: importing.owner.key });
    const header = (bytes: Uint8Array): string => `attachment; filename="${Buffer.from(bytes).toString("latin1")}"`;
    const dispositions: readonly (readonly [disposition: string, name: string])[] = [
      ...LEGACY_NAMES.map(([encoding, name]) => [header(encodeText(encoding, name)), name] as const),
      [header(Buffer.from("日本.txt")), "日本.txt"],
      ['attachment; filename="=?utf-8?B?5pel5pysLnR4dA==?="', "日本.txt"],
      ["attachment; filename=\"x\"; filename*=GBK''%C4%E3%BA%C3.txt", "你好.txt"],
      ["attachment; filename=\"x\"; filename*=UTF-8''%C3%84.txt", "Ä.txt"],
      ['attachment; filename="C:\\\\Users\\\\a\\\\photo.jpg"', "photo.jpg"],
    ];
    for (const [disposition, name] of dispositions) {
      await using origin = await startOrigin({ "/a": sendFile({ bytes: someBytes(10), headers: { "content-disposition": disposition } }) });
      const { data } = await owner.call("importFile", { url: `${origin.url}/a` });
      assert.equal(data.name, name, disposition);
    }
    await using origin = await startOrigin({ "/%DCber.txt": sendFile({ bytes: someBytes(10) }) });
    assert.equal((await owner.call("importFile", { url: `${origin.url}/%DCber.txt` })).data.name, "Über.txt");
    const path = "C:\\Users\\a\\photo.jpg";
    assert.equal((await owner.call("importFile", { url: `${origin.url}/%DCber.txt`, fileName: path })).data.name, "photo.jpg");
    const { delegate, put } = delegationCalls(() => importing);
    assert.equal((await put(await delegate({ name: path }), bytes)).body.data.name, "photo.jpg");
    await using agent = await connectMcp(importing, { era: "no session", path: "/mcp/guest" });
    const { data } = await callTool(agent, "upload", { contentBase64: "aGk=", fileName: "/home/a/=?utf-8?B?w5wudHh0?=" });
    assert.equal(data.name, "Ü.txt");
    await using device = await makeDevice({ FILEHOST_SERVER: importing.url });
    await writeFile(join(device.path, "back\\slash.txt"), "hi");
    const { stdout } = await device.run(["up", "back\\slash.txt"]);
    assert.equal((await getShare(importing, new URL(stdout.trim()).pathname.slice("/d/".length))).name, "backslash.txt");
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
