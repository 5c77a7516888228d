import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { makeFolder } from "../support/folder.ts";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { call, deleteFile, getInfo, upload } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { shipmentCalls } from "./support/shipments.ts";
import { withDatabase } from "./support/state.ts";

const CURL = { "User-Agent": "curl/8.7.1" };
const CHROME = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0.0.0 Safari/537.36", Accept: "text/html" };

/** curl, "Downloads" and accounts, "Authentication". */
describe("a download by curl", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const { open, join: add } = shipmentCalls(() => server);
  const get = (shortId: string, headers: Record<string, string> = CURL, method = "GET") =>
    fetch(`${server.url}/d/${shortId}/download`, { method, headers, redirect: "manual" });
  const downloadsOf = async (shortId: string): Promise<number> => Number((await getInfo(server, shortId))?.download);
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

  test("asks for the code of a protected share, also of libraries, which then may download", async () => {
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

  test("leads browsers, previews, prefetches and HEAD to the page, and counts nothing", async () => {
    const { shortId } = await upload(server, { bytes: "x", fields: { maxDownloads: "1" } });
    const others: readonly Record<string, string>[] = [
      CHROME,
      { ...CHROME, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
      { ...CHROME, "X-Unlock-Code": "222222", "Sec-Fetch-Mode": "cors" },
      { "User-Agent": "WhatsApp/2.23.20.0" },
      { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", Authorization: `Bearer ${server.owner.key}` },
      { "User-Agent": "python-requests/2.31.0" },
      { ...CURL, Purpose: "prefetch" },
      { ...CURL, "Sec-Fetch-Mode": "cors" },
      { ...CURL, Origin: "https://example.org" },
    ];
    for (const headers of others) {
      const response = await get(shortId, headers);
      assert.deepEqual([response.status, response.headers.get("location")], [302, `/d/${shortId}`], JSON.stringify(headers));
    }
    const head = await get(shortId, CURL, "HEAD");
    assert.deepEqual([head.status, head.headers.get("location")], [302, `/d/${shortId}`]);
    assert.equal(await downloadsOf(shortId), 0);
    assert.match((await get(shortId)).headers.get("location") ?? "", /\/dl\//);
    const last = await get(shortId);
    assert.equal(last.status, 404);
    assert.match(await last.text(), /^This link has no downloads left\..*\n$/);
  });

  test("says why there is nothing to download, in one line", async () => {
    const file = await upload(server, { bytes: "y" });
    const set = (scan_status: "pending" | "unavailable") =>
      withDatabase(server, (db) => db.updateTable("files").set({ scan_status }).where("id", "=", file.id).execute());
    await set("pending");
    const pending = await get(file.shortId);
    assert.deepEqual([pending.status, pending.headers.get("retry-after")], [409, "15"]);
    assert.match(await pending.text(), /^The file is being scanned.*\n$/);
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

  test("takes a key as the password of Basic authentication, from programs alone", async () => {
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
