import assert from "node:assert/strict";
import { mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { readFragmentKey } from "../../../src/transfer/encryption/fragment-key.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare, signedUrl } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { choose, getLink, pendingPaths, storedRecords, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { someBytes } from "../support/uploads/multipart.ts";

const MB = 1024 ** 2;
const PART = /\/up\/[^/]+\/(\d+)/;
/** A host without HTTPS, whose pages have no WebCrypto. */
const PLAIN_HOST = "files.example";
const HIDDEN_NAME = /^encrypted-[0-9a-f]{16}\.tar\.age$/;
const AGE_HEADER = "age-encryption.org/v1\n";

interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly relativePath: string | null;
  readonly encrypted: boolean;
}

/** encryption, "Sending from the page". */
describeUnless(browserMissing, "encrypting on the front page", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let device: ClientDevice;
  let folder: string;
  before(async () => {
    server = await withSender(startPlainServer({ FILEHOST_LOG: "trace:json" }), { hosts: [PLAIN_HOST] });
    ({ browser, folder } = server);
    device = await makeDevice();
  });
  after(async () => {
    await device?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  async function makeFile(path: string, bytes: Uint8Array): Promise<string> {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), bytes);
    return join(folder, path);
  }

  async function chooseEncryption(page: Page): Promise<void> {
    await page.locator("#options > summary").click();
    await page.getByLabel("Encrypt end to end").check();
  }

  async function filesOf(shortId: string): Promise<readonly StoredFile[]> {
    const { files, ...share } = (await getShare(server, shortId)) as { files?: readonly StoredFile[] };
    return files ?? [share as StoredFile];
  }

  const fetchStored = async (id: string): Promise<Buffer> => Buffer.from(await (await fetch(await signedUrl(server, id))).arrayBuffer());

  /** Downloads and decrypts a share with the client, into a folder of the device. */
  async function down(link: string, name: string): Promise<(path: string) => Promise<Buffer>> {
    const { code, stderr } = await device.run(["down", link, "-o", name]);
    assert.equal(code, 0, stderr);
    return (path) => readFile(join(device.path, name, path));
  }

  /** Returns the path of the sent share's page, with its fragment. */
  async function sentPath(page: Page): Promise<string> {
    await whenSent(page);
    await page.waitForURL(({ hash }) => !hash.includes("sent"), { waitUntil: "commit" });
    return toPath(page.url());
  }

  const toPath = (link: string | null): string => (link ?? "").slice(new URL(link ?? "").origin.length);

  for (const viewport of [
    { width: 390, height: 700 },
    { width: 1280, height: 800 },
  ])
    test(`sends a folder encrypted, whose names and key the server does not get, ${viewport.width} pixels wide`, async () => {
      const name = `Trip ${viewport.width}`;
      const large = someBytes(6 * MB + 123, viewport.width);
      const files = new Map<string, Uint8Array>([
        [`${name}/large.bin`, large],
        [`${name}/day 1/small.txt`, Buffer.from("small")],
        [`${name}/empty.txt`, new Uint8Array()],
      ]);
      for (const [path, bytes] of files) await makeFile(path, bytes);
      await using opened = await openPage(browser, { viewport });
      const { page } = opened;
      const requests: string[] = [];
      page.on("request", (request) =>
        requests.push(`${request.url()}\n${JSON.stringify(request.headers())}\n${request.postDataBuffer()?.toString("latin1")}`),
      );
      await page.goto(server.url);
      await page.setInputFiles("#folder", join(folder, name));
      await page.getByText("3 files, ").first().waitFor();
      await chooseEncryption(page);
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width));
      await soon(async () => assert.equal(await page.getByLabel("Title").getAttribute("placeholder"), ""));
      // The page of sending is left after the last part was sent.
      const { promise: isRead, resolve: release } = Promise.withResolvers<void>();
      await page.route(PART, async (route) => {
        await isRead;
        await route.continue();
      });
      await getLink(page);
      await page.getByText("The key is in this link").waitFor();
      const link = (await page.locator("[data-link]").getAttribute("href")) ?? "";
      const identity = readFragmentKey(new URL(link).hash) ?? "";
      assert.notEqual(identity, "");
      release();
      assert.equal(await sentPath(page), toPath(link));
      const shortId = new URL(link).pathname.slice("/d/".length);
      assert.equal((await getShare(server, shortId)).title, null);
      const stored = await filesOf(shortId);
      assert.equal(stored.length, 3);
      for (const file of stored) {
        assert.match(file.name, HIDDEN_NAME);
        assert.deepEqual([file.relativePath, file.encrypted], [file.name, true]);
        assert.equal((await fetchStored(file.id)).subarray(0, AGE_HEADER.length).toString(), AGE_HEADER);
      }
      const read = await down(link, `out ${viewport.width}`);
      for (const [path, bytes] of files) assert.deepEqual(await read(path), Buffer.from(bytes));

      const secret = identity.slice("AGE-SECRET-KEY-1".length, 40).toLowerCase();
      const revealing = (text: string): boolean => [secret, "small.txt", "large.bin"].some((word) => text.toLowerCase().includes(word));
      // The browser's own record of a page's URL has its fragment, which is not sent.
      const sent = requests.map((request) => request.replaceAll(`#${new URL(link).hash.slice(1)}`, "").replaceAll("&sent", ""));
      assert.deepEqual(sent.filter(revealing), []);
      assert.ok(!revealing(JSON.stringify(server.logs())));
      assert.deepEqual(opened.complaints, []);
    });

  test("the page of the link decrypts a file, and the sender's bar copies the link with the key", async () => {
    const bytes = someBytes(300_000, 7);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await page.setInputFiles("#file", await makeFile("one.bin", bytes));
    await chooseEncryption(page);
    await getLink(page);
    const path = await sentPath(page);
    const link = (await page.locator("#link").getAttribute("href")) ?? "";
    assert.equal(toPath(link), path);
    await page.reload();
    await soon(async () => assert.equal(await page.locator("#link").getAttribute("href"), link));
    await using other = await openPage(browser);
    await other.page.goto(link);
    const saving = other.page.waitForEvent("download");
    await other.page.getByRole("button", { name: "Decrypt and download" }).click();
    const saved = await saving;
    assert.equal(saved.suggestedFilename(), "one.bin");
    assert.deepEqual(await readFile(await saved.path()), Buffer.from(bytes));

    // The files that are added later have the same key.
    await page.locator("#sender-add-tool").click();
    await page.setInputFiles("#add-files", [
      await makeFile("more.bin", someBytes(5 * MB, 8)),
      await makeFile("few.txt", Buffer.from("few")),
    ]);
    await page.getByText("2 files were added.").first().waitFor();
    assert.ok((await filesOf(new URL(link).pathname.slice("/d/".length))).every(({ encrypted }) => encrypted));
    const read = await down(link, "added");
    assert.deepEqual(await read("more.bin"), Buffer.from(someBytes(5 * MB, 8)));
    assert.equal(String(await read("few.txt")), "few");
    await page.goto(server.url);
    await soon(async () => assert.equal(await page.locator("#recent a[hidden]").first().getAttribute("href"), link));
    await soon(async () => assert.equal(await page.locator("#recent .name a").first().getAttribute("href"), path));
    assert.deepEqual([...opened.complaints, ...other.complaints], []);
  });

  test("stays encrypted, with the other settings, when the files are sent again after an error", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.route(
      ({ pathname }) => pathname.endsWith("/shares"),
      (route) => route.fulfill({ status: 400, json: { success: false, error: "Refused for once", errorCode: "VALIDATION_FAILED" } }),
      { times: 1 },
    );
    await page.goto(server.url);
    await choose(page, "again.txt");
    await chooseEncryption(page);
    await page.getByLabel("Message").fill("The message of the share");
    await page.getByLabel("Link expires after").selectOption("1h");
    await getLink(page);
    await page.locator("#problem").waitFor();
    await soon(async () => assert.ok(await page.getByLabel("Encrypt end to end").isChecked()));
    await soon(async () => assert.ok(await page.getByLabel("Encrypt end to end").isVisible()));
    await soon(async () => assert.equal(await page.getByLabel("Message").inputValue(), "The message of the share"));
    await soon(async () => assert.equal(await page.getByLabel("Link expires after").inputValue(), "1h"));
    await getLink(page);
    const [file] = await filesOf(await whenSent(page));
    assert.match(file?.name ?? "", HIDDEN_NAME);
    assert.ok(file?.encrypted);
  });

  test("sends a file of exactly 4 MiB, whose encryption is larger than a file of a batch may be", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await page.setInputFiles("#file", await makeFile("four.bin", someBytes(4 * MB, 12)));
    await chooseEncryption(page);
    await getLink(page);
    const link = new URL(await sentPath(page), server.url).href;
    const read = await down(link, "four");
    assert.deepEqual(await read("four.bin"), Buffer.from(someBytes(4 * MB, 12)));
  });

  /** Sends an encrypted file of five parts until its first part is stored, and reloads the page. Resolves to the path of the file and its link. */
  async function interrupt(page: Page, name: string): Promise<{ readonly path: string; readonly link: string }> {
    page.on("dialog", (dialog) => void dialog.accept());
    const path = await makeFile(name, someBytes(5 * MB, 9));
    await page.route(PART, (route) => (PART.exec(route.request().url())?.[1] === "1" ? route.continue() : undefined));
    await page.goto(server.url);
    await page.setInputFiles("#file", [path]);
    await chooseEncryption(page);
    const stored = page.waitForResponse((response) => PART.test(response.url()) && response.ok());
    await getLink(page);
    await stored;
    const link = (await page.locator("[data-link]").getAttribute("href")) ?? "";
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    return { path, link };
  }

  const partOf = (url: string): string => PART.exec(url)?.[1] ?? "";

  test("continues after a reload with the same bytes, and sends only the missing ones", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const { path, link } = await interrupt(page, "continued.bin");
    const parts: string[] = [];
    page.on("request", (request) => PART.test(request.url()) && parts.push(partOf(request.url())));
    await page.getByLabel("Choose the same file to continue").setInputFiles(path);
    assert.equal(await sentPath(page), toPath(link));
    assert.ok(!parts.includes("1"), parts.join(" "));
    const [file] = await filesOf(new URL(link).pathname.slice("/d/".length));
    assert.match(file?.name ?? "", HIDDEN_NAME);
    const read = await down(link, "continued");
    assert.deepEqual(await read("continued.bin"), Buffer.from(someBytes(5 * MB, 9)));
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
  });

  test("begins again with another nonce if the content was changed, though not its time", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const { path, link } = await interrupt(page, "changed.bin");
    const { atime, mtime } = await stat(path);
    await writeFile(path, someBytes(5 * MB, 10));
    await utimes(path, atime, mtime);
    const parts: string[] = [];
    page.on("request", (request) => PART.test(request.url()) && parts.push(partOf(request.url())));
    await page.getByLabel("Choose the same file to continue").setInputFiles(path);
    assert.equal(await sentPath(page), toPath(link));
    assert.ok(parts.includes("1"));
    assert.equal((await filesOf(new URL(link).pathname.slice("/d/".length))).length, 1);
    const read = await down(link, "changed");
    assert.deepEqual(await read("changed.bin"), Buffer.from(someBytes(5 * MB, 10)));
  });

  test("remembers no encryption whose later state the browser refuses to store, and sends all", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const bytes = someBytes(40 * MB, 13);
    const [later, isRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let groups = 0;
    await page.route("**/files/multipart/batch-urls", async (route) => {
      groups += 1;
      if (groups === 1) {
        await soon(async () =>
          assert.deepEqual(
            (await storedRecords(page, "pending")).map(({ sealed }) => typeof sealed),
            ["object"],
          ),
        );
        // The browser refuses to store more, as on a full disk.
        await page.evaluate("IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); }");
      }
      if (groups === 2) {
        later.resolve();
        await isRead.promise;
      }
      await route.continue();
    });
    await page.goto(server.url);
    await page.setInputFiles("#file", await makeFile("unremembered.bin", bytes));
    await chooseEncryption(page);
    await getLink(page);
    await later.promise;
    await soon(async () => assert.deepEqual(await storedRecords(page, "pending"), []));
    isRead.resolve();
    const link = new URL(await sentPath(page), server.url).href;
    const read = await down(link, "unremembered");
    assert.ok((await read("unremembered.bin")).equals(bytes));
  });

  test("works without WebCrypto, which is missing without HTTPS", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url.replace(/localhost|127\.0\.0\.1/, PLAIN_HOST));
    await soon(async () => assert.equal(await page.evaluate(() => typeof crypto.subtle), "undefined"));
    await choose(page, "a.txt");
    await page.setInputFiles("#file", await makeFile("b.bin", someBytes(5 * MB, 11)));
    await page.getByText("2 files, ").first().waitFor();
    await chooseEncryption(page);
    await getLink(page);
    const link = (await page.locator("[data-link]").getAttribute("href")) ?? "";
    await whenSent(page);
    const read = await down(link.replace(PLAIN_HOST, new URL(server.url).hostname), "plain");
    assert.equal(String(await read("a.txt")), "bytes of a.txt");
    assert.deepEqual(await read("b.bin"), Buffer.from(someBytes(5 * MB, 11)));
  });

  test("offers it only where the server accepts encrypted files", async () => {
    await using other = await withSender(startPlainServer({ FILEHOST_ENCRYPTED: "off" }));
    await using opened = await openPage(other.browser);
    const { page } = opened;
    await page.goto(other.url);
    await page.locator(".send-choices").waitFor();
    await page.locator("#options > summary").click();
    await page.getByLabel("Code").waitFor();
    await soon(async () => assert.equal(await page.getByLabel("Encrypt end to end").count(), 0));
    await until("the page is complete", async () => (await page.locator("#send form").count()) === 1);
  });
});
