import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { encodeText } from "../../support/formats/encode-text.ts";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { call, clientOf, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { createImport, startImportingServer, waitForEnd } from "../support/shares/imports.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { MB, uploadInParts } from "../support/uploads/multipart.ts";
import { openShipment } from "../support/uploads/sent-shipments.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Server = TestServer & ServerWith<"owner">;
/** Sends a file; resolves to the short ID of its share. */
type Send = (name: string, bytes: Bytes) => Promise<string>;

const TEXT = new TextEncoder().encode("all:\n\tmake – everything\n");
const BINARY = Uint8Array.from({ length: 5000 }, (_, index) => (index * 37 + 11) & 0xff);

/** uploads, "Name and type"; previews, "Which files have one" and "Documents". */
describe("text without a known extension", () => {
  let server: Server;
  before(async () => {
    server = await withAccounts(startImportingServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const putFile: Send = async (name, body) => {
    const { body: sent } = await call<{ data: Upload }>(server, "PUT", `/${encodeURIComponent(name)}`, {
      body,
      headers: { Accept: "application/json" },
    });
    return sent.data.shortId;
  };

  const ways: Readonly<Record<string, Send>> = {
    "curl -T": putFile,
    "curl -F": async (name, bytes) => {
      const form = new FormData();
      form.append("file", new File([bytes], name, { type: "application/octet-stream" }));
      const { body } = await call<{ data: Upload }>(server, "POST", "/", { body: form, headers: { Accept: "application/json" } });
      return body.data.shortId;
    },
    "a program's form": async (name, bytes) => (await upload(server, { name, type: "", bytes })).shortId,
    "PowerShell's Invoke-WebRequest -InFile": async (name, body) => {
      const headers = { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" };
      const { body: sent } = await call<{ data: Upload }>(server, "PUT", `/${encodeURIComponent(name)}`, { body, headers });
      return sent.data.shortId;
    },
    "a batch": async (name, bytes) => {
      const { shortId, shareToken } = await openShipment(server);
      const { body } = await postBatch(server, { shareShortId: shortId, shareToken }, [{ relativePath: `folder/${name}`, bytes }]);
      assert.equal(body.data.files[0]?.error, undefined);
      return shortId;
    },
    parts: async (name, bytes) => (await uploadInParts(server, bytes, { fileName: name })).shortId,
    "an import": async (name, bytes) => {
      await using origin = await startOrigin({ [`/${name}`]: sendFile({ bytes }) });
      return (await clientOf(server).call("importFile", { url: `${origin.url}/${name}` })).data.shortId;
    },
    "an import in parts": async (name, bytes) => {
      const parts = Buffer.concat(Array.from({ length: Math.ceil((9 * MB) / bytes.length) }, () => bytes));
      await using origin = await startOrigin({ [`/${name}`]: sendFile({ bytes: parts, headers: { etag: '"1"' } }) });
      const { shortId } = await waitForEnd(server, await createImport(server, { url: `${origin.url}/${name}` }));
      return shortId ?? "";
    },
    "a delegation": async (name, bytes) => {
      const { delegate, put } = delegationCalls(() => server);
      return (await put(await delegate({ name }), bytes)).body.data.shortId;
    },
    "an agent, as base64": async (name, bytes) => {
      await using connected = await connectMcp(server, { era: "no session", path: "/mcp/guest" });
      const { data } = await callTool(connected, "upload", { contentBase64: Buffer.from(bytes).toString("base64"), fileName: name });
      return String(data.shortId);
    },
    "filehost up": async (name, bytes) => {
      await using device = await makeDevice({ FILEHOST_SERVER: server.url });
      await writeFile(join(device.path, name), bytes);
      const { code, stdout, stderr } = await device.run(["up", name]);
      assert.equal(code, 0, stderr);
      return new URL(stdout.trim()).pathname.slice("/d/".length);
    },
  };

  const typeOf = async (shortId: string): Promise<string | null | undefined> => {
    const share = await getShare(server, shortId);
    return share.files?.[0]?.content_type ?? share.content_type;
  };

  for (const [way, send] of Object.entries(ways)) {
    test(`is text by its bytes, and other bytes are not, by ${way}`, async () => {
      assert.equal(await typeOf(await send("Makefile", TEXT)), "text/plain");
      assert.equal(await typeOf(await send("blob", BINARY)), "application/octet-stream");
    });
  }

  const documentOf = async (shortId: string): Promise<string> => {
    const page = await (await fetch(`${server.url}/d/${shortId}`, { headers: { Accept: "text/html" } })).text();
    const url = /id="preview"><iframe src="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
    return await (await fetch(url ?? assert.fail(page))).text();
  };

  test("is previewed, in the encoding that it has, and is downloaded unchanged", async () => {
    const texts: readonly (readonly [encoding: string, text: string])[] = [
      ["shift_jis", "これは日本語のテキストです。表と機能"],
      ["euc-jp", "これは日本語のテキストです。"],
      ["gb18030", "这是一个简体中文文本文件。"],
      ["big5", "這是一個繁體中文文字檔案。"],
      ["euc-kr", "이것은 한국어 텍스트 파일입니다."],
      ["windows-1251", "Это обычный русский текст."],
      ["koi8-r", "Это обычный русский текст."],
      ["windows-1252", "Grüße aus München: schöne Straße, 5 €"],
      ["utf-16le", "\ufeffGrüße, 日本語, привет"],
      ["utf-16be", "Это обычный русский текст."],
    ];
    for (const [encoding, text] of texts) {
      const bytes = encodeText(encoding, text);
      for (const name of ["README", "readme.txt", "table.csv", "notes.md"]) {
        const shortId = await putFile(name, bytes);
        const shown = await documentOf(shortId);
        // The cells of a table are between the commas of the text.
        const parts = name === "table.csv" ? (text.match(/[\p{L}\p{M}]+/gu) ?? []) : [text.replace("\ufeff", "")];
        assert.ok(parts.length > 0 && parts.every((part) => shown.includes(part)), `${encoding} ${name}`);
      }
      const file = await getShare(server, await putFile("README", bytes));
      const response = await fetch(await signedUrl(server, file.id));
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
      assert.deepEqual(
        [response.headers.get("content-type"), response.headers.get("content-disposition")?.split(";", 1)[0]],
        ["text/plain", "attachment"],
      );
      const { data } = await clientOf(server).call("readShareText", { shortId: file.short_id });
      assert.equal(data[0]?.text, text.replace("\ufeff", ""));
    }
  });

  test("is never a page or an image, whatever is in it", async () => {
    for (const text of ["<!doctype html><script>alert(1)</script>", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'></svg>"]) {
      const shortId = await putFile("README", new TextEncoder().encode(text));
      assert.equal(await typeOf(shortId), "text/plain");
      assert.doesNotMatch(await documentOf(shortId), /<script|<svg/);
    }
  });
});
