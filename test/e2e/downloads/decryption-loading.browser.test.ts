import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { useSealingSite } from "../support/encryption/sealing-site.ts";
import { DEVICES } from "../support/pages/devices.ts";

const FILES = { "trip/a.bin": Buffer.from([0, 1, 2]), "trip/b.bin": Buffer.from([0, 3, 4]) };

/** encryption, "On the page". */
describeUnless(browserMissing, "the page of encrypted files whose script has not loaded", () => {
  const site = useSealingSite();
  /** Holds all scripts of the page back until they are released. */
  async function holdScripts(page: Page): Promise<() => void> {
    const released = Promise.withResolvers<void>();
    // This one runs before the page is shown.
    await page.route(/\/assets\/(?!senderBarSpace).*\.js$/, async (route) => {
      await released.promise;
      await route.continue().catch(() => undefined);
    });
    return released.resolve;
  }

  /** Returns where the buttons above the list, and the list, begin. */
  const positions = (page: Page): Promise<readonly number[]> =>
    page
      .locator("form[data-download] .button:not(.small, .selection *), form[data-download] > .link, .download .actions > .link, #entries")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top));

  for (const [device, options] of DEVICES)
    test(`offers only the encrypted files under this name, and moves nothing when it has, on ${device}`, async () => {
      // The name of a file whose downloads are limited is not shown, so that it moves nothing either.
      for (const link of [
        await site.sender.sendSeveral(FILES),
        await site.sender.sendOne("a.bin", FILES["trip/a.bin"], { maxDownloads: "9" }),
      ]) {
        await using opened = await openPage(site.browser, options);
        const { page, complaints } = opened;
        const release = await holdScripts(page);
        await page.goto(link, { waitUntil: "commit" });
        const main = page.getByRole("button", { name: /^(?:Download all|Decrypt and download)/ });
        await main.waitFor();
        await soon(async () => assert.ok(await main.isDisabled()));
        const encrypted = page.getByRole("button", { name: "Download encrypted", exact: true, includeHidden: true });
        await encrypted.and(page.locator("details :enabled")).first().waitFor({ state: "attached" });
        // The buttons of rows would download encrypted files too.
        await soon(async () => assert.deepEqual(await page.locator("#entries .get:visible").count(), 0));
        const before = await positions(page);
        assert.ok(before.length >= 2);
        release();
        await main.and(page.locator("[data-decrypt]:enabled")).waitFor();
        await page.waitForFunction(() => !document.querySelector("#entries button[data-bytes]:not([data-path])"));
        await soon(async () =>
          assert.equal(await page.locator("#entries .get:visible").count(), await page.locator("#entries .get").count()),
        );
        await soon(async () => assert.deepEqual(await positions(page), before));
        assert.deepEqual(complaints, []);
      }
    });

  test("has no button without scripts that decrypts, and says how to decrypt", async () => {
    for (const link of [await site.sender.sendSeveral(FILES), await site.sender.sendOne("a.bin", FILES["trip/a.bin"])]) {
      await using opened = await openPage(site.browser, { javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
      const { page } = opened;
      await page.goto(link);
      await page.getByText("To decrypt, turn on JavaScript, or use the program filehost:").waitFor();
      await soon(async () => assert.equal(await page.getByRole("button", { name: /^(?:Download all|Decrypt and download)/ }).count(), 0));
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download encrypted", exact: true }).click(),
      ]);
      assert.match(download.suggestedFilename(), /\.zip$|\.age$/);
    }
  });
});
