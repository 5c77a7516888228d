import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf, getShare, signedUrl, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { bar } from "../support/pages/sender-bar.ts";
import { choose, getLink, whenSent } from "../support/pages/sending.ts";
import { shareFiles } from "../support/shares/shares.ts";

/** sharing, "Sharing again"; pages, "The list of shares" and "Closed shares". */
describeUnless(browserMissing, "ended shares in a browser", () => {
  const site = useBrowsedServer();
  const close = (owner: Account, shortId: string) => clientOf(site.server, owner).call("closeShare", { shortId });
  const listEnded = async (owner: Account) => (await clientOf(site.server, owner).call("listShares", { state: "ended" })).data;

  async function open(owner: Account, path: string, options: BrowserContextOptions) {
    const opened = await openPage(site.browser, options);
    await opened.page.context().addCookies([{ name: "session", value: await startSession(site.server, owner), url: homeOf(site.server) }]);
    await opened.page.goto(homeOf(site.server) + path);
    return opened;
  }
  const openMenu = (page: Page, name: string) => page.locator(".share-rows > li", { hasText: name }).locator("summary").click();
  /** Makes an account with a closed share whose file has another link, and a used up one whose file was removed. */
  async function prepare() {
    const owner = await addAccount(site.server);
    const file = await upload(site.server, { name: "kept.txt" }, owner);
    const kept = await shareFiles(site.server, { fileIds: [file.id], title: "Kept", protect: true }, owner.key);
    await close(owner, kept.shortId);
    const usedUp = await upload(site.server, { name: "gone.txt", fields: { once: "true" } }, owner);
    await signedUrl(site.server, usedUp.id);
    return { owner, kept, usedUp };
  }

  for (const [device, options] of DEVICES) {
    test(`are shared again from the menu, with a code that the bar shows, on ${device}`, async () => {
      const { owner, kept } = await prepare();
      await using opened = await open(owner, "/shares?state=ended", options);
      const { page } = opened;
      await soon(async () => assert.deepEqual(await page.locator(".tabs a").allTextContents(), ["Active 1", "Expiring soon 0", "Ended 2"]));
      await page.locator(".share-rows > li", { hasText: "gone.txt" }).locator("summary").focus();
      await page.keyboard.press("Enter");
      await page.getByText("The files were removed.").waitFor();
      await soon(async () => assert.equal(await page.getByRole("link", { name: "Send the files again" }).getAttribute("href"), "/"));
      await assertAccessible(page, "the menu of an ended share");
      await page.keyboard.press("Escape");
      await openMenu(page, "Kept");
      await page.getByRole("button", { name: "Share again Kept" }).click();
      await page.waitForURL((url) => url.pathname.startsWith("/d/"));
      await bar(page)
        .locator("#sender-code", { hasText: /^[2-9A-Z]{6}$/ })
        .waitFor();
      assert.notEqual(new URL(page.url()).pathname, `/d/${kept.shortId}`);
      assert.deepEqual(opened.complaints, []);
    });

    test(`keep the key of encrypted files, also of the one that is left, on ${device}`, async () => {
      const owner = await addAccount(site.server);
      await using opened = await open(owner, "/", options);
      const { page } = opened;
      page.setDefaultTimeout(20_000);
      await page.locator("#options > summary").click();
      await page.getByLabel("Encrypt end to end").check();
      await choose(page, "left.txt", "gone.txt");
      await getLink(page);
      const shortId = await whenSent(page);
      const [key = ""] = /^#key=[^&]+/.exec(new URL(page.url()).hash) ?? [];
      assert.notEqual(key, "");
      const [first] = (await getShare(site.server, shortId)).data.files ?? [];
      // The file that another link has stays when the share ends.
      await shareFiles(site.server, { fileIds: [first?.id ?? ""] }, owner.key);
      await close(owner, shortId);
      await page.goto(`${homeOf(site.server)}/d/${shortId}`);
      await page.getByRole("button", { name: "Share 1 remaining file again" }).click();
      await page.waitForURL((url) => url.pathname.startsWith("/d/") && url.pathname !== `/d/${shortId}`);
      await page.locator("h1", { hasText: /^(left|gone)\.txt$/ }).waitFor();
      await bar(page).locator(`#link[href$="${key}"]`).waitFor();
      // The page of the ended share is a 404, and the page before it was reading a file when that ended.
      assert.deepEqual(
        opened.complaints.filter((text) => !/status of 404/.test(text)),
        [],
      );
    });

    test(`are removed from the list, which can be undone, on ${device}`, async () => {
      const { owner } = await prepare();
      await using opened = await open(owner, "/shares?state=ended", options);
      const { page } = opened;
      const remove = async (name: string): Promise<void> => {
        await openMenu(page, name);
        await page.getByRole("button", { name: `Remove from list ${name}` }).click();
        await page.getByText(`Removed “${name}” from the list.`).first().waitFor();
      };
      await remove("gone.txt");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.locator(".share-rows .name", { hasText: "gone.txt" }).waitFor();
      await remove("gone.txt");
      await until("the first one is removed", async () => (await listEnded(owner)).length === 1);
      await page.locator(".tabs a", { hasText: /^Ended 1$/ }).waitFor();
      const empty = page.getByText("No share has ended in the last 30 days.");
      await remove("Kept");
      await empty.waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await empty.waitFor({ state: "hidden" });
      await remove("Kept");
      await empty.waitFor();
      await assertAccessible(page, "the list without its last row");
      await page.goto(`${homeOf(site.server)}/shares`);
      await until("leaving the page removes the other one", async () => (await listEnded(owner)).length === 0);
    });

    test(`say on their own page and on that of their downloads what can be done, on ${device}`, async () => {
      const { owner, kept, usedUp } = await prepare();
      await using opened = await open(owner, `/d/${usedUp.shortId}`, options);
      const { page } = opened;
      await page.getByText("It was your own link. The files were removed.").waitFor();
      await page.getByRole("link", { name: "Send the files again" }).waitFor();
      await assertAccessible(page, "the page of a used up share for its owner");
      await page.getByRole("button", { name: "Remove from list" }).click();
      await page.getByText("The share is no longer in the list.").waitFor();
      await page.goto(`${homeOf(site.server)}/shares/${kept.shortId}/downloads`);
      await page.getByText("You still have the files.").waitFor();
      await assertAccessible(page, "the downloads of an ended share");
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), options.viewport?.width));
      await page.getByRole("button", { name: "Share again" }).dblclick();
      await page.waitForURL((url) => url.pathname.startsWith("/d/"));
      const { data } = await clientOf(site.server, owner).call("listShares", {});
      assert.equal(data.filter(({ title }) => title === "Kept").length, 1, "a double click makes one share");
    });
  }
});
