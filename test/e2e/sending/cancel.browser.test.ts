import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { call } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { choose, chosenNames, GET_LINK, getLink, READY, shownShortId, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const MB = 1024 ** 2;
const SECOND_PART = /\/up\/[^/]+\/2\?/;
const CANCEL = { name: "Cancel", exact: true } as const;

/** pages, "Cancelling asks if something would be lost" and "The file field": cancelling on the front page, and its form in a screen reader. */
describeUnless(browserMissing, "the upload form", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    server = await withSender(startPlainServer());
    ({ browser, folder } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Sends all parts but the second, and holds that until `release` is called. */
  async function sendMost(page: Page, name: string, { isProtected = false } = {}): Promise<{ uploadId: string; release(): Promise<void> }> {
    await writeFile(join(folder, name), Buffer.alloc(5 * MB, name));
    const held: Route[] = [];
    const isHeld = Promise.withResolvers<void>();
    await page.route(SECOND_PART, (route) => {
      held.push(route);
      isHeld.resolve();
    });
    await page.goto(server.url);
    await page.setInputFiles("#file", join(folder, name));
    if (isProtected) {
      await page.getByText("Options").click();
      await page.getByLabel("Code").check();
    }
    const initResponse = page.waitForResponse((response) => response.url().endsWith("/multipart/init"));
    await getLink(page);
    const { uploadId } = (await (await initResponse).json()) as { uploadId: string };
    await isHeld.promise;
    return { uploadId, release: async () => void (await Promise.all(held.map((route) => route.continue()))) };
  }
  const focused = (page: Page) => page.evaluate("document.activeElement.id");
  const statusOf = async (uploadId: string) => (await call(server, "GET", `/api/files/multipart/${uploadId}`)).status;

  test("an upload with sent bytes is cancelled only after confirmation", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const { uploadId } = await sendMost(page, "asked.bin");
    const dialog = page.getByRole("dialog", { name: "Cancel the upload?" });
    await page.getByRole("button", CANCEL).click();
    await dialog.waitFor();
    await soon(async () => assert.equal(await focused(page), "keep"));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await soon(async () => assert.equal(await focused(page), "cancel"));
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Keep uploading" }).click();
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await statusOf(uploadId), 200);
    await page.getByRole("button", CANCEL).click();
    await dialog.getByRole("button", { name: "Cancel the upload" }).click();
    await page.getByRole("button", GET_LINK).waitFor();
    await until("the session is gone", async () => (await statusOf(uploadId)) === 404);
    assert.deepEqual(opened.complaints, []);
  });

  test("a double click on Cancel does not confirm, at any position of the dialog", async () => {
    for (const viewport of [
      { width: 1280, height: 720 },
      { width: 360, height: 740 },
    ]) {
      await using opened = await openPage(browser, { viewport });
      const { page } = opened;
      const { uploadId } = await sendMost(page, `double-${viewport.width}.bin`);
      await page.getByRole("button", CANCEL).dblclick();
      const dialog = page.getByRole("dialog", { name: "Cancel the upload?" });
      await soon(async () => assert.ok(await dialog.isVisible()));
      assert.equal(await statusOf(uploadId), 200);
      await dialog.getByRole("button", { name: "Cancel the upload" }).click();
      await until("the session is gone", async () => (await statusOf(uploadId)) === 404);
    }
  });

  test("an upload that completes while the dialog is open closes it", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const { release } = await sendMost(page, "ends.bin", { isProtected: true });
    await page.getByRole("button", CANCEL).click();
    await page.getByRole("dialog").waitFor();
    await release();
    await whenSent(page);
    await page.getByRole("heading", READY).waitFor();
    await soon(async () => assert.equal(await page.getByRole("dialog").count(), 0));
  });

  test("a cancelled upload deletes the sent files, and its link stops working", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const { uploadId } = await sendMost(page, "gone.bin");
    const shortId = await shownShortId(page);
    assert.equal((await call(server, "GET", `/api/files/share/${shortId}`)).status, 200);
    await page.getByRole("button", CANCEL).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the upload" }).click();
    await until("the session is gone", async () => (await statusOf(uploadId)) === 404);
    await until("the link is gone", async () => (await call(server, "GET", `/api/files/share/${shortId}`)).status === 404);
    await soon(async () => assert.deepEqual(await chosenNames(page), ["gone.bin"]));
    await page.unrouteAll();
    await getLink(page);
    await whenSent(page);
  });

  test("an upload without a link is cancelled without confirmation", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const isHeld = Promise.withResolvers<void>();
    await page.route("**/api/shares", () => isHeld.resolve());
    await page.goto(server.url);
    await choose(page, "a.txt");
    await getLink(page);
    await isHeld.promise;
    await page.getByRole("button", CANCEL).click();
    await page.getByRole("button", GET_LINK).waitFor();
    await soon(async () => assert.equal(await page.getByRole("dialog").count(), 0));
  });

  /** What a screen reader announces for the file field: its name and its value. */
  async function readField(page: Page): Promise<readonly unknown[]> {
    const session = await page.context().newCDPSession(page);
    const { root } = await session.send("DOM.getDocument");
    const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#file" });
    const { nodes } = await session.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
    return [nodes[0]?.name?.value, nodes[0]?.value?.value];
  }

  test("the file field has an accessible name for its action and the number of files as its value", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    assert.deepEqual(await readField(page), ["Choose files to upload", "No file chosen"]);
    await choose(page, "a.txt");
    assert.deepEqual(await readField(page), ["Add more files", "a.txt"]);
    await choose(page, "b.txt");
    assert.deepEqual(await readField(page), ["Add more files", "2 files"]);
    await page.getByRole("button", { name: "Remove a.txt" }).click();
    assert.deepEqual(await readField(page), ["Add more files", "b.txt"]);
    await choose(page, "a.txt");
    assert.deepEqual(await readField(page), ["Add more files", "2 files"]);
  });
});
