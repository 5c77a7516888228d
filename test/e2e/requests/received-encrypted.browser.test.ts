import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, signUpAs } from "../support/accounts/person.ts";
import { chooseSavedFile, pretendLarge, readChosenFile, toBuffers, unpack, unpackDownload } from "../support/encryption/saved-files.ts";
import { sealFiles } from "../support/encryption/sealed-files.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { openSubmission } from "../support/shares/requests.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { someBytes } from "../support/uploads/multipart.ts";
import { makePng } from "../support/uploads/png.ts";

const ADAS = {
  "scans/page 10.txt": Buffer.from("the tenth page"),
  "scans/page 9.txt": Buffer.from("the ninth page"),
  "photo.png": makePng(),
};
const BOBS = { "report.bin": someBytes(200_000, 7), "scans/page 9.txt": Buffer.from("another ninth page") };

/** requests, "Encrypted requests"; encryption, "All files as one ZIP". */
describeUnless(browserMissing, "what an encrypted request has received", () => {
  const site = useBrowsedServer();
  const home = (): string => homeOf(site.server);

  /** Creates an encrypted request by its form, with the file of a key that this browser does not keep. */
  async function createRequest(page: Page, title: string) {
    const { identity, recipient } = await createShareKey();
    const keyFile = { name: "key.txt", mimeType: "text/plain", buffer: Buffer.from(`${identity}\n`) };
    await page.goto(`${home()}/requests`);
    await page.getByLabel("What do you ask for?").fill(title);
    await page.getByLabel("Encrypt end to end").check();
    await page.setInputFiles("#key-file", keyFile);
    await page.locator("#own-key").getByText("Senders encrypt for your key age1").waitFor();
    await page.getByRole("button", { name: "Create the link", exact: true }).click();
    await page.getByText("The link is ready.").waitFor();
    const link = new URL((await page.locator("#request-link").getAttribute("href")) ?? "");
    return { recipient, keyFile, token: link.pathname.replace("/r/", "") };
  }

  async function send(token: string, recipient: string, senderName: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
    const { shortId, shareToken } = await openSubmission(site.server, token, { senderName });
    await postBatch(site.server, { requestToken: token, shareShortId: shortId, shareToken }, await sealFiles(recipient, files));
  }

  const namesOf = (page: Page, sender: number) => page.locator(".submission").nth(sender).locator(".files .name").allTextContents();
  const saveAll = (page: Page) => page.getByRole("button", { name: /^Download all/ });

  for (const [device, options] of DEVICES)
    test(`shows names in natural order and previews, and saves all files as one ZIP, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      const requests: string[] = [];
      page.on("request", (request) => requests.push(`${request.url()} ${request.postData()}`));
      await signUpAs(page, home(), `received-${device.slice(2)}@example.org`);
      const { recipient, keyFile, token } = await createRequest(page, "Medical records");
      await send(token, recipient, "Ada", ADAS);
      await send(token, recipient, "Bob", BOBS);
      await page.reload();
      await soon(async () => assert.equal(await saveAll(page).count(), 0));
      await page.setInputFiles("#open-file", keyFile);
      await page.locator(".files .name", { hasText: "report.bin" }).waitFor();
      await page.waitForFunction(() => document.querySelectorAll("[data-path]").length === 5);
      await soon(async () => assert.deepEqual(await namesOf(page, 1), ["photo.png", "scans/page 9.txt", "scans/page 10.txt"]));
      await soon(async () => assert.deepEqual(await namesOf(page, 0), ["report.bin", "scans/page 9.txt"]));
      await assertAccessible(page, "opened files");

      await page.getByRole("button", { name: "photo.png", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.frameLocator("iframe").getByRole("img", { name: "Preview of photo.png" }).waitFor();
      await dialog.getByRole("button", { name: "Next" }).click();
      await dialog.frameLocator("iframe").getByText("the ninth page").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();

      const [ofAll] = await Promise.all([page.waitForEvent("download"), saveAll(page).first().click()]);
      assert.equal(ofAll.suggestedFilename(), "Medical records.zip");
      const all = await unpackDownload(ofAll);
      assert.deepEqual(Object.keys(all).toSorted(), [
        "photo.png",
        "report.bin",
        "scans/page 10.txt",
        "scans/page 9 (2).txt",
        "scans/page 9.txt",
      ]);
      await page.getByText("Decrypted. Your browser saves the files.").waitFor();
      const ofAda = page.getByRole("button", { name: /^Download all.*: Ada$/ });
      const [download] = await Promise.all([page.waitForEvent("download"), ofAda.click()]);
      assert.deepEqual(await unpackDownload(download), toBuffers(ADAS));
      assert.doesNotMatch(requests.join("\n"), /photo|scans|AGE-SECRET-KEY/i);
      assert.deepEqual(complaints, []);
    });

  test("saves a large ZIP while it is decrypted, without the files that the key does not open", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await chooseSavedFile(page);
    await signUpAs(page, home(), "large-zip@example.org");
    const { recipient, keyFile, token } = await createRequest(page, "Scans");
    await send(token, recipient, "Ada", ADAS);
    await send(token, (await createShareKey()).recipient, "Eve", { "other.txt": Buffer.from("for another key") });
    await page.reload();
    await page.setInputFiles("#open-file", keyFile);
    await page.getByText("The sender encrypted this file for another key.").waitFor();
    await page.locator(".files .name", { hasText: "photo.png" }).waitFor();
    await pretendLarge(saveAll(page).first());
    await saveAll(page).first().click();
    await page.getByText("Files that could not be opened are not in the ZIP.").waitFor();
    await soon(async () => assert.deepEqual(await unpack(await readChosenFile(page)), toBuffers(ADAS)));
    assert.deepEqual(complaints, []);
  });

  test("is sent only to the account that asks", async () => {
    await using owner = await openPage(site.browser);
    await signUpAs(owner.page, home(), "asks@example.org");
    const { recipient, token } = await createRequest(owner.page, "Private");
    await send(token, recipient, "Ada", ADAS);
    const path = `${new URL(owner.page.url()).pathname}/bytes`;
    await using other = await openPage(site.browser);
    await signUpAs(other.page, home(), "other@example.org");
    const ask = (page: Page) =>
      page.evaluate(async (url) => (await fetch(url, { method: "POST", body: new URLSearchParams() })).status, path);
    await soon(async () => assert.deepEqual([await ask(owner.page), await ask(other.page)], [200, 404]));
  });
});
