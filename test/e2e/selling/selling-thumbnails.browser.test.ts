import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { pngOf } from "../../support/formats/images.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf } from "../support/accounts/person.ts";
import { assertRefused, authorize, clientOf, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { addSeller, type SellingServer, startSellingServer } from "../support/shares/selling.ts";
import { fetchCard, waitForThumbnail } from "../support/shares/thumbnails.ts";

const WITHOUT_SCRIPTS: BrowserContextOptions = { javaScriptEnabled: false };

/** selling, "Prices". */
describeUnless(browserMissing, "thumbnails of a share with a price", () => {
  let stripe: TestStripe;
  const picture = pngOf(600, 400);
  let server: ServerWithBrowser<SellingServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(startSellingServer({ events: "none" }));
    ({ stripe, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const shown = (page: Page) => page.locator("main img");

  for (const [device, options] of [...DEVICES, ["a desktop without scripts", WITHOUT_SCRIPTS]] as const) {
    test(`are shown before the payment if the seller allows it, and no longer afterwards, on ${device}`, async () => {
      const hasScripts = options.javaScriptEnabled !== false;
      const seller = await addSeller(server, stripe);
      const file = await upload(server, { name: "view.png", type: "image/png", bytes: picture }, { key: seller.key });
      const before = await waitForThumbnail(server, file.shortId);
      await clientOf(server, seller).call("updateShareSettings", { fileId: file.id, priceCents: 499, maxDownloads: 5 });
      assert.equal((await fetch(before)).ok, false);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const sharePage = `${homeOf(server)}/d/${file.shortId}`;
      await page.goto(sharePage);
      await page.getByRole("button", { name: "Buy for $4.99" }).waitFor();
      await soon(async () => assert.equal(await shown(page).count(), 0));
      assert.equal((await fetchCard(server, file.shortId)).status, 404);

      await using own = await openPage(browser, options);
      if (hasScripts) {
        await own.page.context().addCookies([{ name: "session", value: await startSession(server, seller), url: homeOf(server) }]);
        const setting = own.page.getByLabel("Show thumbnails before the payment");
        await own.page.goto(`${homeOf(server)}/files`);
        await own.page
          .getByRole("button", { name: "view.png" })
          .or(own.page.getByRole("link", { name: "view.png" }))
          .first()
          .click();
        await setting.click();
        await own.page.locator(".sender-note").getByText("Saved").waitFor();
        await soon(async () => assert.equal(await setting.isChecked(), true));
      } else await clientOf(server, seller).call("updateShareSettings", { fileId: file.id, priceThumbnails: true });

      await page.goto(sharePage);
      const image = shown(page).first();
      await image.waitFor();
      if (hasScripts) {
        await soon(async () =>
          assert.equal(
            await page.evaluate(`(async (image) => (await image.decode(), image.naturalWidth))(document.querySelector("main img"))`),
            480,
          ),
        );
        await assertAccessible(page, "offer with a thumbnail");
      }
      const url = (await image.getAttribute("src")) ?? "";
      assert.equal((await fetch(url)).headers.get("content-type"), "image/webp");
      assert.equal((await fetchCard(server, file.shortId)).status, 200);
      assertRefused(await authorize(server, file.id), { status: 402, code: "PAYMENT_REQUIRED" });
      assert.deepEqual(opened.complaints, []);

      if (hasScripts) await own.page.locator(".sender-note").getByText("Saved").waitFor();
      await clientOf(server, seller).call("updateShareSettings", { fileId: file.id, priceThumbnails: false });
      assert.equal((await fetch(url)).status, 404);
      await page.goto(sharePage);
      await soon(async () => assert.equal(await shown(page).count(), 0));
    });
  }
});
