import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../support/browser/browser.ts";
import { describeUnless } from "../support/suite.ts";
import { allPages } from "./pages.ts";
import { type Site, servePages } from "./serve-pages.ts";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

describeUnless(browserMissing, "the layout of pages in a browser", () => {
  let browser: Browser;
  let site: Site;

  before(async () => {
    browser = await launchBrowser();
    site = await servePages(Object.entries(allPages()));
  });

  after(async () => {
    await site[Symbol.asyncDispose]();
    await browser.close();
  });

  test("the lists of shares and the facts of a row fit a phone", async () => {
    await using opened = await openPage(browser, { viewport: PHONE });
    await opened.page.goto(`${site.url}shares`);
    const [tabs, facts] = (await opened.page.evaluate(`[
      ((tabs) => ({ left: tabs.scrollWidth - tabs.clientWidth, mask: getComputedStyle(tabs).maskImage }))(document.querySelector(".tabs")),
      [...document.querySelectorAll(".share-facts")].map((facts) => Math.round(facts.offsetHeight / 21)),
    ]`)) as [{ left: number; mask: string }, number[]];
    assert.deepEqual(tabs, { left: 0, mask: "none" });
    assert.ok(facts.length > 3 && facts.every((lines) => lines <= 2), facts.join());
  });

  for (const [device, viewport] of [
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ] as const) {
    test(`the button that signs out takes no room from a long address on ${device}`, async () => {
      await using opened = await openPage(browser, { viewport });
      await opened.page.goto(`${site.url}settingsProfile`);
      const text = await opened.page.locator(".identity-text").boundingBox();
      const button = await opened.page.locator(".identity button").boundingBox();
      assert.ok(text && button);
      if (device === "a phone") assert.ok(button.y >= text.y + text.height);
      else assert.ok(button.x >= text.x + text.width);
    });

    test(`the fields of a limit are in one row, whatever the names of the tiers take, on ${device}`, async () => {
      await using opened = await openPage(browser, { viewport });
      await opened.page.goto(`${site.url}adminSettings`);
      const rows = (await opened.page.evaluate(`[...document.querySelectorAll("details")].forEach((one) => { one.open = true; }),
        [...document.querySelectorAll(".limit-row:not(.limit-head)")].map((row) => {
          const fields = [...row.querySelectorAll(":is(input:not([type=hidden]), output)")];
          return fields.map((field) => Math.round(field.getBoundingClientRect().top));
        })`)) as number[][];
      assert.ok(rows.length > 3);
      for (const tops of rows) assert.equal(new Set(tops).size, 1, tops.join());
    });
  }

  test("says in one line on a desktop that a file was not scanned", async () => {
    await using opened = await openPage(browser, { viewport: DESKTOP });
    await opened.page.goto(`${site.url}unchecked`);
    const line = await opened.page.locator(".state-line").boundingBox();
    assert.ok(line && line.height < 30, String(line?.height));
  });

  test("empty boxes are as quiet in the dark scheme as in the light one", async () => {
    await using opened = await openPage(browser, { viewport: DESKTOP, colorScheme: "dark" });
    await opened.page.goto(`${site.url}settingsWebhook`);
    const boxes = (await opened.page.evaluate(`[...document.querySelectorAll("[type=checkbox]:not(:checked)")].map((box) => {
      const { appearance, backgroundColor } = getComputedStyle(box);
      return [appearance, backgroundColor, box.getBoundingClientRect().width >= 13].join(" ");
    })`)) as string[];
    assert.deepEqual(new Set(boxes), new Set(["none rgba(0, 0, 0, 0) true"]));
  });
});
