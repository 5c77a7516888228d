import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";

/** openapi, "The reference for people". */
describeUnless(browserMissing, "the API reference in a browser", () => {
  const site = useBrowsedServer();

  test("finds operations by their words from the keyboard, and shows all again on Escape", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 1280, height: 800 } });
    const { page } = opened;
    await page.goto(`${site.server.url}/docs`);
    const shown = async (): Promise<string[]> =>
      (await page.evaluate(
        `[...document.querySelectorAll(".docs-index li")].filter((one) => one.checkVisibility()).map((one) => one.id)`,
      )) as string[];
    const all = await shown();
    assert.ok(all.length > 55);
    const descriptions = () =>
      page.locator(":is(.docs-guides, .docs-index) :is(a, p)").evaluateAll((parts) => parts.map((part) => part.innerHTML).sort());
    const sent = await descriptions();
    assert.ok(sent.some((html) => html.includes("<code>")));
    await page.keyboard.press("/");
    await page.keyboard.type("Reports phishing");
    await soon(async () => assert.deepEqual(await shown(), ["listReports", "takeDownReported", "getReport", "createReport"]));
    await page.keyboard.press("Escape");
    await soon(async () => assert.deepEqual(await shown(), all));
    // Titles with the word are first, and it is marked in them. Guides are found by their steps.
    await page.keyboard.type("webhook");
    await soon(async () => assert.match((await page.locator(".docs-index li:visible > a").first().textContent()) ?? "", /webhook/i));
    await soon(async () => assert.equal((await page.locator(".docs-index mark").first().textContent())?.toLowerCase(), "webhook"));
    await soon(async () => assert.deepEqual(await page.locator(".docs-guides li:visible > a").allTextContents(), ["Receive webhooks"]));
    await page.keyboard.press("Escape");
    await soon(async () => assert.deepEqual(await shown(), all));
    await soon(async () => assert.equal(await page.locator(".docs mark").count(), 0));
    // Words are marked inside of other markup, which stays.
    await page.keyboard.type("filehost");
    await page.locator(".docs-guides code mark", { hasText: "filehost" }).first().waitFor();
    await page.keyboard.press("Escape");
    await soon(async () => assert.deepEqual(await descriptions(), sent));
    // What is found by its fields says which, with the word marked.
    await page.keyboard.type("expire");
    const results = page.locator(":is(.docs-guides, .docs-index) li:visible");
    for (const result of await results.all()) {
      const text = ((await result.textContent()) ?? "").toLowerCase();
      assert.ok(text.includes("expire"), text);
    }
    await soon(async () => assert.ok((await page.locator(".docs-reason mark").count()) > 3));
    await page.keyboard.press("Escape");
    await soon(async () => assert.equal(await page.locator(".docs-reason").count(), 0));
    await page.keyboard.type("xylophone quartz");
    await soon(async () => assert.deepEqual(await shown(), []));
    await soon(async () => assert.match((await page.locator("[data-no-results]").textContent()) ?? "", /Nothing contains/));
    assert.deepEqual(opened.complaints, []);
  });

  test("searches from any page, and leads from a result to the operation, which is open", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 1280, height: 800 } });
    const { page } = opened;
    await page.goto(`${site.server.url}/docs/curl`);
    await page.keyboard.press("/");
    await page.keyboard.type("createFolder");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs?q=createFolder");
    await page.locator(".docs-index a:visible", { hasText: "Create a folder" }).click();
    await page.waitForURL("**/docs/folders#createFolder");
    await page.locator("#curl-createFolder").waitFor();
    await soon(async () => assert.equal(await page.locator("details.operation[open]").count(), 1));
    assert.deepEqual(opened.complaints, []);
  });

  test("leads from the anchors of the reference when it was one page to the pages of today", async () => {
    for (const [anchor, path] of [
      ["createFolder", "/docs/folders#createFolder"],
      ["tag-multipart-upload", "/docs/multipart-upload"],
      ["status-404", "/docs/errors#status-404"],
    ]) {
      await using opened = await openPage(site.browser, { viewport: { width: 1280, height: 800 } });
      await opened.page.goto(`${site.server.url}/docs#${anchor}`);
      await opened.page.waitForURL(`${site.server.url}${path}`);
      assert.deepEqual(opened.complaints, []);
    }
  });

  test("on phones, a select leads to the pages, also without JavaScript", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(site.browser, { viewport: { width: 390, height: 844 }, javaScriptEnabled });
      const { page } = opened;
      await page.goto(`${site.server.url}/docs`);
      await page.locator("#docs-page").selectOption("/docs/errors");
      if (!javaScriptEnabled) await page.locator(".docs-select button").click();
      await page.waitForURL("**/docs/errors");
      await soon(async () => assert.equal(await page.locator("#docs-page").inputValue(), "/docs/errors"));
      await page.locator("#status-404").waitFor();
    }
  });

  test("does not scroll sideways at 320 pixels, and needs no JavaScript", async () => {
    for (const javaScriptEnabled of [true, false])
      for (const path of ["/docs", "/docs/reports", "/docs/accounts", "/docs/receive-webhooks", "/docs/errors"]) {
        await using opened = await openPage(site.browser, { viewport: { width: 320, height: 640 }, javaScriptEnabled });
        await opened.page.goto(site.server.url + path);
        await soon(async () => assert.equal((await opened.page.locator("html").boundingBox())?.width, 320));
        if (javaScriptEnabled)
          await soon(async () => assert.equal(await opened.page.evaluate("document.documentElement.scrollWidth"), 320, path));
        await soon(async () => assert.equal(await opened.page.locator("#docs-search").isVisible(), javaScriptEnabled));
        if (path === "/docs/reports")
          await soon(async () => assert.match((await opened.page.locator("#createReport h2").textContent()) ?? "", /Report a share/));
        if (path === "/docs/reports" || path === "/docs/receive-webhooks")
          await soon(async () => assert.equal(await opened.page.locator("[data-copy]").first().isVisible(), javaScriptEnabled));
      }
  });
});
