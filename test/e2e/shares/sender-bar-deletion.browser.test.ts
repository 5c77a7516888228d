import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, listFiles } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { bar, button, press, sendFiles, setShare, startDeletion, statusOf as statusAt } from "../support/pages/sender-bar.ts";
import { choose, getLink, readyShares, storedRecords, whenSent } from "../support/pages/sending.ts";

/** More than the time in which a deletion can be undone. */
const AFTER_UNDO_MS = 11_000;
const DELETED = { name: "Deleted", exact: true } as const;

/** pages, "The sender's bar": deleting the share, which can be undone for a time. */
describeUnless(browserMissing, "the sender's bar, deleting a share", () => {
  const site = useBrowsedServer();

  const send = (page: Page, ...names: string[]) => sendFiles(page, site.server, ...names);
  const statusOf = (shortId: string) => statusAt(site.server, shortId);
  const expire = (shortId: string) => setShare(site.server, shortId, { expires_at: Date.now() - 1000 });

  /** Closes the page as a browser that ends: it sends and stores nothing more. */
  async function kill(page: Page): Promise<void> {
    await page.evaluate(`window.fetch = () => new Promise(() => undefined);
      IDBObjectStore.prototype.put = () => { throw new DOMException("", "InvalidStateError"); };`);
    await page.close();
  }

  test("a deletion can be undone with the keyboard, and nothing is deleted before", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await button(page, "Delete").focus();
    await page.keyboard.press("Enter");
    await bar(page).getByRole("heading", { name: "Deleted.", exact: true }).waitFor();
    await page.locator("#announcer").getByText("You can undo this for 10 seconds.").waitFor({ state: "attached" });
    await soon(async () => assert.equal(await page.evaluate("document.querySelector('main > *').inert"), true));
    assert.equal(await statusOf(shortId), 200);
    await page.keyboard.press("Enter");
    await button(page, "Copy link").waitFor();
    await soon(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "Delete"));
    await soon(async () => assert.equal(await page.evaluate("document.querySelector('main > *').inert"), false));
    assert.equal(await statusOf(shortId), 200);
  });

  test("deletes the share and forgets it when the undo time has passed", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const shortId = await send(page, "a.txt");
    await startDeletion(page);
    await page.clock.runFor(AFTER_UNDO_MS);
    await page.getByRole("link", { name: "Send something else" }).waitFor();
    assert.equal(await statusOf(shortId), 404);
    await soon(async () => assert.deepEqual(await page.getByRole("heading").allTextContents(), ["Deleted"]));
    await soon(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "Deleted"));
    await soon(async () => assert.equal(await page.locator("main").getByText("a.txt").count(), 0));
    await page.reload();
    await soon(async () => assert.equal(await bar(page).count(), 0));
  });

  test("says that other links with the files keep working", async () => {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    const key = (await clientOf(site.server).call("signUp", person)).data.sessionToken;
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const home = `http://localhost:${new URL(site.server.url).port}`;
    await page.context().addCookies([{ name: "session", value: key, url: home }]);
    await page.goto(home);
    await choose(page, "a.txt");
    await getLink(page);
    const shortId = await whenSent(page);
    const { id } = (await listFiles(site.server, key)).files[0] ?? assert.fail("no file");
    const other = (await clientOf(site.server, { key }).call("shareFiles", { fileIds: [id] })).data.shortId;
    await page.reload();
    await bar(page).getByText("also in 1 other link").waitFor();
    await startDeletion(page);
    await bar(page).getByText("Deleted. 1 other link with its files keeps working.").waitFor();
    await page.goto(home);
    await until("the share is deleted", async () => (await statusOf(shortId)) === 404);
    assert.equal(await statusOf(other), 200);
  });

  test("deletes the share when the page is left during the undo time", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await startDeletion(page);
    await page.goto(site.server.url);
    await until("the share is deleted", async () => (await statusOf(shortId)) === 404);
  });

  for (const [way, heading, leave] of [
    ["reloaded", DELETED, (page: Page) => page.reload()],
    [
      "left and opened again",
      // The device has forgotten the share on the front page.
      { name: "Link not found" },
      async (page: Page) => {
        await page.getByRole("link", { name: "filehost" }).first().click();
        await page.locator("#file").waitFor({ state: "attached" });
        // The list is also absent before its script has loaded.
        await until("the device has forgotten the share", async () => (await storedRecords(page, "shares")).length === 0);
        await page.goBack();
      },
    ],
  ] as const) {
    test(`a page that is ${way} while its share can be restored shows that the share is deleted`, async () => {
      await using opened = await openPage(site.browser);
      const { page } = opened;
      const shortId = await send(page, "a.txt");
      await startDeletion(page);
      await leave(page);
      await page.getByRole("heading", heading).waitFor();
      await soon(async () => assert.equal(await button(page, "Undo").count(), 0));
      await soon(async () => assert.equal(await page.locator("main").getByText("a.txt").count(), 0));
      assert.equal(await statusOf(shortId), 404);
      await page.goto(site.server.url, { waitUntil: "networkidle" });
      await soon(async () => assert.equal(await page.locator("#recent").count(), 0));
    });
  }

  test("an undo that comes too late shows that the share is deleted", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await startDeletion(page);
    await expire(shortId);
    await press(page, "Undo");
    await page.getByRole("heading", DELETED).waitFor();
    await soon(async () => assert.equal(await page.locator("main").getByText("a.txt").count(), 0));
    await page.reload({ waitUntil: "networkidle" });
    await soon(async () => assert.equal(await bar(page).count(), 0));
  });

  test("a deletion that a closed page has left offers no undo for a deleted share", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await startDeletion(page);
    const front = await page.context().newPage();
    await kill(page);
    await front.goto(site.server.url);
    await front.locator("#recent").getByText("Being deleted").waitFor();
    const share = await front.context().newPage();
    await expire(shortId);
    await share.goto(`${site.server.url}/d/${shortId}`);
    await share.getByRole("heading", DELETED).waitFor();
    await front.reload({ waitUntil: "networkidle" });
    await soon(async () => assert.equal(await front.locator("#recent").count(), 0));
  });

  test("a deletion that a closed page has left is completed at the next visit, or can be undone on the share's page", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    const closeMeanwhile = async (page: Page): Promise<Page> => {
      await startDeletion(page);
      const next = await page.context().newPage();
      await kill(page);
      return next;
    };
    const again = await closeMeanwhile(page);
    await again.goto(`${site.server.url}/d/${shortId}`);
    await press(again, "Undo");
    await button(again, "Copy link").waitFor();
    assert.equal(await statusOf(shortId), 200);
    const front = await closeMeanwhile(again);
    await front.clock.install();
    await front.goto(site.server.url);
    await front.locator("#recent").getByText("Being deleted").waitFor();
    assert.equal(await statusOf(shortId), 200);
    await front.clock.runFor(AFTER_UNDO_MS);
    await front.locator("#recent").waitFor({ state: "detached" });
    assert.equal(await statusOf(shortId), 404);
  });

  /** Deletes a share, and opens its page in another tab while that can be undone. */
  async function deleteInTwoTabs(page: Page): Promise<{ readonly shortId: string; readonly other: Page }> {
    const shortId = await send(page, "a.txt");
    await startDeletion(page);
    const other = await page.context().newPage();
    await other.goto(`${site.server.url}/d/${shortId}`);
    await button(other, "Undo").waitFor();
    return { shortId, other };
  }
  const leave = (page: Page) => page.goto(site.server.url, { waitUntil: "networkidle" });

  for (const undoing of ["first", "second"] as const) {
    test(`an undo in the ${undoing} of two tabs applies to both, also when they are left`, async () => {
      await using opened = await openPage(site.browser);
      const { page } = opened;
      const { shortId, other } = await deleteInTwoTabs(page);
      await press(undoing === "first" ? page : other, "Undo");
      for (const tab of [page, other]) await button(tab, "Copy link").waitFor();
      for (const tab of [page, other]) await leave(tab);
      await readyShares(page).waitFor();
      assert.equal(await statusOf(shortId), 200);
    });
  }

  test("an undo that a tab has missed applies to it when its undo time has passed", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const { shortId, other } = await deleteInTwoTabs(page);
    await page.evaluate("BroadcastChannel.prototype.postMessage = () => undefined");
    await press(page, "Undo");
    await button(page, "Copy link").waitFor();
    await other.clock.runFor(AFTER_UNDO_MS);
    await button(other, "Copy link").waitFor();
    assert.equal(await statusOf(shortId), 200);
  });

  test("deletes the share when the undo time has passed in all tabs", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const shortId = await send(page, "a.txt");
    await startDeletion(page);
    await page.clock.runFor(6_000);
    const other = await page.context().newPage();
    await other.goto(`${site.server.url}/d/${shortId}`);
    await button(other, "Undo").waitFor();
    await page.clock.runFor(5_000);
    await button(page, "Undo").waitFor();
    assert.equal(await statusOf(shortId), 200);
    await page.clock.runFor(6_000);
    for (const tab of [page, other]) await tab.getByRole("heading", DELETED).waitFor();
    assert.equal(await statusOf(shortId), 404);
  });

  test("a failed deletion is reported and can be tried again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const shortId = await send(page, "a.txt");
    await page.context().setOffline(true);
    await startDeletion(page);
    await page.clock.runFor(AFTER_UNDO_MS);
    await bar(page).getByText("Not deleted. Connection lost.").waitFor();
    await page.context().setOffline(false);
    await press(page, "Try again");
    await until("the share is deleted", async () => (await statusOf(shortId)) === 404);
  });

  test("a share that was deleted elsewhere is shown as everybody sees it when its page becomes visible again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const shortId = await send(page, "a.txt");
    const other = await page.context().newPage();
    await other.goto(`${site.server.url}/d/${shortId}`);
    await bar(other).getByText("no downloads yet").waitFor();
    await startDeletion(page);
    await page.clock.runFor(AFTER_UNDO_MS);
    await page.getByRole("heading", DELETED).waitFor();
    // Chromium without windows shows all tabs all the time.
    await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await other.getByRole("heading", { name: "Link not found" }).waitFor();
    await soon(async () => assert.equal(await other.locator("main").getByText("a.txt").count(), 0));
  });
});
