import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { deleteFile } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { addFile, openShipment } from "../support/uploads/sent-shipments.ts";

/** previews, "Previews of shipments". */
describeUnless(browserMissing, "previews of a shipment's files", () => {
  const site = useBrowsedServer();

  /** Sends two texts and a file without a preview to a shipment. */
  async function sendFiles(input: Parameters<typeof openShipment>[1] = {}) {
    const shipment = await openShipment(site.server, input);
    for (const [name, bytes] of [
      ["a.txt", "first text"],
      ["b.txt", "second text"],
      ["c.bin", "\u0000\u0001"],
    ] as const)
      await addFile(site.server, shipment, name, bytes);
    return shipment;
  }

  test("open in a dialog, with the previews of the previous and next files", async () => {
    const { sharePath } = await sendFiles();
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + sharePath);
    await soon(async () => assert.equal(await page.locator("[data-preview]").count(), 2));
    await page.locator("[data-ready] [data-preview]", { hasText: "a.txt" }).click();
    const dialog = page.getByRole("dialog", { name: "a.txt" });
    await dialog.frameLocator("iframe").getByText("first text").waitFor();
    await dialog.getByRole("button", { name: "Next" }).click();
    await page.getByRole("dialog", { name: "b.txt" }).frameLocator("iframe").getByText("second text").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("[data-preview]:focus", { hasText: "b.txt" }).waitFor();
    await soon(async () => assert.equal(await page.getByRole("dialog").count(), 0));
    assert.deepEqual(opened.complaints, []);
  });

  test("keep the buttons at the same position, and show name, size and position", async () => {
    const shipment = await sendFiles();
    await addFile(site.server, shipment, `${"long name ".repeat(20)}.md`, "# third\n\n".repeat(200));
    for (const width of [390, 1280]) {
      await using opened = await openPage(site.browser, { viewport: { width, height: 800 } });
      const { page } = opened;
      await page.goto(site.server.url + shipment.sharePath);
      await page.locator("[data-ready] [data-preview]", { hasText: "a.txt" }).click();
      const dialog = page.getByRole("dialog");
      const places = async () =>
        await Promise.all(
          ["Close", "Previous", "Next", "Download"].map((name) => dialog.getByRole("button", { name, exact: true }).boundingBox()),
        );
      await page.getByRole("dialog", { name: "a.txt" }).getByText("10 bytes · 1 of 3").waitFor();
      await soon(async () => assert.equal(await dialog.getByRole("button", { name: "Previous" }).getAttribute("aria-disabled"), "true"));
      const before = await places();
      await dialog.getByRole("button", { name: "Next" }).click();
      await dialog.getByText("11 bytes · 2 of 3").waitFor();
      await soon(async () => assert.deepEqual(await places(), before));
      await page.keyboard.press("ArrowRight");
      await dialog.getByText("1.8 KB · 3 of 3").waitFor();
      await soon(async () => assert.deepEqual(await places(), before));
      await soon(async () =>
        assert.equal(await page.evaluate("document.querySelector('dialog h2 .ext').getBoundingClientRect().right <= innerWidth"), true),
      );
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowLeft");
      await dialog.getByText("11 bytes · 2 of 3").waitFor();
      assert.deepEqual(opened.complaints, []);
    }
  });

  test("start the download of the file that is shown, also on a page that a code unlocked", async () => {
    for (const protect of [false, true]) {
      const { sharePath, unlockCode = "" } = await sendFiles({ protect });
      await using opened = await openPage(site.browser);
      const { page } = opened;
      await page.goto(site.server.url + sharePath);
      if (protect) {
        await page.locator("input.code").fill(unlockCode);
        await page.keyboard.press("Enter");
      }
      await page.locator("[data-ready] [data-preview]", { hasText: "a.txt" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Next" }).click();
      await dialog.getByText("2 of 2").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("button", { name: "Download", exact: true }).click(),
      ]);
      assert.equal(download.suggestedFilename(), "b.txt");
      await dialog.getByRole("status").getByText("Your download is starting.").waitFor();
    }
  });

  test("go on beyond the first part of a long list", async () => {
    const shipment = await openShipment(site.server);
    for (let number = 1; number <= 102; number += 1) await addFile(site.server, shipment, `${number}.txt`, `text ${number}`);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + shipment.sharePath);
    await page.locator("[data-ready] [data-preview]", { hasText: /^100\.txt$/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("100 of 102").waitFor();
    for (const number of [101, 102]) {
      await dialog.getByRole("button", { name: "Next" }).click();
      await dialog.getByText(`${number} of 102`).waitFor();
    }
    await soon(async () => assert.equal(await dialog.getByRole("button", { name: "Next" }).getAttribute("aria-disabled"), "true"));
    await page.keyboard.press("Escape");
    await page.locator("[data-preview]:focus", { hasText: "102.txt" }).waitFor();
    await soon(async () => assert.equal(await page.locator("[data-preview]").count(), 102));
    assert.deepEqual(opened.complaints, []);
  });

  test("lead to the page that explains why, if the file was deleted", async () => {
    const { sharePath, shortId, deletionToken: token } = await sendFiles();
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + sharePath);
    await page.locator("[data-ready] [data-preview]", { hasText: "a.txt" }).click();
    await page.getByRole("dialog", { name: "a.txt" }).waitFor();
    await deleteFile(site.server, { fileId: shortId, token });
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("heading", { name: "Link not found" }).waitFor();
  });

  test("are not offered for the files of a limited shipment", async () => {
    const { sharePath } = await sendFiles({ maxDownloads: 2 });
    await using opened = await openPage(site.browser);
    await opened.page.goto(site.server.url + sharePath);
    await opened.page.getByRole("button", { name: "Download b.txt" }).waitFor();
    await soon(async () => assert.equal(await opened.page.locator("[data-preview]").count(), 0));
  });

  test("open on a page that a code unlocked, with and without JavaScript", async () => {
    const { sharePath, unlockCode = "" } = await sendFiles({ protect: true });
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(site.browser, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(site.server.url + sharePath);
      await soon(async () => assert.equal(await page.locator("[data-preview]").count(), 0));
      await page.locator("input.code").fill(unlockCode);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "a.txt", exact: true }).click();
      await page.locator("#preview").frameLocator("iframe").getByText("first text").waitFor();
    }
  });

  test("open by their URL without JavaScript", async () => {
    const { sharePath } = await sendFiles();
    await using opened = await openPage(site.browser, { javaScriptEnabled: false });
    await opened.page.goto(site.server.url + sharePath);
    await opened.page.getByRole("link", { name: "b.txt" }).click();
    await opened.page.locator("#preview").frameLocator("iframe").getByText("second text").waitFor();
  });
});
