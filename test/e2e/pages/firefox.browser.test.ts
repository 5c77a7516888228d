import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, ElementHandle } from "puppeteer-core";
import { firefoxMissing, launchFirefox } from "../../support/browser/firefox.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const TEXTS = { "a.txt": "first text", "b.txt": "second text" } as const;

/** pages, "One link for everything", "The sender's bar" and "A list of many files"; previews, "Previews of shipments". */
describeUnless(longSkipped ?? firefoxMissing, "the pages in Firefox", () => {
  let browser: Browser;
  let server: TestServer;
  let chosen: TestFolder;
  let downloads: TestFolder;
  before(async () => {
    server = await startPlainServer();
    chosen = await makeFolder();
    downloads = await makeFolder();
    browser = await launchFirefox(downloads.path);
  });
  after(async () => {
    await browser?.close();
    await downloads?.[Symbol.asyncDispose]();
    await chosen?.[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test("send two files and copy their link; the recipient sees a preview and downloads a file", async () => {
    for (const [name, text] of Object.entries(TEXTS)) await writeFile(join(chosen.path, name), text);
    const sender = await browser.newPage();
    await sender.goto(server.url);
    await sender.waitForSelector(".send-choices");
    const field = (await sender.waitForSelector("#file")) as ElementHandle<HTMLInputElement>;
    await field.uploadFile(...Object.keys(TEXTS).map((name) => join(chosen.path, name)));
    await sender.locator("#submit").click();
    await sender.locator(".sender-bar button::-p-text(Copy link)").click();
    await sender.waitForSelector("::-p-text(Link copied)");

    // What the clipboard contains is known from pasting it.
    const reader = await browser.newPage();
    await reader.goto(server.url);
    await reader.locator("#upload summary").click();
    await reader.locator("#share-title").click();
    await reader.keyboard.down("Control");
    await reader.keyboard.press("v");
    await reader.keyboard.up("Control");
    const link = await reader.$eval("#share-title", (title) => (title as HTMLInputElement).value);
    assert.match(link, /^http:\/\/localhost:\d+\/d\/\w+$/);

    const recipient = await browser.createBrowserContext();
    const page = await recipient.newPage();
    await page.goto(link);
    await page.locator("[data-ready] li:nth-child(1) [data-preview]").click();
    const frame = await page.waitForSelector("dialog iframe").then((element) => element?.contentFrame());
    // Passed as text: a handle to an element of a document that is just being replaced cannot be passed on.
    const shown = async (): Promise<string> => String(await frame?.evaluate("document.body.textContent"));
    await until("the preview is shown", async () => (await shown()).includes(TEXTS["a.txt"]));

    const another = await recipient.newPage();
    await another.goto(link);
    await another.locator("li:nth-child(2) button.get").click();
    await until("the file is downloaded", async () => (await readFile(join(downloads.path, "b.txt"), "utf8")) === TEXTS["b.txt"]);
  });
});
