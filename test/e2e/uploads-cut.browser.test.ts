import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../support/browser.ts";
import type { TestServer } from "../support/server.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { traces } from "./support/state.ts";

const SEND_SCRIPT = /\/assets\/.*send/;
const UPLOAD = { name: "Upload and get a link" } as const;

/** The front page while a script of the upload is missing. */
describe("an upload whose script loads late", { skip: browserMissing }, () => {
  let browser: Browser;
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
  });

  const chooseOne = (page: Page) =>
    page.setInputFiles("#file", { name: "late.txt", mimeType: "text/plain", buffer: Buffer.from("some bytes") });

  test("sends nothing if it is cancelled before, and can be started again", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const asked = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    await page.route(SEND_SCRIPT, async (route) => {
      asked.resolve();
      await cancelled.promise;
      await route.continue();
    });
    await page.goto(server.url);
    await chooseOne(page);
    const before = await traces(server);
    await page.getByRole("button", UPLOAD).click();
    await asked.promise;
    await page.getByRole("button", { name: "Cancel" }).click();
    cancelled.resolve();
    await page.getByRole("button", UPLOAD).waitFor();
    assert.deepEqual(await traces(server), before);
    await page.getByRole("button", UPLOAD).click();
    await page.getByRole("heading", { name: "Your link is ready" }).waitFor();
  });

  test("reports a script that fails to load, and the page stays usable", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.route(SEND_SCRIPT, (route) => route.abort());
    await page.goto(server.url);
    await chooseOne(page);
    await page.getByRole("button", UPLOAD).click();
    await page.getByText("Part of this page did not load.").waitFor();
    assert.equal(await page.getByRole("button", UPLOAD).isVisible(), true);
    await page.unrouteAll();
    await page.reload();
    await chooseOne(page);
    await page.getByRole("button", UPLOAD).click();
    await page.getByRole("heading", { name: "Your link is ready" }).waitFor();
  });
});
