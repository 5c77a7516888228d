import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { askShare, clientOf, signedUrl, upload } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { uploadShipment } from "../support/pages/pages.ts";

/** pages, "The list of shares". */
describeUnless(browserMissing, "the list of shares in a browser", () => {
  const site = useBrowsedServer();
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;

  /** Opens the list as a new account, after `prepare` with its session. */
  async function open(prepare: (key: string) => Promise<unknown>, options: BrowserContextOptions = {}) {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    const { data } = await clientOf(site.server).call("signUp", person);
    await prepare(data.sessionToken);
    const opened = await openPage(site.browser, options);
    await opened.page.context().addCookies([{ name: "session", value: data.sessionToken, url: home() }]);
    await opened.page.goto(`${home()}/shares`);
    return { ...opened, key: data.sessionToken };
  }
  /** Opens the menu of a row. */
  const openMenu = (page: Page, name: string) => page.locator(".share-rows > li", { hasText: name }).locator("summary").click();
  async function choose(page: Page, action: "Edit" | "Share" | "Open" | "Delete", name: string): Promise<void> {
    await openMenu(page, name);
    await page.getByRole("link", { name: `${action} ${name}` }).click();
  }
  const isOpen = async (shortId: string): Promise<boolean> => (await askShare(site.server, shortId)).status === 200;

  for (const [device, options] of DEVICES)
    test(`closes a share when closing can no longer be undone, on ${device}`, async () => {
      let first = "";
      let second = "";
      await using opened = await open(async (key) => {
        first = (await upload(site.server, { bytes: "x", name: "first.txt" }, { key })).shortId;
        second = (await upload(site.server, { bytes: "x", name: "second.txt" }, { key })).shortId;
      }, options);
      const { page } = opened;
      await choose(page, "Delete", "first.txt");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.locator(".share-rows").getByRole("link", { name: "first.txt", exact: true }).waitFor();
      await soon(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "More: first.txt"));
      await choose(page, "Delete", "second.txt");
      await soon(async () => assert.equal(await page.locator(".share-rows > li:visible").count(), 1));
      if (device === "a phone") await assertAccessible(page, "closing");
      assert.deepEqual([await isOpen(first), await isOpen(second)], [true, true]);
      // The next one makes the one before final, and so does leaving the page.
      await choose(page, "Delete", "first.txt");
      await until("the second share is closed", async () => !(await isOpen(second)));
      await page.goto(home());
      await until("the first share is closed", async () => !(await isOpen(first)));
      await page.goto(`${home()}/shares?state=ended`);
      await soon(async () =>
        assert.deepEqual((await page.locator(".share-rows .name").allTextContents()).sort(), ["first.txt", "second.txt"]),
      );
      assert.deepEqual(opened.complaints, []);
    });

  test("says in how many other links the files are, and that closing leaves those", async () => {
    let first = "";
    let other = "";
    await using opened = await open(async (key) => {
      const { id, shortId } = await upload(site.server, { bytes: "x", name: "a.txt" }, { key });
      first = shortId;
      other = (await clientOf(site.server, { key }).call("shareFiles", { fileIds: [id], title: "The other" })).data.shortId;
    });
    const { page } = opened;
    await soon(async () => assert.equal(await page.locator(".share-rows").getByText("also in 1 other link").count(), 2));
    await page
      .locator(".share-rows > li", { has: page.locator(`[href$="${first}"]`) })
      .locator("summary")
      .click();
    await page.getByRole("link", { name: "Delete a.txt" }).click();
    await page.getByText("Deleted “a.txt”. 1 other link with its files keeps working.").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.goto(`${home()}/shares/${other}/close`);
    await page.getByText("1 other link with its files keeps working.").waitFor();
  });

  test("closes a share 10 seconds after the press, not before", async () => {
    let shortId = "";
    await using opened = await open(async (key) => {
      shortId = (await upload(site.server, { bytes: "x", name: "a.txt" }, { key })).shortId;
    });
    const { page } = opened;
    await page.clock.install();
    await page.reload();
    const row = page.locator(".share-rows").getByRole("link", { name: "a.txt", exact: true });
    const undo = page.getByRole("button", { name: "Undo" });
    const pressedAt = await page.evaluate<number>("Date.now()");
    await choose(page, "Delete", "a.txt");
    await undo.waitFor();
    await page.clock.pauseAt(pressedAt + 9_999);
    await undo.click();
    await page.clock.resume();
    await row.waitFor();
    assert.equal(await isOpen(shortId), true);
    await choose(page, "Delete", "a.txt");
    await undo.waitFor();
    const empty = page.getByText("You have no active shares.");
    await empty.waitFor();
    await page.clock.fastForward(10_000);
    await until("the share is closed", async () => !(await isOpen(shortId)));
    await soon(async () => assert.equal(await page.locator(".share-rows").count(), 0));
    await empty.waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  for (const [device, options] of DEVICES)
    test(`extends a share by one press, and undoes it, on ${device}`, async () => {
      await using opened = await open((key) => upload(site.server, { bytes: "x", name: "a.txt", fields: { ttl: "2h" } }, { key }), options);
      const { page, key } = opened;
      const daysLeft = async (): Promise<number> => {
        const { data } = await clientOf(site.server, { key }).call("listShares", {});
        return Math.round((Date.parse(data[0]?.expiresAt ?? "") - Date.now()) / 86_400_000);
      };
      const inspect = async (state: string) => device === "a phone" && (await assertAccessible(page, state));
      await openMenu(page, "a.txt");
      await inspect("the menu");
      await soon(async () =>
        assert.equal(await page.getByRole("button", { name: "Expire in 30 days" }).count(), 0, "more than the tier allows"),
      );
      await page.getByRole("button", { name: "Expire in 7 days" }).click();
      await page.getByText("Now expires in 7 days.").first().waitFor();
      await page.locator(".share-rows").getByText("expires in 7 days").waitFor();
      await inspect("extended");
      assert.equal(await daysLeft(), 7);
      await page.getByRole("button", { name: "Undo" }).click();
      await page
        .locator(".share-rows")
        .getByText(/expires in (2\shours|1\d\d\sminutes)/)
        .waitFor();
      assert.equal(await daysLeft(), 0);
      assert.deepEqual(opened.complaints, []);
    });

  for (const [device, options] of DEVICES)
    test(`is searched, and leads to the share, its link and its downloads, on ${device}`, async () => {
      let shortId = "";
      await using opened = await open(async (key) => {
        await upload(site.server, { bytes: "x", name: "a.txt", fields: { ttl: "2h" } }, { key });
        const shipment = await uploadShipment(site.server, { key, paths: ["report.pdf", "b.txt"], fields: { title: "Plans" } });
        shortId = shipment.shortId;
        await signedUrl(site.server, shipment.id);
      }, options);
      const { page } = opened;
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const names = page.locator(".share-rows .name");
      await soon(async () => assert.deepEqual((await names.allTextContents()).sort(), ["Plans", "a.txt"]));
      await page.getByRole("link", { name: "Expiring soon" }).click();
      await page.waitForURL(/state=/);
      await soon(async () => assert.deepEqual(await names.allTextContents(), ["a.txt"]));
      await page.goBack();
      await page.getByRole("searchbox").fill("REPORT");
      await page.getByRole("searchbox").press("Enter");
      await page.waitForURL(/q=REPORT/);
      await soon(async () => assert.deepEqual(await names.allTextContents(), ["Plans"]));
      await page.getByRole("button", { name: "Copy link Plans" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      await soon(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), `${home()}/d/${shortId}`));
      await page.getByRole("link", { name: "1 download Plans" }).click();
      await page.getByRole("heading", { name: /\d{4}/ }).waitFor();
      await page.getByRole("heading", { name: "Plans", exact: true }).waitFor();
      await page.getByRole("link", { name: "Open", exact: true }).waitFor();
      await soon(async () =>
        assert.match((await page.locator(".downloads-rows").textContent()) ?? "", /^\d{2}:\d{2}Command-line program · report\.pdf$/),
      );
      await page.goBack();
      await page.getByRole("link", { name: "Plans", exact: true }).click();
      await page.waitForURL(`${home()}/d/${shortId}`);
    });

  for (const [device, options] of DEVICES)
    test(`edits the settings of a share in a dialog above the list, on ${device}`, async () => {
      await using opened = await open((key) => upload(site.server, { bytes: "x", name: "a.txt" }, { key }), options);
      const { page, key } = opened;
      await choose(page, "Edit", "a.txt");
      const dialog = page.getByRole("dialog", { name: "Settings of “a.txt”" });
      await dialog.getByLabel("Title", { exact: true }).waitFor();
      await assertAccessible(page, "the settings");
      await dialog.getByLabel("Title", { exact: true }).fill("Plans");
      await dialog.getByLabel("Title", { exact: true }).blur();
      await dialog.getByText("Saved", { exact: true }).waitFor();
      await page.locator(".share-rows .name", { hasText: "Plans" }).waitFor();
      await dialog.getByRole("checkbox", { name: /^Require a code/ }).check();
      await dialog.locator("#sender-code", { hasText: /^[2-9A-Z]{6}$/ }).waitFor();
      await page.locator(".share-rows").getByText("needs a code").waitFor({ state: "attached" });
      await soon(async () => assert.equal(await dialog.getByRole("button", { name: "Done" }).count(), 0));
      await dialog.getByRole("button", { name: "Close the settings" }).click();
      await dialog.waitFor({ state: "detached" });
      await soon(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "More: Plans"));
      await choose(page, "Edit", "Plans");
      await page.getByRole("dialog").getByRole("button", { name: "Close the settings" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      assert.equal(new URL(page.url()).pathname, "/shares");
      const { data } = await clientOf(site.server, { key }).call("listShares", {});
      assert.deepEqual(
        data.map(({ title, unlockRequired }) => [title, unlockRequired]),
        [["Plans", true]],
      );
      assert.deepEqual(opened.complaints, []);
    });

  for (const [device, options] of DEVICES)
    test(`gives the link of a share in a dialog, and says when it was made, on ${device}`, async () => {
      await using opened = await open((key) => upload(site.server, { bytes: "x", name: "a.txt" }, { key }), options);
      const { page } = opened;
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await soon(async () => assert.match((await page.locator(".share-more").textContent()) ?? "", /^1.byte · \d\d:\d\d$/));
      await choose(page, "Share", "a.txt");
      const dialog = page.getByRole("dialog", { name: "Share “a.txt”" });
      await dialog.getByRole("button", { name: "Copy link" }).click();
      await dialog.getByText("Link copied").waitFor();
      const url = await page.evaluate<string>("navigator.clipboard.readText()");
      await dialog.locator(".qr").waitFor();
      await assertAccessible(page, "the link of a share");
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), options.viewport?.width));
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await until("the menu has the focus", async () => (await page.evaluate("document.activeElement.textContent")) === "More: a.txt");
      await choose(page, "Open", "a.txt");
      await page.waitForURL(url);
      assert.deepEqual(opened.complaints, []);
    });

  test("keeps what each share has in common out of sight, and says how large it is, on a phone", async () => {
    await using opened = await open(
      (key) => uploadShipment(site.server, { key, paths: ["a.txt", "b.txt"], fields: { title: "Plans" } }),
      DEVICES[0][1],
    );
    const { page } = opened;
    await page.locator(".share-contents", { hasText: /bytes · 2\sfiles/ }).waitFor();
    const downloads = page.locator(".share-downloads", { hasText: /0\sdownloads/ });
    await soon(async () => assert.equal((await downloads.boundingBox())?.width, 1, "screen readers read it"));
    await soon(async () => assert.equal(await page.getByRole("link", { name: /^Active/ }).textContent(), "Active 1"));
  });

  test("calls a share without a title by its folder, and otherwise by its first file", async () => {
    await using opened = await open(async (key) => {
      await uploadShipment(site.server, { key, paths: ["Trip to Rome/a.jpg", "Trip to Rome/Day 1/b.jpg"] });
      await uploadShipment(site.server, { key, paths: ["c.jpg", "d.jpg", "e.jpg"] });
    });
    await soon(async () =>
      assert.deepEqual((await opened.page.locator(".share-rows .name").allTextContents()).sort(), ["Trip to Rome", "c.jpg and 2 more"]),
    );
  });

  test("closes and extends by forms without JavaScript", async () => {
    let shortId = "";
    await using opened = await open(
      async (key) => {
        shortId = (await upload(site.server, { bytes: "x", name: "a.txt", fields: { ttl: "2h" } }, { key })).shortId;
      },
      { javaScriptEnabled: false },
    );
    const { page } = opened;
    await openMenu(page, "a.txt");
    await page.getByRole("button", { name: "Expire in 1 day" }).click();
    await page.getByText("The share now expires later.").waitFor();
    await page.getByText("expires in 24 hours").waitFor();
    await choose(page, "Delete", "a.txt");
    await page.getByRole("link", { name: "Keep it" }).click();
    await choose(page, "Delete", "a.txt");
    await page.getByRole("button", { name: "Delete the share" }).click();
    await page.getByText("The share is deleted.").waitFor();
    assert.equal(await isOpen(shortId), false);
  });
});
