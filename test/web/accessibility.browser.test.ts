import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../support/browser/browser.ts";
import { sampled } from "../support/long.ts";
import { soon } from "../support/soon.ts";
import { describeUnless } from "../support/suite.ts";
import { allPages } from "./pages.ts";
import { servePages } from "./serve-pages.ts";

const OPEN_ALL = `for (const details of document.querySelectorAll("details:not([data-folder])")) details.open = true;`;
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const VIOLATIONS = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).slice(0, 3).join(" ")))`;

/** The words that are shown and that a screen reader does not read where they are: in the same row, or in the same part of the page. */
const UNREAD = `(() => {
  const PLACES = "li, tr, [role=row], label, figure, section, article, form, header, footer, main, body";
  const words = (text) => text.toLowerCase().match(/[\\p{L}\\p{N}]{2,}/gu) ?? [];
  const textsIn = (place, isRead) => {
    const found = [];
    for (const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT); texts.nextNode(); ) {
      const { data, parentElement } = texts.currentNode;
      const isHidden = parentElement.closest("[aria-hidden=true]") !== null;
      if (isHidden !== isRead && parentElement.checkVisibility({ visibilityProperty: true })) found.push({ parentElement, words: words(data) });
    }
    return found;
  };
  const readIn = (place) => {
    const named = [place, ...place.querySelectorAll("[aria-label], [alt]")].map(({ ariaLabel, alt }) => (ariaLabel ?? "") + " " + (alt ?? ""));
    return new Set([...words(named.join(" ")), ...textsIn(place, true).flatMap(({ words }) => words)]);
  };
  const read = new Map();
  const unread = textsIn(document.body, false).flatMap(({ parentElement, words }) => {
    const place = parentElement.closest(PLACES);
    if (!read.has(place)) read.set(place, readIn(place));
    return words.filter((word) => !read.get(place).has(word));
  });
  return [...new Set(unread)];
})()`;

const LOOKS = [
  [390, "light"],
  [1280, "dark"],
] as const;

/** One page in four, and all of them in `./scripts/test --long`: many are states of one page. */
const STEP = 4;
const pages = sampled(Object.entries(allPages()), STEP);
const PART = 20;
const PARTS = Array.from({ length: Math.ceil(pages.length / PART) }, (_, part) => pages.slice(part * PART, (part + 1) * PART));

/** Pages and their states, on a phone in light colors or on a desktop in dark ones by turns; in `./scripts/test --long` on both. */
describeUnless(browserMissing, "the accessibility of pages in a browser", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
  });

  for (const part of PARTS) {
    test(`axe finds no violation, and no word is shown but unread, from ${part[0]?.[0]} to ${part.at(-1)?.[0]}`, async () => {
      await using site = await servePages(part);
      await using opened = await openPage(browser);
      const { page } = opened;
      const found: string[] = [];
      for (const [index, path] of [...site.pages.keys()].entries()) {
        await page.goto(site.url + path);
        await page.evaluate(OPEN_ALL);
        await page.evaluate(AXE);
        for (const [width, colorScheme] of sampled(LOOKS, LOOKS.length, index)) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          for (const violation of (await page.evaluate(VIOLATIONS)) as string[]) found.push(`${path} at ${width} pixels: ${violation}`);
          for (const word of (await page.evaluate(UNREAD)) as string[]) found.push(`${path} at ${width} pixels: unread: ${word}`);
        }
      }
      assert.deepEqual(found, []);
    });
  }

  test("a list that is loading keeps its contrast", async () => {
    await using site = await servePages([["thousands", allPages().thousands ?? ""]]);
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}thousands`);
    await opened.page.evaluate(`document.getElementById("listing").setAttribute("aria-busy", "true")`);
    await opened.page.evaluate(AXE);
    await soon(async () => assert.deepEqual(await opened.page.evaluate(VIOLATIONS), []));
  });

  test("pages reflow at 200 % zoom, and with text twice as large", async () => {
    await using site = await servePages(pages);
    // A window of 1280 pixels has 640 at 200 %.
    await using opened = await openPage(browser, { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 });
    for (const path of site.pages.keys()) {
      await opened.page.goto(site.url + path);
      await soon(async () => assert.equal(await opened.page.evaluate("document.documentElement.scrollWidth"), 640, path));
      await opened.page.evaluate(`document.documentElement.style.fontSize = "200%"`);
      await soon(async () =>
        assert.equal(await opened.page.evaluate("document.documentElement.scrollWidth"), 640, `${path} with large text`),
      );
    }
  });

  test("controls keep an edge and the focus a ring in forced colors", async () => {
    const looks = ["clean", "locked", "mixedFiles", "message-expired"];
    await using site = await servePages(Object.entries(allPages()).filter(([name]) => looks.includes(name)));
    await using opened = await openPage(browser, { forcedColors: "active" });
    for (const path of looks) {
      await opened.page.goto(site.url + path);
      const edgeless = await opened.page.evaluate(
        `[...document.querySelectorAll("main .button, main input:not([type=hidden])")].filter((e) => e.checkVisibility() && e.type !== "checkbox" && getComputedStyle(e).borderTopWidth === "0px").map((e) => e.outerHTML)`,
      );
      assert.deepEqual(edgeless, [], path);
      await opened.page.keyboard.press("Tab");
      await soon(async () =>
        assert.equal(await opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "solid", path),
      );
    }
  });
});
