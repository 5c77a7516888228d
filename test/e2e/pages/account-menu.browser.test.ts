import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { accountMenu, homeOf, signOut } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { tapOrClick } from "../support/pages/devices.ts";
import { tabTo, waitForFocus } from "../support/pages/keyboard.ts";
import { textFile } from "../support/pages/sending.ts";

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const VIEWPORTS = [
  ["a desktop", DESKTOP],
  ["a phone", PHONE],
] as const;

/** pages, "The header of an account"; notices, "The list". */
describeUnless(browserMissing, "the header of an account", () => {
  const site = useBrowsedServer();

  /** Opens a page as a new person who has one file. */
  async function open(path: string, options: BrowserContextOptions) {
    const { key, userId } = await addAccount(site.server);
    const home = homeOf(site.server);
    const file = await upload(site.server, { name: "told.txt", bytes: "12345", fields: { notify: "true" } }, { key });
    const opened = await openPage(site.browser, options);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(site.server, { userId }), url: home }]);
    await page.goto(home + path);
    return { ...opened, home, file, client: clientOf(site.server, { key }), link: menuLink(page) };
  }
  const menuLink = (page: Page) => (name: string | RegExp) => page.locator("#account-menu").getByRole("link", { name });
  const isClosed = (menu: Locator) => menu.locator("..").and(menu.page().locator("details:not([open])")).waitFor();

  for (const [device, options] of VIEWPORTS) {
    test(`shows the name, the used storage and the settings, and signs out, on ${device}`, async () => {
      const opened = await open("/shares", options);
      await using _ = opened;
      const { page, home, link } = opened;
      const menu = accountMenu(page, "A person");
      await tapOrClick(menu, options);
      await link("Storage 5 bytes of 10 GB used").waitFor();
      await assertAccessible(page, "open menu");
      // On a phone, the ground beside the menu covers the page.
      if (options.hasTouch) await page.touchscreen.tap(200, 200);
      else await page.getByRole("heading", { level: 1 }).click();
      await isClosed(menu);
      // The list of files has a script of its own.
      for (const [from, name, to] of [
        ["/shares", /^Storage/, "/settings/usage"],
        ["/files", "Settings", "/settings"],
        ["/files", "Help and documentation", "/docs"],
      ] as const) {
        await page.goto(home + from);
        await tapOrClick(menu, options);
        await tapOrClick(link(name), options);
        await page.waitForURL(home + to);
      }
      await page.goto(`${home}/notices`);
      await tapOrClick(menu, options);
      await signOut(page);
      await page.getByRole("link", { name: "Sign in" }).waitFor();
      await page.goto(`${home}/shares`);
      assert.equal(new URL(page.url()).pathname, "/signin");
      assert.deepEqual(opened.complaints, []);
    });

    test(`works without scripts, on ${device}`, async () => {
      const opened = await open("/files", { ...options, javaScriptEnabled: false });
      await using _ = opened;
      const { page, link } = opened;
      await tapOrClick(accountMenu(page, "A person"), options);
      await link("Settings").waitFor();
      await tapOrClick(page.getByRole("button", { name: "Sign out", exact: true }), options);
      await page.getByRole("link", { name: "Sign in" }).waitFor();
    });

    test(`reads a notice when its page is opened, also after going back, on ${device}`, async () => {
      const opened = await open("/", options);
      await using _ = opened;
      const { page, home, file, client } = opened;
      await clientOf(site.server).call("authorizeDownload", { fileId: file.id });
      await page.goto(`${home}/notices`);
      await page.getByRole("link", { name: "Notices: 1 new" }).waitFor();
      await tapOrClick(page.getByRole("link", { name: "told.txt" }), options);
      await page.waitForURL(`${home}/d/${file.shortId}`);
      await page.getByRole("link", { name: "Notices", exact: true }).waitFor();
      assert.equal((await client.call("listNotices", {})).data.unread, 0);
      await page.goBack();
      await page.getByRole("link", { name: "Notices", exact: true }).first().waitFor();
      await page.getByText("New", { exact: true }).waitFor({ state: "detached" });
      await page.getByRole("link", { name: "told.txt" }).waitFor();
    });
  }

  test("is used with the keyboard", async () => {
    const opened = await open("/shares", DESKTOP);
    await using _ = opened;
    const { page, home } = opened;
    const menu = accountMenu(page, "A person");
    await tabTo(page, /A person$/);
    await page.keyboard.press("Enter");
    await tabTo(page, "Settings");
    await page.keyboard.press("Escape");
    await isClosed(menu);
    await waitForFocus(page, /A person$/);
    // The arrows open the menu, and move in it from the last item to the first.
    await page.keyboard.press("ArrowDown");
    await waitForFocus(page, /^Storage/);
    await page.keyboard.press("ArrowUp");
    await waitForFocus(page, "Sign out");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await waitForFocus(page, "Settings");
    await page.keyboard.press("Escape");
    await waitForFocus(page, /A person$/);
    await page.keyboard.press("Space");
    await tabTo(page, "Sign out");
    // The focus leaves the menu.
    await page.keyboard.press("Tab");
    await isClosed(menu);
    await tabTo(page, /A person$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await tabTo(page, "Sign out");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${home}/`);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
  });

  test("has the places in a bar at the bottom on a phone, which covers no content and no button", async () => {
    for (const width of [390, 320]) {
      const opened = await open("/", { ...PHONE, viewport: { width, height: 844 } });
      await using _ = opened;
      const { page, home } = opened;
      const bar = page.locator(".app-links");
      for (const [name, path] of [
        ["Files", "/files"],
        ["Requests", "/requests"],
        ["Shares", "/shares"],
        ["Send", "/"],
      ] as const) {
        await bar.getByRole("link", { name }).tap();
        await page.waitForURL(home + path);
        await bar.getByRole("link", { name, exact: true }).and(page.locator("[aria-current=page]:has(svg)")).waitFor();
        await assertAccessible(page, `${path} at ${width} pixels`);
      }
      const topOf = async (locator: Locator) => (await locator.boundingBox())?.y ?? Number.NaN;
      /** Browsers scroll by whole pixels. */
      const bottomOf = async (locator: Locator) => {
        const box = await locator.boundingBox();
        return box ? Math.floor(box.y + box.height) : Number.NaN;
      };
      await page.setInputFiles(
        "#file",
        Array.from({ length: 40 }, (_, n) => textFile(`${n}.txt`)),
      );
      const send = page.getByRole("button", { name: "Get a link" });
      await send.waitFor();
      await until("the button is above the bar", async () => (await bottomOf(send)) <= (await topOf(bar)));
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      await until("the end of the page is above the bar", async () => (await bottomOf(page.locator("footer"))) <= (await topOf(bar)));
    }
  });
});
