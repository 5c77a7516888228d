import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts.ts";
import { call, getShare } from "../support/api.ts";
import { useBrowsedServer } from "../support/browsed-server.ts";
import { choose, getLink, shownShortId, textFile, whenSent } from "../support/sending.ts";
import { claim } from "../support/shares.ts";
import { withDatabase } from "../support/state.ts";

/** pages, "The sender's bar". */
describeUnless(browserMissing, "the bar of a share's sender", () => {
  const site = useBrowsedServer();

  const bar = (page: Page) => page.getByRole("region", { name: "Your share" });
  const button = (page: Page, name: string) => bar(page).getByRole("button", { name, exact: true });
  const press = (page: Page, name: string) => button(page, name).click();
  const statusOf = async (shortId: string) => (await call(site.server, "GET", `/api/files/share/${shortId}`)).status;
  const clipboard = (page: Page) => page.evaluate("navigator.clipboard.readText()").then(String);
  const setShare = (shortId: string, columns: { expires_at?: number; max_downloads?: number }) =>
    withDatabase(site.server, (db) => db.updateTable("shares").set(columns).where("short_id", "=", shortId).execute());

  /** Sends files from the front page; then the page shows the share with the bar. */
  async function send(page: Page, ...names: string[]): Promise<string> {
    await page.goto(site.server.url);
    await choose(page, ...names);
    await getLink(page);
    const shortId = await whenSent(page);
    await bar(page).getByText("no downloads yet").waitFor();
    return shortId;
  }

  /** Closes the page as a browser that ends: it sends and stores nothing more. */
  async function kill(page: Page): Promise<void> {
    await page.evaluate(`window.fetch = () => new Promise(() => undefined);
      IDBObjectStore.prototype.put = () => { throw new DOMException("", "InvalidStateError"); };`);
    await page.close();
  }

  /** Changes a field of the settings; resolves when it is saved. */
  async function edit(page: Page, id: string, value: string): Promise<void> {
    const field = page.locator(`#edit-${id}`);
    await field.fill(value);
    await field.blur();
    await bar(page).locator("label", { has: field }).getByText("Saved").waitFor();
  }

  test("is on the share's page after sending and after a reload, and not in another browser", async () => {
    await using opened = await openPage(site.browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await page.reload();
    await bar(page).getByText("You sent this.").waitFor();
    await press(page, "Copy link");
    await bar(page).getByText("Link copied").waitFor();
    assert.equal(new URL(await clipboard(page)).pathname, `/d/${shortId}`);
    await press(page, "Share");
    await bar(page).getByRole("img", { name: "QR code of the link" }).waitFor();
    assert.match((await bar(page).getByRole("link", { name: "Email" }).getAttribute("href")) ?? "", /^mailto:.*%2Fd%2F/);
    assert.deepEqual(opened.complaints, []);
    await using other = await openPage(site.browser);
    const scripts: string[] = [];
    other.page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
    await other.page.goto(`${site.server.url}/d/${shortId}`, { waitUntil: "networkidle" });
    assert.equal(await bar(other.page).count(), 0);
    assert.deepEqual(
      scripts.filter((url) => /\/(shares|main)-/.test(url)),
      [],
    );
  });

  for (const [width, names] of [
    [390, ["a.txt"]],
    [1280, ["a.txt", "b.txt"]],
  ] as const) {
    test(`keeps the position of the link and its button when sending ends, at ${width} pixels`, async () => {
      await using opened = await openPage(site.browser, { viewport: { width, height: 800 } });
      const { page } = opened;
      const batch = Promise.withResolvers<void>();
      await page.route("**/api/files/batch", async (route) => {
        await batch.promise;
        await route.continue();
      });
      await page.goto(site.server.url);
      await choose(page, ...names);
      await getLink(page);
      const copy = page.locator("#link + button");
      const places = async () => [await copy.boundingBox(), await page.locator("#link").boundingBox()];
      await copy.waitFor();
      const before = await places();
      batch.resolve();
      const shortId = await whenSent(page);
      await bar(page).getByText("No downloads yet").waitFor();
      assert.deepEqual(await places(), before);
      assert.equal(page.url(), `${site.server.url}/d/${shortId}`);
      assert.equal(await copy.evaluate((button) => button === document.activeElement), true);
      await page.locator("#announcer").getByText("Everything is sent.").waitFor({ state: "attached" });
      await page.reload();
      await bar(page).getByText("You sent this.").waitFor();
      assert.equal(await copy.count(), 0);
      assert.deepEqual(opened.complaints, []);
    });
  }

  test("shows that another tab is still sending, until it has ended", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const batch = Promise.withResolvers<void>();
    await page.route("**/api/files/batch", async (route) => {
      await batch.promise;
      await route.continue();
    });
    await page.goto(site.server.url);
    await choose(page, "a.txt");
    await getLink(page);
    await page.locator("#link").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${site.server.url}/d/${await shownShortId(page)}`);
    await bar(other).getByText("Being sent in another tab.").waitFor();
    assert.equal(await bar(other).getByText("Continue on the front page").count(), 0);
    batch.resolve();
    await whenSent(page);
    await bar(other).getByText("Being sent in another tab.").waitFor({ state: "detached" });
    assert.equal(await bar(other).getByText("Not all files are sent.").count(), 0);
    await other.locator("main").getByText("a.txt").first().waitFor();
  });

  test("changes title, message, expiry and downloads, each saved when it changes, and the page shows them", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt", "b.txt");
    await press(page, "Edit");
    await edit(page, "title", "Slides <b>for</b> Monday");
    await edit(page, "message", "Room 12\nat nine");
    await edit(page, "downloads", "2");
    await bar(page).getByText("2 downloads left").waitFor();
    assert.equal(await page.locator("#edit-downloads").evaluate((field) => field === document.activeElement), false);
    await page.locator("main").evaluate((main) => main.setAttribute("data-old", ""));
    await page.selectOption("#edit-expires", { label: "in 1 hour" });
    await page.locator("main").getByText("expires in 60 minutes").or(page.locator("main").getByText("expires in 1 hour")).first().waitFor();
    const share = await getShare(site.server, shortId);
    assert.deepEqual([share.title, share.message], ["Slides <b>for</b> Monday", "Room 12\nat nine"]);
    assert.ok(Date.parse(String(share.expires_at)) < Date.now() + 61 * 60_000);
    await page.locator("main:not([data-old])").waitFor();
    await edit(page, "downloads", "");
    await bar(page).getByText("no downloads yet").waitFor();
    await page.reload();
    await press(page, "Edit");
    assert.equal(await page.inputValue("#edit-title"), "Slides <b>for</b> Monday");
    assert.deepEqual(opened.complaints, []);
  });

  test("refuses a limit that would end the share, and explains why a change failed", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await send(page, "a.txt");
    await press(page, "Edit");
    await page.fill("#edit-downloads", "0");
    await page.locator("#edit-downloads").blur();
    await bar(page).getByRole("alert").getByText("Enter a number above 0, or nothing.").waitFor();
    await page.context().setOffline(true);
    await page.fill("#edit-title", "Never sent");
    await page.locator("#edit-title").blur();
    await bar(page).getByRole("alert").getByText("Connection lost.").waitFor();
  });

  test("a required code is shown, copied and remembered; recipients need it, and the sender does not", async () => {
    await using opened = await openPage(site.browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    const shortId = await send(page, "secret-plan.txt");
    await press(page, "Edit");
    await page.locator("#edit-protect").check();
    await page.locator("#sender-code").waitFor();
    const code = (await page.locator("#sender-code").textContent()) ?? "";
    assert.match(code, /^[A-Z0-9]{6}$/);
    await page.locator("main:not(:has(.code)) form[data-download]").first().waitFor();
    await press(page, "Copy code");
    await until("the code is copied", async () => (await clipboard(page)) === code);
    await using recipient = await openPage(site.browser);
    await recipient.page.goto(`${site.server.url}/d/${shortId}`);
    await recipient.page.fill("input.code", code);
    await recipient.page.keyboard.press("Enter");
    await recipient.page.locator("main:not(:has(.code)) form[data-download]").first().waitFor();
    await page.reload();
    await page.locator("main:not(:has(.code)) form[data-download]").first().waitFor();
    assert.equal(await page.locator("#sender-code").textContent(), code);
    await press(page, "Copy private link");
    await until("the private link is copied", async () => (await clipboard(page)).includes("/h/"));
    const privateLink = await clipboard(page);
    await press(page, "Edit");
    await press(page, "Replace the code");
    await until("the code is replaced", async () => (await page.locator("#sender-code").textContent()) !== code);
    assert.equal((await fetch(privateLink)).status, 404);
    await page.locator("#edit-protect").uncheck();
    await page.locator("#sender-code").waitFor({ state: "detached" });
    assert.equal((await getShare(site.server, shortId)).unlockRequired, false);
  });

  test("adds files to the same link with progress, and leaving meanwhile asks for confirmation", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    const batch = Promise.withResolvers<void>();
    await page.route("**/api/files/batch", async (route) => {
      await batch.promise;
      await route.continue();
    });
    await press(page, "Add files");
    await page.setInputFiles("#add-files", [textFile("b.txt"), textFile("c.txt")]);
    await bar(page).getByRole("progressbar").first().waitFor();
    const asked = Promise.withResolvers<string>();
    page.once("dialog", async (dialog) => {
      asked.resolve(dialog.type());
      await dialog.dismiss();
    });
    await page.evaluate("void setTimeout(() => location.reload())");
    assert.equal(await asked.promise, "beforeunload");
    batch.resolve();
    await page.locator("main").getByText("c.txt").first().waitFor();
    await page.locator("#announcer").getByText("2 files were added.").waitFor({ state: "attached" });
    const { files } = await getShare(site.server, shortId);
    assert.deepEqual(files?.map(({ name }) => name).sort(), ["a.txt", "b.txt", "c.txt"]);
    assert.equal(await page.locator("#sender-add").count(), 0);
  });

  test("added files get different paths like chosen ones, and a file of the share is not added again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const folder = await mkdtemp(join(tmpdir(), "filehost-same-"));
    const path = join(folder, "same.txt");
    await writeFile(path, "one");
    await page.goto(site.server.url);
    await page.setInputFiles("#file", path);
    await getLink(page);
    const shortId = await whenSent(page);
    await press(page, "Add files");
    await page.setInputFiles("#add-files", path);
    await bar(page).getByText("These files are in the share already.").waitFor();
    await writeFile(path, "another");
    await page.setInputFiles("#add-files", path);
    await page.locator("#announcer").getByText("1 file was added.").waitFor({ state: "attached" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Add files");
    const { files } = await getShare(site.server, shortId);
    assert.deepEqual(files?.map(({ relativePath }) => relativePath).sort(), ["same (2).txt", "same.txt"]);
    await rm(folder, { recursive: true });
  });

  test("a cancelled addition keeps the share", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await page.route("**/api/files/batch", () => undefined);
    await press(page, "Add files");
    await page.setInputFiles("#add-files", textFile("b.txt"));
    await press(page, "Cancel");
    await page.locator("#add-files").waitFor();
    assert.equal(await statusOf(shortId), 200);
  });

  test("a deletion can be undone with the keyboard, and nothing is deleted before", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await button(page, "Delete").focus();
    await page.keyboard.press("Enter");
    await bar(page).getByRole("heading", { name: "Being deleted.", exact: true }).waitFor();
    await page.locator("#announcer").getByText("You can undo this for 10 seconds.").waitFor({ state: "attached" });
    assert.equal(await page.evaluate("document.querySelector('main > *').inert"), true);
    assert.equal(await statusOf(shortId), 200);
    await page.keyboard.press("Enter");
    await button(page, "Copy link").waitFor();
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Delete");
    assert.equal(await page.evaluate("document.querySelector('main > *').inert"), false);
    assert.equal(await statusOf(shortId), 200);
  });

  test("a share is deleted when the time to undo has passed, and forgotten", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const shortId = await send(page, "a.txt");
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
    await page.clock.runFor(11_000);
    await bar(page).getByRole("link", { name: "Send something else" }).waitFor();
    assert.equal(await statusOf(shortId), 404);
    await page.getByRole("heading", { name: "Link not found" }).waitFor();
    await page.reload();
    assert.equal(await bar(page).count(), 0);
  });

  test("a share is deleted when the page is left during the undo time", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
    await page.goto(site.server.url);
    await until("the share is deleted", async () => (await statusOf(shortId)) === 404);
  });

  for (const [way, leave] of [
    ["reloaded", (page: Page) => page.reload()],
    [
      "left and opened again",
      async (page: Page) => {
        await page.getByRole("link", { name: "filehost" }).first().click();
        await page.locator("#file").waitFor({ state: "attached" });
        await page.locator("#recent").waitFor({ state: "detached" });
        await page.goBack();
      },
    ],
  ] as const) {
    test(`a page that is ${way} while its share can be restored shows that the share is deleted`, async () => {
      await using opened = await openPage(site.browser);
      const { page } = opened;
      const shortId = await send(page, "a.txt");
      await press(page, "Delete");
      await button(page, "Undo").waitFor();
      await leave(page);
      await page.getByRole("heading", { name: "Link not found" }).waitFor();
      assert.equal(await button(page, "Undo").count(), 0);
      assert.equal(await page.locator("main").getByText("a.txt").count(), 0);
      assert.equal(await statusOf(shortId), 404);
      await page.goto(site.server.url, { waitUntil: "networkidle" });
      assert.equal(await page.locator("#recent").count(), 0);
    });
  }

  test("an undo that comes too late shows that the share is deleted", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
    await setShare(shortId, { expires_at: Date.now() - 1000 });
    await press(page, "Undo");
    await bar(page).getByText("Deleted.", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "This link has expired" }).waitFor();
    assert.equal(await page.locator("main").getByText("a.txt").count(), 0);
    await page.reload({ waitUntil: "networkidle" });
    assert.equal(await bar(page).count(), 0);
  });

  test("a deletion that a closed page has left offers no undo for a deleted share", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
    const front = await page.context().newPage();
    await kill(page);
    await front.goto(site.server.url);
    await front.locator("#recent").getByText("Being deleted").waitFor();
    const share = await front.context().newPage();
    await setShare(shortId, { expires_at: Date.now() - 1000 });
    await share.goto(`${site.server.url}/d/${shortId}`);
    await bar(share).getByText("Deleted.", { exact: true }).waitFor();
    await front.reload({ waitUntil: "networkidle" });
    assert.equal(await front.locator("#recent").count(), 0);
  });

  test("a deletion that a closed page has left is completed at the next visit, or can be undone on the share's page", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    const closeMeanwhile = async (page: Page): Promise<Page> => {
      await press(page, "Delete");
      await button(page, "Undo").waitFor();
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
    await front.clock.runFor(11_000);
    await front.locator("#recent").waitFor({ state: "detached" });
    assert.equal(await statusOf(shortId), 404);
  });

  /** Deletes a share, and opens its page in another tab while that can be undone. */
  async function deleteInTwoTabs(page: Page): Promise<{ readonly shortId: string; readonly other: Page }> {
    const shortId = await send(page, "a.txt");
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
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
      await page.locator("#recent").getByText("Ready").waitFor();
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
    await other.clock.runFor(11_000);
    await button(other, "Copy link").waitFor();
    assert.equal(await statusOf(shortId), 200);
  });

  test("a share is deleted when the undo time has passed in all tabs", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const shortId = await send(page, "a.txt");
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
    await page.clock.runFor(6_000);
    const other = await page.context().newPage();
    await other.goto(`${site.server.url}/d/${shortId}`);
    await button(other, "Undo").waitFor();
    await page.clock.runFor(5_000);
    await button(page, "Undo").waitFor();
    assert.equal(await statusOf(shortId), 200);
    await page.clock.runFor(6_000);
    for (const tab of [page, other]) await bar(tab).getByText("Deleted.", { exact: true }).waitFor();
    assert.equal(await statusOf(shortId), 404);
  });

  test("a failed deletion is reported and can be tried again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.clock.install();
    const shortId = await send(page, "a.txt");
    await page.context().setOffline(true);
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
    await page.clock.runFor(11_000);
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
    await press(page, "Delete");
    await button(page, "Undo").waitFor();
    await page.clock.runFor(11_000);
    await bar(page).getByText("Deleted.", { exact: true }).waitFor();
    // Chromium without windows shows all tabs all the time.
    await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await other.getByRole("heading", { name: "Link not found" }).waitFor();
    assert.equal(await other.locator("main").getByText("a.txt").count(), 0);
  });

  test("an ended share is reported and can be forgotten", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await setShare(shortId, { expires_at: Date.now() - 1000 });
    await page.reload();
    await bar(page).getByText("This share has ended.").waitFor();
    await press(page, "Remove from this device");
    await bar(page).waitFor({ state: "detached" });
    await page.reload({ waitUntil: "networkidle" });
    assert.equal(await bar(page).count(), 0);
  });

  test("a claimed share is reported", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const changing = page.waitForRequest((request) => request.method() === "PATCH");
    const shortId = await send(page, "a.txt");
    const { claimToken } = (await changing).postDataJSON() as { claimToken: string };
    await claim(site.server, { id: shortId, claimToken }, (await addAccount(site.server)).key);
    await page.reload();
    await bar(page).getByText("This share belongs to an account.").waitFor();
  });

  test("fits a narrow screen with each panel, even with text of twice the size, and keeps its controls large enough", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    await send(page, "a.txt");
    for (const panel of ["Share", "Add files", "Edit"]) {
      await press(page, panel);
      for (const size of ["100%", "200%"]) {
        const width = await page.locator("html").evaluate((html, fontSize) => {
          html.style.fontSize = fontSize;
          return html.scrollWidth;
        }, size);
        assert.equal(width, 320, `${panel} ${size}`);
      }
    }
    for (const control of await bar(page).getByRole("button").all())
      assert.ok(((await control.boundingBox())?.height ?? 0) >= 44, (await control.textContent()) ?? "");
  });
});
