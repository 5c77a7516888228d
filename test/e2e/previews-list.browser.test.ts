import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { browserMissing, openPage } from "../support/browser.ts";
import { useBrowsedServer } from "./support/browsed-server.ts";
import { addFile, openShipment } from "./support/sent-shipments.ts";

/** previews, "Previews of shipments". */
describe("previews of a shipment's files", { skip: browserMissing }, () => {
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

  test("open in a dialog, with those of the files before and after", async () => {
    const { sharePath } = await sendFiles();
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + sharePath);
    assert.equal(await page.locator("[data-preview]").count(), 2);
    await page.locator("[data-preview]", { hasText: "a.txt" }).click();
    const dialog = page.getByRole("dialog", { name: "a.txt" });
    await dialog.frameLocator("iframe").getByText("first text").waitFor();
    await dialog.getByRole("button", { name: "Next" }).click();
    await page.getByRole("dialog", { name: "b.txt" }).frameLocator("iframe").getByText("second text").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "b.txt");
    assert.deepEqual(opened.complaints, []);
  });

  test("open on a page that a code unlocked, with and without JavaScript", async () => {
    const { sharePath, unlockCode = "" } = await sendFiles({ protect: true });
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(site.browser, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(site.server.url + sharePath);
      assert.equal(await page.locator("[data-preview]").count(), 0);
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
