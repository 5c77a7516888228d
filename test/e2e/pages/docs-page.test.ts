import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { makeFolder } from "../../support/folder.ts";
import { reservePort } from "../../support/network/free-ports.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const decode = (html: string): string =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** The examples that succeed on an empty server: they name nothing that must exist. */
const SUCCEEDING = new Set([
  "uploadFile",
  "initMultipart",
  "createDelegation",
  "createShare",
  "listFiles",
  "listRun",
  "listRuns",
  "listFolders",
  "createFolder",
  "listWebhooks",
  "getFileInfo",
  "getMe",
  "getEmail",
  "listKeys",
  "updateMe",
  "listShares",
  "listFileIds",
  "deleteFiles",
  "previewDeletion",
  "createFolders",
  "createRequest",
  "listRequests",
  "getTotp",
  "listNotices",
  "listPasskeys",
  "markNoticesRead",
  "getNoticeSettings",
  "updateNoticeSettings",
  "revokeOtherSessions",
  "createKey",
  "signUp",
  "listConnections",
  "listApplications",
  "listSessions",
  "connectSeller",
  "getSellerStatus",
  "listSales",
  "requestChallenge",
  "getCapabilities",
  "getHealth",
  "postForm",
  "putFile",
]);
/** Refusals of the objects that the other examples name, not of their form or caller. */
const REFUSED = new Set([403, 404, 409, 422, 502]);
/** Examples whose values are refused: nobody has signed up, a proof of work cannot be invented, and tests reach no other host. */
const NOT_VALID_HERE = new Set(["registerAgent", "signIn", "signInWithCode", "importFile", "initImport", "createWebhook"]);

/** openapi, "The reference for people". */
describe("the API reference", () => {
  let server: TestServer;
  /** The pages of all groups. */
  let html: string;
  before(async () => {
    const port = await reservePort();
    server = await startPlainServer({ FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_URL: `http://127.0.0.1:${port}` });
    const index = await (await fetch(`${server.url}/docs`)).text();
    const paths = new Set([...index.matchAll(/<option value="(\/docs\/[\w-]+)"/g)].map(([, path = ""]) => path));
    html = (await Promise.all([...paths].map(async (path) => await (await fetch(server.url + path)).text()))).join("\n");
  });
  after(() => server[Symbol.asyncDispose]());

  test("has examples that a shell can run against this server", async () => {
    const { key } = await addAccount(server, { tier: "pro" });
    await using folder = await makeFolder();
    for (const name of ["report.pdf", "notes.txt"]) await writeFile(join(folder.path, name), "bytes");
    const examples = [...html.matchAll(/<code id="curl-(\w+)">([^<]*)<\/code>/g)].map(
      ([, id = "", text = ""]) => [id, decode(text)] as const,
    );
    assert.ok(examples.length > 55);
    const unexpected: string[] = [];
    for (const [id, command] of examples) {
      if (/"\$\w+_URL"/.test(command) || NOT_VALID_HERE.has(id)) continue;
      const status = `${command} -s -o /dev/null -w '%{http_code}'`;
      const { stdout } = await promisify(execFile)("/bin/sh", ["-c", status], {
        cwd: folder.path,
        env: { PATH: process.env.PATH, KEY: key },
      });
      const isExpected = SUCCEEDING.has(id) ? stdout === "200" || stdout === "201" : REFUSED.has(Number(stdout));
      if (!isExpected) unexpected.push(`${id}: ${stdout}\n${command}`);
    }
    assert.deepEqual(unexpected, []);
  });

  test("is revalidated by its ETag, per encoding and language", async () => {
    const ask = (headers: Readonly<Record<string, string>>, method = "GET") => fetch(`${server.url}/docs/files`, { method, headers });
    const tags = new Set<string>();
    for (const encoding of ["br", "gzip", "identity"]) {
      for (const language of ["en", "de", "fr"]) {
        const headers = { "Accept-Encoding": encoding, "Accept-Language": language };
        const first = await ask(headers);
        const etag = first.headers.get("etag") ?? "";
        assert.equal(first.status, 200);
        assert.match(await first.text(), new RegExp(`<html lang="${language}"`));
        assert.equal(first.headers.get("cache-control"), "private, no-cache");
        assert.equal(first.headers.get("vary"), "Accept-Encoding, Accept-Language, Cookie");
        tags.add(etag);
        const again = await ask({ ...headers, "If-None-Match": etag });
        assert.deepEqual([again.status, again.headers.get("etag"), await again.text()], [304, etag, ""]);
        const head = await ask(headers, "HEAD");
        assert.deepEqual([head.status, head.headers.get("etag"), await head.text()], [200, etag, ""]);
      }
    }
    assert.equal(tags.size, 9);
  });

  test("has a page for each path that the select of phones sends, and no other", async () => {
    const open = (path: string) => fetch(server.url + path, { redirect: "manual", headers: { Accept: "text/html" } });
    for (const page of ["/docs", "/docs/uploads", "/docs/errors", "/docs/curl", "/mcp", "https://x.example", "/docs//x.example", ""]) {
      const { status, headers } = await open(`/docs?page=${encodeURIComponent(page)}`);
      const isKnown = ["/docs", "/docs/errors", "/docs/curl", "/mcp"].includes(page);
      assert.deepEqual([status, headers.get("location")], isKnown ? [302, page] : [200, null], page);
    }
    for (const page of ["unknown", "tag-files", "x%2Fy"]) assert.equal((await open(`/docs/${page}`)).status, 404, page);
  });

  test("leaves the paths below it to uploads of curl", async () => {
    const response = await fetch(`${server.url}/docs/files`, { method: "PUT", body: "x" });
    assert.match(await response.text(), /\/d\/\w{8}\n$/);
  });
});
