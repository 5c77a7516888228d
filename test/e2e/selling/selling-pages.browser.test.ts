import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { homeOf, signUpAs } from "../support/accounts/person.ts";
import { clientOf } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { openMore } from "../support/pages/sender-bar.ts";
import { addSeller, buy, endDownloads, priced, type SellingServer, startSellingServer } from "../support/shares/selling.ts";

const WITHOUT_SCRIPTS: BrowserContextOptions = { javaScriptEnabled: false };
const [, PHONE] = DEVICES[0];

/** selling, "Pages". */
describeUnless(browserMissing, "the pages of priced shares in a browser", () => {
  let stripe: TestStripe;
  let server: ServerWithBrowser<SellingServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(
      startSellingServer({
        env: { FILEHOST_SELLING_FEE: "5%+30", FILEHOST_LIMITS: '{"rates":{"signUps":100,"checkouts":1000}}' },
        events: "all",
      }),
    );
    ({ stripe, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const home = (): string => homeOf(server);
  const pressBuy = (page: Page, price = "$4.99") => page.getByRole("button", { name: `Buy for ${price}`, exact: true }).click();
  /** Pays on the page of the payment platform. */
  async function pay(page: Page, method = "card"): Promise<void> {
    await page.getByRole("heading", { name: "Checkout" }).waitFor();
    await page.getByLabel("Email").fill("buyer@example.org");
    await page.getByLabel("Method").selectOption(method);
    await page.getByRole("button", { name: "Pay", exact: true }).click();
  }
  async function download(page: Page, name: string): Promise<string> {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).first().click()]);
    return await readFile((await file.path()) ?? "", "utf8");
  }
  /** Axe needs scripts. */
  const look = async (page: Page, options: BrowserContextOptions, state: string): Promise<void> => {
    if (options.javaScriptEnabled !== false) await assertAccessible(page, state);
  };

  for (const [device, options] of [...DEVICES, ["a desktop without scripts", WITHOUT_SCRIPTS]] as const) {
    test(`a buyer pays, downloads, and returns by the link of the purchase until a refund ends it, on ${device}`, async () => {
      const seller = await addSeller(server, stripe);
      const file = await priced(server, seller, { name: "song.txt", bytes: "music", fields: { title: "My song" } }, 499);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(`${home()}/d/${file.shortId}`);
      await page.getByText("$4.99", { exact: true }).waitFor();
      await soon(async () => assert.equal(await page.getByRole("button", { name: /Download/ }).count(), 0));
      await look(page, options, "offer");
      await pressBuy(page);
      await pay(page);
      await page.waitForURL(`${home()}/d/${file.shortId}`);
      await page.getByText("You bought this for $4.99 on").waitFor();
      await look(page, options, "bought");
      assert.equal(await download(page, "Download"), "music");
      const link = (await page.locator("#purchase-link").textContent())?.trim() ?? "";
      await using other = await openPage(browser, options);
      await other.page.goto(link);
      assert.equal(await download(other.page, "Download"), "music");
      const [payment = ""] = stripe
        .events("payment_intent.succeeded")
        .slice(-1)
        .map(({ data }) => (data.object as { id: string }).id);
      stripe.refund(payment);
      await stripe.webhooks.settled();
      await other.page.goto(link);
      await other.page.getByRole("heading", { name: "This purchase was refunded" }).waitFor();
      await look(other.page, options, "refunded");
      await page.goto(`${home()}/d/${file.shortId}`);
      await page.getByRole("button", { name: "Buy for $4.99" }).waitFor();
    });

    test(`a shipment with a price names its files, and is downloaded as a ZIP, on ${device}`, async () => {
      const seller = await addSeller(server, stripe);
      const first = await uploadShipment(server, { key: seller.key, paths: ["a.txt", "photos/b.jpg", "photos/c.pdf"] });
      await clientOf(server, seller).call("updateShareSettings", { shortId: first.shortId, priceCents: 1250, title: "Three things" });
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(`${home()}/d/${first.shortId}`);
      await page.getByText("photos/b.jpg").waitFor();
      await look(page, options, "offer of a shipment");
      await pressBuy(page, "$12.50");
      await pay(page);
      await page.getByText("You bought this for $12.50 on").waitFor();
      await look(page, options, "bought shipment");
      const zip = await download(page, "Download all");
      assert.ok(zip.startsWith("PK"));
    });
  }

  for (const [device, options] of [...DEVICES, ["a desktop without scripts", WITHOUT_SCRIPTS]] as const) {
    test(`a seller sets up the account, sets a price, and sees the sales, on ${device}`, async () => {
      const hasScripts = options.javaScriptEnabled !== false;
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await signUpAs(page, home(), `${crypto.randomUUID()}@example.org`);
      await page.goto(`${home()}/settings`);
      await page.getByRole("link", { name: "Selling", exact: true }).click();
      await page.getByRole("heading", { name: "Not set up yet" }).waitFor();
      await page.getByText("The operator of this site keeps 5% and $0.30 of each sale.").waitFor();
      await look(page, options, "selling before");
      await page.getByLabel("Country where you live").selectOption("DE");
      await page.getByRole("button", { name: "Set up at Stripe" }).click();
      await page.getByRole("heading", { name: "Not set up yet" }).waitFor({ state: "detached" });
      await page.getByRole("button").first().click();
      await page.getByRole("heading", { name: "Ready to sell", exact: true }).waitFor();
      assert.equal(stripe.requests.findLast(({ path }) => path === "/v1/accounts")?.params.country, "DE");

      const sent = await page.request.put(`${home()}/tune.txt`, { data: "la la", headers: { Origin: home() } });
      const shareUrl = (await sent.text()).trim().split("\n")[0] ?? "";
      await page.getByRole("link", { name: "Choose a file" }).click();
      await page.waitForURL(`${home()}/files`);
      if (hasScripts) {
        await page
          .getByRole("button", { name: "tune.txt" })
          .or(page.getByRole("link", { name: "tune.txt" }))
          .first()
          .click();
        await openMore(page);
        const price = page.getByLabel("Price in US dollars");
        await price.fill("0.50");
        await price.blur();
        await page.getByRole("alert").getByText("at least 1.00").waitFor();
        await price.fill("10");
        await price.blur();
        await page.getByText("Of $10.00 you get $9.20.").waitFor();
      } else {
        // Prices are set at /files, which needs scripts, or by programs.
        const data = { shortId: shareUrl.split("/").at(-1), priceCents: 1000 };
        const response = await page.request.patch(`${home()}/api/files/share-settings`, { data, headers: { Origin: home() } });
        assert.equal(response.status(), 200);
      }
      await look(page, options, "price");

      await page.goto(shareUrl);
      await page.getByText("Recipients pay $10.00").waitFor();
      assert.equal(await download(page, "Download"), "la la");
      const bought = await buy(server, stripe, new URL(shareUrl).pathname.split("/").at(-1) ?? "");
      assert.match(bought.purchaseToken, /^pu_/);
      await page.getByRole("link", { name: "Your sales" }).click();
      const sale = page.getByRole("row").filter({ hasText: "tune.txt" });
      for (const text of ["$10.00", "$0.80", "$9.20", "Paid"]) await sale.getByText(text, { exact: true }).waitFor();
      await look(page, options, "sales");
      await page.locator("summary", { hasText: "Refund" }).click();
      await page.getByRole("button", { name: "Refund", exact: true }).click();
      await page.getByText("The buyer gets the money back.").waitFor();
      await until("the refund is shown", async () => {
        await page.goto(`${home()}/settings/selling`);
        return (await sale.getByText("Refunded", { exact: true }).count()) === 1;
      });
      await page.getByRole("button", { name: "Open the dashboard at Stripe" }).click();
      await page.getByRole("heading", { name: "Express dashboard" }).waitFor();
    });
  }

  test("two tabs of a buyer lead to one checkout, which the buyer can leave and continue", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "once.txt", bytes: "once", fields: { maxDownloads: "1" } }, 100);
    await using opened = await openPage(browser, PHONE);
    const { page } = opened;
    await page.goto(`${home()}/d/${file.shortId}`);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await pressBuy(page, "$1.00");
    await page.getByRole("heading", { name: "Checkout" }).waitFor();
    const checkout = page.url();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Continue to pay $1.00" }).waitFor();
    await look(page, PHONE, "offer left");
    await pressBuy(second, "$1.00");
    await second.waitForURL(checkout);
    await using other = await openPage(browser, PHONE);
    await other.page.goto(`${home()}/d/${file.shortId}`);
    await other.page.getByText("Sold out").waitFor();
    await soon(async () => assert.equal(await other.page.getByRole("button", { name: /Buy/ }).count(), 0));
    await look(other.page, PHONE, "sold out");
    await pay(second);
    await second.getByText("Your purchase has one download of each file.").waitFor();
    const link = (await second.locator("#purchase-link").textContent())?.trim() ?? "";
    await page.getByRole("button", { name: "Continue to pay $1.00" }).click();
    await page.getByText("You bought this for $1.00 on").waitFor();
    assert.equal(await download(page, "Download"), "once");
    // Whether it has arrived is not known, so it is offered until it ends.
    await second.goto(link);
    assert.equal(await download(second, "Download"), "once");
    await endDownloads(server, file.id);
    await server.run(["cleanup"]);
    await second.goto(link);
    await second.getByRole("heading", { name: "This purchase has been used" }).waitFor();
    await look(second, PHONE, "used");
  });

  for (const [device, options] of [DEVICES[0], ["a desktop without scripts", WITHOUT_SCRIPTS]] as const) {
    test(`a slow payment is waited for, on ${device}`, async () => {
      const seller = await addSeller(server, stripe);
      const file = await priced(server, seller, { name: "slow.txt", bytes: "slow" }, 300);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(`${home()}/d/${file.shortId}`);
      await pressBuy(page, "$3.00");
      await pay(page, "bank");
      await page.getByRole("heading", { name: "Waiting for your payment" }).waitFor();
      const session = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      await look(page, options, "waiting");
      stripe.failures.plan("server_error", `/v1/checkout/sessions/${session}`, { times: 1000 });
      await page.reload();
      await page.getByRole("heading", { name: "Checking your payment" }).waitFor();
      stripe.failures.clear();
      stripe.checkouts.succeedLater(session);
      await page.getByText("You bought this for $3.00 on").waitFor();
      assert.equal(new URL(page.url()).pathname, `/d/${file.shortId}`);
    });
  }

  test("a protected share asks for its code before it shows the price", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "secret.txt", bytes: "secret", fields: { protect: "true" } }, 499);
    const { unlockCode = "" } = file as { unlockCode?: string };
    await using opened = await openPage(browser, PHONE);
    const { page } = opened;
    await page.goto(`${home()}/d/${file.shortId}`);
    await look(page, PHONE, "locked with price");
    await page.getByLabel("Code").fill(unlockCode);
    await page.getByRole("button", { name: "Unlock" }).click();
    await pressBuy(page);
    await pay(page);
    assert.equal(await download(page, "Download"), "secret");
  });

  test("the page explains why a share cannot be bought, and lets its owner download", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "x.txt", bytes: "x" }, 499);
    await using opened = await openPage(browser, PHONE);
    const { page } = opened;
    await page.goto(`${home()}/d/${file.shortId}`);
    stripe.failures.plan("server_error", "/v1/checkout/sessions", { times: 1000 });
    await pressBuy(page);
    await page.getByText("Payments do not work right now").waitFor();
    await look(page, PHONE, "platform down");
    stripe.failures.clear();
    await page.goto(`${home()}/d/${file.shortId}`);
    await clientOf(server, seller).call("updateShareSettings", { fileId: file.id, priceCents: 999 });
    await pressBuy(page);
    await page.getByText("The price has changed").waitFor();
    await look(page, PHONE, "price changed");
    await page.getByRole("button", { name: "Buy for $9.99" }).waitFor();
    stripe.sellers.setReadiness(seller.account, { charges: false });
    await clientOf(server, seller).call("getSellerStatus", {});
    await page.goto(`${home()}/d/${file.shortId}`);
    await page.getByText("Not for sale right now").waitFor();
    await soon(async () => assert.equal(await page.getByRole("button", { name: /Buy/ }).count(), 0));
    await page.goto(`${home()}/purchases/cs_test_unknown`);
    await page.getByRole("heading", { name: "Purchase not found" }).waitFor();
  });
});
