import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";

/** openapi, "The reference for people". */
describeUnless(browserMissing, "the API reference in a browser", () => {
  const site = useBrowsedServer();

  test("finds operations by their words from the keyboard, and shows all again on Escape and for a link", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 1280, height: 800 } });
    const { page } = opened;
    await page.goto(`${site.server.url}/docs`);
    const shown = async (): Promise<string[]> =>
      (await page.evaluate(
        `[...document.querySelectorAll("[data-operation]")].filter((one) => one.checkVisibility()).map((one) => one.id)`,
      )) as string[];
    const all = await shown();
    assert.ok(all.length > 55);
    await page.keyboard.press("/");
    await page.keyboard.type("Reports phishing");
    assert.deepEqual(await shown(), ["createReport", "listReports", "getReport", "takeDownReported"]);
    assert.equal(await page.locator(".docs-navigation a:visible").count(), 6);
    await page.keyboard.press("Escape");
    assert.deepEqual(await shown(), all);
    await page.keyboard.type("xylophone quartz");
    assert.deepEqual(await shown(), []);
    assert.match((await page.locator("[data-no-results]").textContent()) ?? "", /No operation/);
    await page.evaluate(`location.hash = "#getHealth"`);
    await until("the link's operation is shown", async () => (await shown()).includes("getHealth"));
    assert.deepEqual(opened.complaints, []);
  });

  test("marks the operation in view, and leads to one by its anchor", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 1280, height: 800 } });
    await opened.page.goto(`${site.server.url}/docs#createFolder`);
    const current = opened.page.locator(".docs-navigation [aria-current]");
    await until("the operation is marked", async () => (await current.getAttribute("href")) === "#createFolder");
    assert.deepEqual(opened.complaints, []);
  });

  test("does not scroll sideways at 320 pixels, and needs no JavaScript", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(site.browser, { viewport: { width: 320, height: 640 }, javaScriptEnabled });
      await opened.page.goto(`${site.server.url}/docs`);
      const [page, text] = await Promise.all([
        opened.page.locator("html").boundingBox(),
        opened.page.locator("#createReport h3").textContent(),
      ]);
      assert.equal(page?.width, 320);
      if (javaScriptEnabled) assert.equal(await opened.page.evaluate("document.documentElement.scrollWidth"), 320);
      assert.match(text ?? "", /Report a share/);
      assert.equal(await opened.page.locator("#docs-search").isVisible(), javaScriptEnabled);
      assert.equal(await opened.page.locator("[data-copy]").first().isVisible(), javaScriptEnabled);
    }
  });
});
