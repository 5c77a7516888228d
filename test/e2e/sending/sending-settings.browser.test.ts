import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { getShare } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { getLink, shownShortId, storedRecords, whenSent } from "../support/pages/sending.ts";

const MB = 1024 ** 2;
const PART = /\/up\/[^/]+\/\d+/;
const TITLE = "Trip to Rome";

/** pages, "The settings of a share". */
describeUnless(browserMissing, "the settings of a share while its files are sent", () => {
  const site = useBrowsedServer();

  /** Sends a file whose parts wait for `release`. */
  async function beginSlowly(page: Page): Promise<{ readonly shortId: string; release(): void }> {
    const held = Promise.withResolvers<void>();
    await page.route(PART, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(site.server.url);
    await page.setInputFiles("#file", { name: "slow.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(5 * MB, "slow") });
    await getLink(page);
    await page.locator("[data-link]").waitFor();
    return { shortId: await shownShortId(page), release: held.resolve };
  }

  const openSettings = async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Title", { exact: true }).waitFor();
  };

  for (const [device, options] of DEVICES)
    test(`are below its link, and the card shows the code and the private link that they make, on ${device}`, async () => {
      const { server, browser } = site;
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const { shortId, release } = await beginSlowly(page);
      await openSettings(page);
      await page.getByLabel("Title", { exact: true }).fill(TITLE);
      await page.getByLabel("Title", { exact: true }).blur();
      await page.locator(".share-setting", { hasText: "Title" }).getByText("Saved").waitFor();
      assert.equal((await getShare(server, shortId)).title, TITLE);
      await page.getByLabel("Require a code").check();
      const code = await page.locator("#sender-code").textContent();
      assert.match(code ?? "", /^[0-9A-Z]{6}$/);
      await soon(async () => assert.equal((await storedRecords(page, "shares"))[0]?.unlockCode, code));
      await assertAccessible(page, "the settings while files are sent");

      await page.getByRole("button", { name: "Done" }).click();
      await soon(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), "sender-edit-tool"));
      await page.locator("#sender-code").waitFor();
      release();
      assert.equal(await whenSent(page), shortId);
      await page.getByRole("heading", { name: TITLE }).waitFor();
      assert.deepEqual(opened.complaints, []);
    });

  test("stay open when everything is sent, and the page of the share opens once they are closed", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const { shortId, release } = await beginSlowly(page);
    await openSettings(page);
    await page.getByLabel("Message").fill("The first half of a sentence");
    release();
    await page.getByRole("link", { name: "Continue to the share page" }).waitFor();
    await soon(async () => assert.equal(await page.getByLabel("Message").inputValue(), "The first half of a sentence"));
    await page.getByRole("button", { name: "Done" }).click();
    assert.equal(await whenSent(page), shortId);
    await page.getByText("The first half of a sentence").first().waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("say that the share has ended", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const { shortId, release } = await beginSlowly(page);
    const [share] = await storedRecords(page, "shares");
    const removed = await fetch(`${site.server.url}/api/files/delete?fileId=${shortId}&token=${String(share?.deletionToken)}`, {
      method: "DELETE",
    });
    assert.equal(removed.status, 200, await removed.text());
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByText("This share has ended").first().waitFor();
    release();
  });
});
