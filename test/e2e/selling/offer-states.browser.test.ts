import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { setScanning } from "../support/pages/pages.ts";
import { addSeller, buy, priced, type SellingServer, startSellingServer, type TestSeller } from "../support/shares/selling.ts";

const WITHOUT_SCRIPTS: BrowserContextOptions = { javaScriptEnabled: false };
const WAYS = [DEVICES[0], ["a desktop without scripts", WITHOUT_SCRIPTS]] as const;
/** The page asks again every few seconds, later and later. */

/** selling, "Purchases" and "Pages". */
describeUnless(browserMissing, "the states of an offer and of a purchase, in a browser", () => {
  let stripe: TestStripe;
  let server: ServerWithBrowser<SellingServer>;
  let browser: Browser;
  let seller: TestSeller;
  before(async () => {
    server = await withBrowser(startSellingServer({ env: { FILEHOST_LIMITS: '{"rates":{"checkouts":1000}}' } }));
    ({ stripe, browser } = server);
    seller = await addSeller(server, stripe);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const pathOf = ({ shortId }: { readonly shortId: string }): string => `${homeOf(server)}/d/${shortId}`;
  const purchaseOf = ({ sessionId }: { readonly sessionId: string }): string => `${homeOf(server)}/purchases/${sessionId}`;
  const sell = (name: string, fields = {}) => priced(server, seller, { name, bytes: name, fields }, 499);
  const buyButton = (page: Page) => page.getByRole("button", { name: "Buy for $4.99" });
  async function look(page: Page, options: BrowserContextOptions, state: string): Promise<void> {
    if (options.javaScriptEnabled !== false) await assertAccessible(page, state);
  }

  for (const [device, options] of WAYS) {
    test(`a share is not sold in its last hour, nor before its scan has ended, on ${device}`, async () => {
      const [ending, scanned] = [await sell("ending.txt", { ttl: "55m" }), await sell("scanned.txt")];
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(pathOf(ending));
      await page.getByText("No longer for sale").waitFor();
      await soon(async () => assert.equal(await buyButton(page).count(), 0));
      await look(page, options, "last hour");
      await setScanning(server, scanned.shortId, true);
      await page.goto(pathOf(scanned));
      await page.getByText("Not ready to buy yet").waitFor();
      await soon(async () => assert.equal(await buyButton(page).count(), 0));
      await look(page, options, "scan pending");
      await setScanning(server, scanned.shortId, false);
      await buyButton(page).waitFor();
    });

    test(`a disputed purchase has no download until the seller wins, on ${device}`, async () => {
      const file = await sell("disputed.txt");
      const bought = await buy(server, stripe, file.shortId);
      const payment = stripe.events("payment_intent.succeeded").at(-1)?.data.object as { id: string };
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(purchaseOf(bought));
      await page.getByText("You bought this for $4.99 on").waitFor();
      const dispute = stripe.disputes.open(payment.id);
      await stripe.webhooks.settled();
      await page.goto(purchaseOf(bought));
      await page.getByRole("heading", { name: "This payment is disputed" }).waitFor();
      await look(page, options, "disputed");
      await page.goto(pathOf(file));
      await buyButton(page).waitFor();
      stripe.disputes.win(dispute);
      await stripe.webhooks.settled();
      await page.goto(purchaseOf(bought));
      await page.getByText("You bought this for $4.99 on").waitFor();
      await page
        .getByRole("button", { name: /^Download/ })
        .first()
        .waitFor();
    });

    test(`a purchase of a share that has ended is shown as ended, on ${device}`, async () => {
      const file = await sell("gone.txt");
      const bought = await buy(server, stripe, file.shortId);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(purchaseOf(bought));
      await page.getByText("You bought this for $4.99 on").waitFor();
      await clientOf(server, seller).call("closeShare", { shortId: file.shortId, force: true });
      for (const url of [pathOf(file), purchaseOf(bought)]) {
        await page.goto(url);
        await page.getByRole("heading", { name: "What you bought is no longer here" }).waitFor();
      }
      await look(page, options, "gone");
    });

    test(`a payment that fails or is never made ends, on ${device}`, async () => {
      const file = await sell("failed.txt");
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const start = async (): Promise<string> => {
        await page.goto(pathOf(file));
        await buyButton(page).click();
        await page.getByRole("heading", { name: "Checkout" }).waitFor();
        return new URL(page.url()).pathname.split("/").at(-1) ?? "";
      };
      const failed = await start();
      await page.getByLabel("Email").fill("buyer@example.org");
      await page.getByLabel("Method").selectOption("bank");
      await page.getByRole("button", { name: "Pay", exact: true }).click();
      await page.getByRole("heading", { name: "Waiting for your payment" }).waitFor();
      stripe.checkouts.failLater(failed);
      await page.getByRole("heading", { name: "This payment was not completed" }).waitFor();
      await look(page, options, "payment failed");
      await page.getByRole("link", { name: "Open the share" }).click();
      await buyButton(page).waitFor();
      const expired = await start();
      stripe.checkouts.expire(expired);
      await page.goto(purchaseOf({ sessionId: expired }));
      await page.getByRole("heading", { name: "This payment was not completed" }).waitFor();
    });
  }
});
