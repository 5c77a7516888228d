import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import type { TestServer } from "../../support/server.ts";
import { startStripe, type TestStripe } from "../../support/services/stripe.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { homeOf, signUpAs } from "../support/accounts/person.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const WITHOUT_SCRIPTS: BrowserContextOptions = { javaScriptEnabled: false };
const [, PHONE] = DEVICES[0];

/** selling, "Pages". */
describeUnless(browserMissing, "the plans of Pro in a browser", () => {
  let stripe: TestStripe;
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    stripe = await startStripe();
    const plans = [
      { id: "month", name: "Pro", stripePrice: stripe.addPlan() },
      { id: "year", name: "Pro for a year", stripePrice: stripe.addPlan({ unitAmount: 9000, interval: "year" }) },
    ];
    const limits = { FILEHOST_LIMITS: '{"rates":{"signUps":100}}' };
    server = await startPlainServer({ ...stripe.env, ...limits, FILEHOST_PLANS: JSON.stringify(plans) });
    stripe.sendEventsTo(`${server.url}/api/stripe/webhook`);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await stripe?.[Symbol.asyncDispose]();
  });

  const usage = (): string => `${homeOf(server)}/settings/usage`;
  const look = async (page: Page, options: BrowserContextOptions, state: string): Promise<void> => {
    if (options.javaScriptEnabled !== false) await assertAccessible(page, state);
  };
  const signUp = (page: Page): Promise<void> => signUpAs(page, homeOf(server), `${crypto.randomUUID()}@example.org`);
  async function subscribe(page: Page): Promise<void> {
    await page.getByRole("heading", { name: "Checkout" }).waitFor();
    if (await page.getByLabel("Email").isEditable()) await page.getByLabel("Email").fill("pro@example.org");
    await page.getByRole("button", { name: "Subscribe", exact: true }).click();
  }

  for (const [device, options] of [...DEVICES, ["a desktop without scripts", WITHOUT_SCRIPTS]] as const) {
    test(`a person chooses a plan, pays, cancels, and sees the end of the paid time, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await signUp(page);
      await page.goto(usage());
      await page.getByText("$9.00 a month").waitFor();
      await page.getByText("$90.00 a year").waitFor();
      await look(page, options, "plans");
      await page.getByRole("button", { name: "Get Pro", exact: true }).click();
      await page.getByRole("heading", { name: "Checkout" }).waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Get Pro for a year" }).click();
      await subscribe(page);
      await page.locator("#main").getByText("Payment received. Pro is active.").waitFor();
      await page.getByText("Pro for a year is paid until").waitFor();
      await soon(async () => assert.equal(await page.getByRole("button", { name: /^Get/ }).count(), 0));
      await look(page, options, "pro");
      const portal = () => page.getByRole("button", { name: "Change the payment method, or cancel" }).click();
      await portal();
      await page.getByRole("heading", { name: "Billing" }).waitFor();
      await page.getByRole("button", { name: "Cancel plan" }).click();
      await page.getByRole("button", { name: "Don't cancel plan" }).waitFor();
      await page.getByRole("link", { name: "Return" }).click();
      await until("the page knows that it is cancelled", async () => {
        await page.goto(usage());
        return (await page.getByText("Pro for a year is cancelled").count()) === 1;
      });
      await page.getByRole("button", { name: "Renew it, or change the payment method" }).waitFor();
      await look(page, options, "pro cancelled");
    });
  }

  test("the page waits for a payment that is not confirmed yet, and offers the plans to a person who did not pay", async () => {
    await using opened = await openPage(browser, PHONE);
    const { page } = opened;
    await signUp(page);
    await page.goto(usage());
    await page.getByRole("button", { name: "Get Pro", exact: true }).click();
    stripe.webhooks.hold();
    await page.getByRole("heading", { name: "Checkout" }).waitFor();
    stripe.failures.plan("server_error", "/v1/subscriptions", { times: 1000 });
    await subscribe(page);
    await page.getByRole("heading", { name: "Waiting for your payment" }).waitFor();
    await look(page, PHONE, "waiting");
    stripe.failures.clear();
    await page.locator("#main").getByText("Payment received. Pro is active.").waitFor();
    await stripe.webhooks.release();

    await using other = await openPage(browser, PHONE);
    await signUp(other.page);
    await other.page.goto(`${usage()}?paid`);
    await other.page.getByRole("link", { name: "Not paid yet? See the plans" }).click();
    await other.page.getByRole("button", { name: "Get Pro", exact: true }).waitFor();
  });

  test("a second tab does not pay again, and the page says when Stripe does not respond", async () => {
    await using opened = await openPage(browser, PHONE);
    const { page } = opened;
    await signUp(page);
    await page.goto(usage());
    const second = await page.context().newPage();
    await second.goto(usage());
    stripe.failures.plan("server_error", "/v1/checkout/sessions", { times: 1000 });
    await page.getByRole("button", { name: "Get Pro", exact: true }).click();
    await page.getByRole("alert").getByText("Nothing was charged").waitFor();
    await look(page, PHONE, "platform down");
    stripe.failures.clear();
    await page.getByRole("button", { name: "Get Pro", exact: true }).click();
    await subscribe(page);
    await page.locator("#main").getByText("Payment received").waitFor();
    await second.getByRole("button", { name: "Get Pro", exact: true }).click();
    await second.getByText("You pay for Pro already.").waitFor();
    await second.getByRole("button", { name: "Change the payment method, or cancel" }).waitFor();
  });

  test("plans are offered without prices if Stripe does not return them", async () => {
    const plans = [{ id: "pro", name: "Pro", stripePrice: stripe.addPlan() }];
    await using other = await startPlainServer({ ...stripe.env, FILEHOST_PLANS: JSON.stringify(plans) });
    await using opened = await openPage(browser, PHONE);
    const { page } = opened;
    await signUpAs(page, homeOf(other), `${crypto.randomUUID()}@example.org`);
    stripe.failures.plan("hang", `/v1/prices/${plans[0]?.stripePrice}`, { times: 1000 });
    await page.goto(`${homeOf(other)}/settings/usage`);
    await page.getByRole("button", { name: "Get Pro", exact: true }).waitFor();
    await soon(async () => assert.equal(await page.getByText("a month").count(), 0));
    stripe.failures.clear();
  });

  test("a server whose payment is elsewhere links to it, and a server that does not sell Pro does not mention it", async () => {
    await using elsewhere = await startPlainServer({ FILEHOST_UPGRADE_URL: "https://pay.example.org/pro" });
    await using plain = await startPlainServer({});
    await using opened = await openPage(browser, PHONE);
    const { page } = opened;
    await signUpAs(page, homeOf(elsewhere), `${crypto.randomUUID()}@example.org`);
    await page.goto(`${homeOf(elsewhere)}/settings/usage`);
    const link = page.getByRole("link", { name: "Open that page" });
    await soon(async () => assert.equal(await link.getAttribute("href"), "https://pay.example.org/pro"));
    await look(page, PHONE, "pro elsewhere");
    await using other = await openPage(browser, PHONE);
    await signUpAs(other.page, homeOf(plain), `${crypto.randomUUID()}@example.org`);
    await other.page.goto(`${homeOf(plain)}/settings/usage`);
    await other.page.getByRole("heading", { name: "Usage", exact: true }).waitFor();
    await soon(async () => assert.equal(await other.page.locator("#pro").count(), 0));
  });
});
