import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { makeFolder } from "../../support/folder.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { call, deleteFile, findInfo, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { shipmentCalls } from "../support/shares/shipments.ts";

const CURL = { "User-Agent": "curl/8.7.1" };
const CHROME = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0.0.0 Safari/537.36", Accept: "text/html" };

const TEXT = "text/plain; charset=utf-8";
const PREVIEWS = [
  "WhatsApp/2.23.20.0",
  "TelegramBot (like TwitterBot)",
  "facebookexternalhit/1.1",
  "Mattermost-Bot/1.1",
  "Bluesky Cardyb/1.1",
];
const LIBRARIES = ["python-requests/2.31.0", "Python-urllib/3.11", "Go-http-client/1.1", "okhttp/4.12.0", "unknown"];
const DOWNLOADERS = [
  ...["Wget", "Wget/1.21.3", "Wget/2.1.0", "aria2/1.36.0", "Axel/2.17.11", "rclone/v1.65.0", "Microsoft BITS/7.8", "CertUtil URL Agent"],
  ...["Java/17.0.9", "Homebrew/4.2.0 (Macintosh; Intel Mac OS X 14.0)", "Mozilla/5.0 (Windows NT; en-US) WindowsPowerShell/5.1.19041"],
];

const PYTHON = "import sys,urllib.request as u; u.urlretrieve(sys.argv[1], 'out')";
const PROGRAMS: readonly (readonly [string, (url: string) => string[]])[] = [
  ["wget", (url) => ["-q", "-O", "out", url]],
  ["wget2", (url) => ["-q", "-O", "out", url]],
  ["aria2c", (url) => ["-q", "-o", "out", url]],
  ["axel", (url) => ["-q", "-o", "out", url]],
  ["busybox", (url) => ["wget", "-q", "-O", "out", url]],
  ["python3", (url) => ["-c", PYTHON, url]],
];

const isInstalled = (program: string): boolean => spawnSync("which", [program]).status === 0;

/** curl, "Downloads", "Who gets the bytes" and accounts, "Authentication". */
describe("a download by curl", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const { open, join: add } = shipmentCalls(() => server);
  const get = (shortId: string, headers: Record<string, string> = CURL, method = "GET") =>
    fetch(`${server.url}/d/${shortId}/download`, { method, headers, redirect: "manual" });
  const downloadsOf = async (shortId: string): Promise<number> => Number((await findInfo(server, shortId))?.download);
  const curl = (cwd: string, ...args: string[]) => promisify(execFile)("curl", ["-sSfLOJ", ...args], { cwd });

  test("saves one file under its name, and counts one download", async () => {
    await using folder = await makeFolder();
    const file = await upload(server, { name: "Käse & Brot.txt", bytes: "the bytes" });
    await curl(folder.path, `${file.shareUrl}/download`.replace("http://localhost", "http://127.0.0.1"));
    assert.equal(await readFile(join(folder.path, ...(await readdir(folder.path))), "utf8"), "the bytes");
    assert.equal(await downloadsOf(file.shortId), 1);
  });

  test("saves a shipment of several files as one ZIP, and a shipment of one as the file", async () => {
    await using folder = await makeFolder();
    const shipment = await open({ title: "Party" });
    await curl(folder.path, `${shipment.shareUrl}/download`);
    assert.deepEqual(await readdir(folder.path), ["a.txt"]);
    await add(shipment);
    await curl(folder.path, `${shipment.shareUrl}/download`);
    const [name = ""] = (await readdir(folder.path)).filter((name) => name.endsWith(".zip"));
    const zip = await readFile(join(folder.path, name));
    assert.equal(zip.subarray(0, 2).toString(), "PK");
  });

  test("asks for the code of a protected share, also libraries, which then may download", async () => {
    const { shortId, unlockCode = "" } = await upload(server, { bytes: "secret", fields: { protect: "true" } });
    const locked = await get(shortId);
    assert.deepEqual([locked.status, locked.headers.get("content-type")], [403, "text/plain; charset=utf-8"]);
    assert.match(await locked.text(), /^.*X-Unlock-Code.*\n$/);
    assert.equal((await get(shortId, { ...CURL, "X-Unlock-Code": "222222" })).status, 403);
    assert.equal(await downloadsOf(shortId), 0);
    const response = await fetch(`${server.url}/d/${shortId}/download`, {
      headers: { "User-Agent": "python-requests/2.31.0", "X-Unlock-Code": unlockCode.toLowerCase() },
    });
    assert.equal(await response.text(), "secret");
    assert.equal(await downloadsOf(shortId), 1);
  });

  test("sends only requests for HTML to the page, and refuses others that may not use a limited share", async () => {
    const { id, shortId } = await upload(server, { bytes: "x", fields: { maxDownloads: "1" } });
    const page: readonly Record<string, string>[] = [
      CHROME,
      { ...CHROME, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
      { ...CHROME, "X-Unlock-Code": "222222", "Sec-Fetch-Mode": "cors" },
      { "User-Agent": "Slackbot-LinkExpanding 1.0", Accept: "text/html" },
      { "User-Agent": "unknown", Accept: "TEXT/HTML;q=0.5, text/plain" },
    ];
    const refused: readonly Record<string, string>[] = [
      ...PREVIEWS.map((agent) => ({ "User-Agent": agent })),
      { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", Authorization: `Bearer ${server.owner.key}` },
      { ...CURL, Purpose: "prefetch" },
      ...LIBRARIES.map((agent) => ({ "User-Agent": agent })),
      { ...CURL, "Sec-Fetch-Mode": "cors" },
      { ...CURL, Origin: "https://example.org" },
      { "User-Agent": "unknown", Accept: "text/html;q=0, text/plain" },
      { "User-Agent": "unknown", Accept: "text/html;charset=utf-8; q=0.000, text/html2" },
    ];
    for (const method of ["GET", "HEAD"]) {
      for (const headers of page) {
        const response = await get(shortId, { ...headers }, method);
        assert.deepEqual([response.status, response.headers.get("location")], [302, `/d/${shortId}`], JSON.stringify(headers));
      }
      for (const headers of refused) {
        const response = await get(shortId, headers, method);
        assert.deepEqual([response.status, response.headers.get("content-type")], [406, TEXT], JSON.stringify(headers));
      }
    }
    const named = await get(shortId, { "User-Agent": "Python-urllib/3.11", Accept: "application/json" });
    const body = (await named.json()) as { errorCode: string; error: string };
    assert.equal(body.errorCode, "NOT_ACCEPTABLE");
    assert.ok(body.error.includes(`/files/download/${id}`), body.error);
    assert.equal(await downloadsOf(shortId), 0);
    assert.match((await get(shortId)).headers.get("location") ?? "", /\/dl\//);
    const last = await get(shortId);
    assert.equal(last.status, 404);
    assert.match(await last.text(), /^This link has no downloads left\..*\n$/);
  });

  test("gives the bytes of a share without a limit to every program, but not to link previews", async () => {
    const { shortId } = await upload(server, { bytes: "the bytes" });
    for (const agent of [...LIBRARIES, ...DOWNLOADERS]) {
      const accept: Record<string, string> = agent.startsWith("Java/") ? { Accept: "text/html, image/gif, image/jpeg, */*; q=0.2" } : {};
      const response = await fetch(`${server.url}/d/${shortId}/download`, { headers: { "User-Agent": agent, ...accept } });
      assert.equal(await response.text(), "the bytes", agent);
    }
    const counted = LIBRARIES.length + DOWNLOADERS.length;
    for (const agent of PREVIEWS) assert.equal((await get(shortId, { "User-Agent": agent })).status, 406, agent);
    assert.equal(await downloadsOf(shortId), counted);
  });

  test("gives a limited share to each program that fetches files for people", async () => {
    for (const agent of DOWNLOADERS) {
      const { shortId } = await upload(server, { bytes: "the bytes", fields: { once: "true" } });
      const response = await fetch(`${server.url}/d/${shortId}/download`, { headers: { "User-Agent": agent } });
      assert.equal(await response.text(), "the bytes", agent);
    }
  });

  test("answers HEAD with the headers of GET, for a file and for an archive, and counts nothing", async () => {
    const file = await upload(server, { name: "a.bin", bytes: "the bytes", fields: { once: "true" } });
    const shipment = await open();
    await add(shipment);
    for (const { shortId } of [file, shipment]) {
      const head = await get(shortId, { "User-Agent": "Wget/1.21" }, "HEAD");
      assert.deepEqual([head.status, head.headers.get("location"), head.redirected], [200, null, false]);
      assert.equal(await downloadsOf(shortId), 0);
      const response = await fetch(`${server.url}/d/${shortId}/download`, { headers: CURL });
      assert.equal(response.status, 200);
      for (const name of ["content-length", "content-type", "content-disposition", "etag", "accept-ranges", "last-modified"])
        assert.equal(head.headers.get(name), response.headers.get(name), name);
      await response.arrayBuffer();
    }
    const { shortId } = await upload(server, { bytes: "secret", fields: { protect: "true" } });
    assert.equal((await get(shortId, CURL, "HEAD")).status, 403);
  });

  for (const [program, args] of PROGRAMS) {
    test(`is the file for ${program}`, { skip: !isInstalled(program) }, async () => {
      await using folder = await makeFolder();
      const { shortId } = await upload(server, { bytes: "the bytes" });
      await promisify(execFile)(program, args(`${server.url}/d/${shortId}/download`), { cwd: folder.path });
      assert.equal(await readFile(join(folder.path, "out"), "utf8"), "the bytes");
      assert.equal(await downloadsOf(shortId), 1);
    });
  }

  test("explains in one line why a download is impossible", async () => {
    const file = await upload(server, { bytes: "y" });
    const set = (scan_status: "pending" | "unavailable") =>
      withDatabase(server, (db) => db.updateTable("files").set({ scan_status }).where("id", "=", file.id).execute());
    await set("pending");
    const pending = await get(file.shortId);
    assert.deepEqual([pending.status, pending.headers.get("retry-after")], [409, "15"]);
    assert.match(await pending.text(), /^The file is still being scanned\. Try again in about 15 seconds\.\n$/);
    await set("unavailable");
    const blocked = await get(file.shortId);
    assert.equal(blocked.status, 404);
    assert.match(await blocked.text(), /^This file is blocked\..*\n$/);
    await deleteFile(server, { fileId: file.id, token: file.deletionToken });
    const deleted = await get(file.shortId);
    assert.equal(deleted.status, 404);
    assert.match(await deleted.text(), /^Link not found\..*\n$/);
    assert.equal((await get("nothing1", { ...CURL, Authorization: "Bearer wrong" })).status, 401);
  });

  test("accepts a key as the password of Basic authentication, only from programs", async () => {
    const { key } = server.owner;
    const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString("base64")}` });
    const { stdout } = await promisify(execFile)("curl", ["-sS", "-u", `:${key}`, `${server.url}/api/me`]);
    assert.equal(JSON.parse(stdout).success, true);
    assert.equal((await call(server, "GET", "/api/me", { headers: basic(`somebody:${key}`) })).status, 200);
    for (const wrong of [":", "", key, `:${key}x`, `${key}:`]) {
      const response = await fetch(`${server.url}/api/me`, { headers: basic(wrong) });
      assert.equal(response.status, 401, wrong);
      // Browsers would ask people for a name and a password.
      assert.doesNotMatch(response.headers.get("www-authenticate") ?? "", /basic/i);
    }
    const browsers: readonly Record<string, string>[] = [
      { Origin: server.url },
      { "Sec-Fetch-Site": "same-origin" },
      { "Sec-Fetch-Site": "none" },
    ];
    for (const header of browsers) {
      const response = await call(server, "GET", "/api/me", { headers: { ...basic(`:${key}`), ...header } });
      assert.deepEqual([response.status, response.body.errorCode], [403, "CROSS_SITE_REQUEST"], JSON.stringify(header));
    }
  });
});
