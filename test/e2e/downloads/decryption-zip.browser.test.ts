import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { clientOf } from "../support/api/api.ts";
import { chooseSavedFile, pretendLarge, readChosenFile, toBuffers, unpack, unpackDownload } from "../support/encryption/saved-files.ts";
import { sealFile, sealFiles } from "../support/encryption/sealed-files.ts";
import { GUARDED, useSealingSite } from "../support/encryption/sealing-site.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { someBytes } from "../support/uploads/multipart.ts";

const FILES: Readonly<Record<string, Uint8Array>> = {
  "trip/day 10/photo 2.txt": Buffer.from("the second photo"),
  "trip/day 10/photo 10.txt": Buffer.from("the tenth photo"),
  "trip/day 9/Größe.bin": someBytes(300_000, 3),
  "trip/empty": new Uint8Array(),
};

/** encryption, "All files as one ZIP". */
describeUnless(browserMissing, "the ZIP of decrypted files", () => {
  const site = useSealingSite(GUARDED);
  /** Opens a page that cannot write to a file, unless it gets one. */
  async function open(link: string, options: BrowserContextOptions = {}) {
    const opened = await openPage(site.browser, options);
    await opened.page.addInitScript(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
    await opened.page.goto(link);
    return opened;
  }

  /** The button once the script has taken it over. Before, it downloads the encrypted files. */
  const all = (page: Page) => page.getByRole("button", { name: /^Download all/ }).and(page.locator("[data-decrypt]"));
  const rows = (page: Page) => page.locator("#entries > li .name").allTextContents();
  for (const [device, options] of DEVICES) {
    test(`has the names and folders that its list shows in natural order, on ${device}`, async () => {
      await using opened = await open(await site.sender.sendSeveral(FILES), options);
      const { page, complaints } = opened;
      await page.getByRole("heading", { name: "trip", exact: true }).waitFor();
      await soon(async () => assert.deepEqual(await rows(page), ["day 9/Größe.bin", "day 10/photo 2.txt", "day 10/photo 10.txt", "empty"]));
      await page.waitForFunction(() => document.title.startsWith("trip – "));
      await soon(async () => assert.match((await page.locator(".facts-line").textContent()) ?? "", /^4\u00a0files · 293/));
      await page.getByText("End-to-end encrypted").waitFor();
      const [download] = await Promise.all([page.waitForEvent("download"), all(page).click()]);
      assert.equal(download.suggestedFilename(), "trip.zip");
      assert.deepEqual(await unpackDownload(download), toBuffers(FILES));
      await page.getByText("Decrypted. Your browser saves the file.").first().waitFor();
      assert.deepEqual(complaints, []);
    });
  }

  test("has the selected files only", async () => {
    await using opened = await open(await site.sender.sendSeveral(FILES, { title: "Our trip" }));
    const { page, complaints } = opened;
    await page.getByRole("checkbox", { name: /photo 10/ }).check();
    await page.getByRole("checkbox", { name: /empty/ }).check();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Download 2 files/ }).click()]);
    assert.match(download.suggestedFilename(), /^Our trip-.*\.zip$/);
    assert.deepEqual(Object.keys(await unpackDownload(download)).toSorted(), ["trip/day 10/photo 10.txt", "trip/empty"]);
    assert.deepEqual(complaints, []);
  });

  test("gives safe and different names to files, and has files that are not encrypted too", async () => {
    const names = ["../../evil.txt", "con", "a/b", "A/B", "a", "a/b/c"];
    const files = await sealFiles(site.sender.key.recipient, Object.fromEntries(names.map((name) => [name, Buffer.from(name)])));
    const link = await site.sender.sendFiles([
      ...files,
      { relativePath: "notes.txt", bytes: new Uint8Array(Buffer.from("not encrypted")) },
    ]);
    await using opened = await open(link);
    const { page, complaints } = opened;
    await page.locator("#entries button[data-path]").first().waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), all(page).click()]);
    const found = await unpackDownload(download);
    assert.deepEqual(Object.keys(found).toSorted(), ["A/B (2)", "__/__/evil.txt", "_con", "a (2)", "a/b", "a_b_c", "notes.txt"].toSorted());
    assert.equal(found["notes.txt"]?.toString(), "not encrypted");
    assert.deepEqual(complaints, []);
  });

  test("is written to a chosen file, and by the service worker, while it is decrypted", async () => {
    const link = await site.sender.sendSeveral(FILES);
    await using picked = await openPage(site.browser);
    await chooseSavedFile(picked.page);
    await picked.page.goto(link);
    await picked.page.getByRole("heading", { name: "trip", exact: true }).waitFor();
    await pretendLarge(all(picked.page));
    await all(picked.page).click();
    await picked.page.locator("#decryption-status").getByText("Decrypted.").waitFor();
    await soon(async () => assert.deepEqual(await unpack(await readChosenFile(picked.page)), toBuffers(FILES)));
    await using streamed = await open(link, { serviceWorkers: "allow" });
    await streamed.page.getByRole("heading", { name: "trip", exact: true }).waitFor();
    await pretendLarge(all(streamed.page));
    const [download] = await Promise.all([streamed.page.waitForEvent("download"), all(streamed.page).click()]);
    assert.equal(download.suggestedFilename(), "trip.zip");
    assert.deepEqual(await unpackDownload(download), toBuffers(FILES));
    assert.deepEqual([picked.complaints, streamed.complaints], [[], []]);
  });

  test("ends with a damaged file or with a file of another key, and saves nothing", async () => {
    const good = await sealFiles(site.sender.key.recipient, FILES);
    const damaged = good.map(({ relativePath, bytes }, index) => ({
      relativePath,
      bytes: index === 2 ? bytes.map((byte, at) => (at === 200_000 ? byte ^ 1 : byte)) : bytes,
    }));
    const foreign = [
      ...good,
      {
        relativePath: "encrypted-00000000000000ff.tar.age",
        bytes: await sealFile((await createShareKey()).recipient, "x", Buffer.from("x")),
      },
    ];
    for (const [files, text] of [
      [damaged, "damaged or incomplete"],
      [foreign, "does not match this file"],
    ] as const) {
      await using opened = await open(await site.sender.sendFiles(files));
      const { page, complaints } = opened;
      let downloads = 0;
      page.on("download", () => {
        downloads += 1;
      });
      await page.locator("#entries button[data-path]").first().waitFor();
      await all(page).click();
      await page.locator("#decryption-status.problem").getByText(text).waitFor();
      assert.equal(downloads, 0);
      assert.deepEqual(complaints, []);
    }
  });

  test("says that names are shown later with limited downloads, and counts one of each file, also after a wrong key", async () => {
    const link = await site.sender.sendSeveral(FILES, { maxDownloads: 2 });
    await using opened = await open(link.replace(/#.*/, ""));
    const { page, complaints } = opened;
    await page.getByText("Names are shown after downloading, because downloads are limited.").waitFor();
    await page.getByLabel("Passphrase or key").fill((await createShareKey()).identity);
    const decryptAll = page.getByRole("button", { name: "Decrypt and download all" });
    await decryptAll.click();
    await page.locator("#decryption-problem").getByText("does not match this file").waitFor();
    // A whole link counts as its key.
    await page.getByLabel("Passphrase or key").fill(link);
    const [download] = await Promise.all([page.waitForEvent("download"), decryptAll.click()]);
    assert.match(download.suggestedFilename(), /^Shipment-.*\.zip$/);
    assert.deepEqual(await unpackDownload(download), toBuffers(FILES));
    await page.getByText("1 download left").first().waitFor();
    await soon(async () => assert.equal(await page.getByText("1 download left").count(), 4));
    assert.deepEqual(complaints, []);
  });

  test("leaves the encrypted files to another button", async () => {
    const link = await site.sender.sendSeveral(FILES);
    await using opened = await open(link);
    await opened.page.locator("#details > summary").click();
    const [request] = await Promise.all([
      opened.page.waitForRequest((one) => one.url().endsWith("/archive")),
      opened.page.getByRole("button", { name: "Download encrypted", exact: true }).click(),
    ]);
    assert.match(request.postData() ?? "", /all=true/);
    const plain = (await clientOf(site.server).call("createShare", {})).data;
    await postBatch(site.server, { shareShortId: plain.shortId, shareToken: plain.shareToken ?? "" }, [
      { relativePath: "a.txt", bytes: new Uint8Array(Buffer.from("a")) },
    ]);
    const refused = await fetch(`${site.server.url}/d/${plain.shortId}/bytes`, {
      method: "POST",
      body: new URLSearchParams({ all: "true" }),
    });
    assert.equal(refused.status, 404);
  });

  test("a key that does not fit is said on the page, and the right one shows the names", async () => {
    const link = await site.sender.sendSeveral(FILES);
    const other = (await createShareKey()).identity;
    for (const [hash, text] of [
      [`#key=${other}`, "The key in the link does not fit."],
      [`#key=${other.slice(0, 40)}`, "The key in the link is incomplete."],
    ] as const) {
      await using opened = await open(link.replace(/#.*/, hash));
      await opened.page.locator("#decryption-problem").getByText(text).waitFor();
    }
    await using opened = await open(link.replace(/#.*/, ""));
    const { page, complaints } = opened;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const field = page.getByLabel("Passphrase or key");
    await field.fill(other);
    await field.press("Enter");
    await page.locator("#decryption-problem").getByText("This passphrase or key does not fit.").waitFor();
    await field.fill(` ${link} `);
    await field.press("Enter");
    await page.getByRole("heading", { name: "trip", exact: true }).waitFor();
    await page.locator("#decryption-status").waitFor({ state: "hidden" });
    assert.ok(!requests.some((url) => url.endsWith("/bytes") || url.endsWith("/download")));
    assert.deepEqual(complaints, []);
  });
});
