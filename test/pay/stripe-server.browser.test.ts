import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../support/browser/browser.ts";
import { connectTo, createSeller, toSale } from "../support/services/stripe/client.ts";
import { startStripe } from "../support/services/stripe.ts";
import { describeUnless } from "../support/suite.ts";

/** The site to which the pages send the browser back. */
async function startSite() {
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end('<link rel="icon" href="data:,">Site'));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describeUnless(browserMissing, "the pages of the Stripe of the tests, in a browser", () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof startSite>>;
  before(async () => {
    site = await startSite();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    site?.server.closeAllConnections();
    site?.server.close();
  });

  test("a seller finishes the onboarding, and a buyer is refused, pays and comes back", async () => {
    await using server = await startStripe();
    await using opened = await openPage(browser);
    const { page } = opened;
    const client = connectTo(server);
    const seller = await createSeller(server, { isReady: false });
    const urls = { return_url: `${site.url}/seller`, refresh_url: `${site.url}/again` };
    await page.goto((await client.accountLinks.create({ account: seller, type: "account_onboarding", ...urls })).url);
    await page.getByRole("button", { name: "Finish" }).click();
    await page.waitForURL(`${site.url}/seller`);
    const { id, url } = await client.checkout.sessions.create({
      ...toSale(seller),
      success_url: `${site.url}/d/abc?session={CHECKOUT_SESSION_ID}`,
      cancel_url: `${site.url}/d/abc`,
    });
    await page.goto(url ?? "");
    await page.getByText("10.00 USD").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForURL(`${site.url}/d/abc`);
    await page.goto(url ?? "");
    await page.getByLabel("Email").fill("buyer@example.org");
    await page.getByLabel("Method").selectOption("A declined card");
    await page.getByRole("button", { name: "Pay" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Email").fill("buyer@example.org");
    await page.getByRole("button", { name: "Pay" }).click();
    await page.waitForURL(`${site.url}/d/abc?session=${id}`);
    await page.goto((await client.accounts.createLoginLink(seller)).url);
    await page.getByText("9.20 USD").waitFor();
    assert.deepEqual(opened.complaints, []);
    assert.ok(server.requests.every(({ path }) => path.startsWith("/v1/")));
  });

  test("a subscriber cancels the plan on the billing portal, and keeps it after all", async () => {
    await using server = await startStripe();
    await using opened = await openPage(browser);
    const { page } = opened;
    const client = connectTo(server);
    const { id, url } = await client.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: server.addPlan(), quantity: 1 }],
      customer_email: "user@example.org",
      success_url: `${site.url}/account`,
    });
    await page.goto(url ?? "");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.waitForURL(`${site.url}/account`);
    const { customer, subscription } = await client.checkout.sessions.retrieve(id);
    const cancelsAt = async () => (await client.subscriptions.retrieve(String(subscription))).cancel_at;
    await page.goto((await client.billingPortal.sessions.create({ customer: String(customer), return_url: `${site.url}/account` })).url);
    await page.getByRole("button", { name: "Cancel plan", exact: true }).click();
    const resume = page.getByRole("button", { name: "Don't cancel plan" });
    await resume.waitFor();
    assert.ok(await cancelsAt());
    await resume.click();
    await page.getByRole("button", { name: "Cancel plan", exact: true }).waitFor();
    assert.equal(await cancelsAt(), null);
    await page.getByRole("link", { name: "Return" }).click();
    await page.waitForURL(`${site.url}/account`);
  });
});
