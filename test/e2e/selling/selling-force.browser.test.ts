import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf, getShare } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { choose, getLink, whenSent } from "../support/pages/sending.ts";
import { addSeller, buy, priced, type SellingServer, startSellingServer, type TestSeller } from "../support/shares/selling.ts";

const WITHOUT_SCRIPTS: BrowserContextOptions = { javaScriptEnabled: false };
const NEVERTHELESS = { name: "Continue anyway" } as const;
const ONE_BUYER = "1 buyer would lose what they paid for or are paying for.";
/** An undo is offered for 10 seconds before the server is asked. */
const AFTER_UNDO_MS = 11_000;

/** selling, "What buyers keep" and "Pages". */
describeUnless(browserMissing, "actions with which buyers lose sold files, in a browser", () => {
  let stripe: TestStripe;
  let server: ServerWithBrowser<SellingServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(startSellingServer({ env: { FILEHOST_LIMITS: '{"rates":{"checkouts":1000}}' }, events: "none" }));
    ({ stripe, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const home = (): string => homeOf(server);
  async function letUndoEnd(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Undo" }).first().waitFor();
    await page.clock.runFor(AFTER_UNDO_MS);
  }
  async function signIn(page: Page): Promise<TestSeller> {
    const seller = await addSeller(server, stripe);
    await page.context().addCookies([{ name: "session", value: await startSession(server, seller), url: home() }]);
    return seller;
  }
  async function sell(seller: TestSeller, name: string) {
    const file = await priced(server, seller, { name, bytes: name }, 499);
    await buy(server, stripe, file.shortId);
    return file;
  }
  const isGone = (shortId: string): Promise<boolean> =>
    clientOf(server)
      .call("getShare", { shortId })
      .then(
        () => false,
        () => true,
      );
  const whenGone = (shortId: string): Promise<boolean> => until("the share is gone", () => isGone(shortId));

  for (const [device, options] of DEVICES) {
    test(`the list and the details of files say how many buyers lose something, and act after a second press, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.clock.install();
      const { shortId } = await sell(await signIn(page), "song.txt");
      await page.goto(`${home()}/files`);
      await page
        .getByRole("button", { name: "song.txt" })
        .or(page.getByRole("link", { name: "song.txt" }))
        .first()
        .click();
      const limit = page.getByLabel("Download limit");
      await limit.fill("1");
      await limit.blur();
      await page.getByRole("alert").getByText(ONE_BUYER).waitFor();
      await assertAccessible(page, "refused setting");
      await page.getByRole("alert").getByRole("button", NEVERTHELESS).click();
      await page.locator(".sender-note").getByText("Saved").waitFor();
      assert.equal((await getShare(server, shortId)).downloadsLimited, true);
      await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
      await letUndoEnd(page);
      await page.getByRole("alert").getByText(ONE_BUYER).waitFor();
      await assertAccessible(page, "refused deletion");
      assert.equal(await isGone(shortId), false);
      await page.getByRole("alert").getByRole("button", NEVERTHELESS).click();
      await whenGone(shortId);
    });

    test(`the list of shares closes one with buyers only after a second press, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.clock.install();
      const { shortId } = await sell(await signIn(page), "tune.txt");
      await page.goto(`${home()}/shares`);
      await page.locator("[data-share] summary").click();
      await page.locator("[data-close]").click();
      await letUndoEnd(page);
      await page.getByRole("alert").getByText(ONE_BUYER).waitFor();
      await page.locator("[data-share]").waitFor();
      assert.equal(await isGone(shortId), false);
      await page.getByRole("alert").getByRole("button", NEVERTHELESS).click();
      await whenGone(shortId);
      await page.locator("[data-share]").waitFor({ state: "detached" });
    });

    test(`the sender's bar changes and deletes a sold share only after a second press, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.clock.install();
      const seller = await signIn(page);
      await page.goto(home());
      await choose(page, "sold.txt");
      await getLink(page);
      const shortId = await whenSent(page);
      await until("it can have a price", async () => (await getShare(server, shortId)).scanStatus === "clean");
      await clientOf(server, seller).call("updateShareSettings", { shortId, priceCents: 499 });
      await buy(server, stripe, shortId);
      await page.reload();
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      const limit = page.locator("#edit-downloads");
      await limit.fill("3");
      await limit.blur();
      await page.getByRole("alert").getByText(ONE_BUYER).waitFor();
      await assertAccessible(page, "refused setting of the bar");
      await page.getByRole("alert").getByRole("button", NEVERTHELESS).click();
      await until("the limit is set", async () => (await getShare(server, shortId)).downloadsLimited);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await letUndoEnd(page);
      await page.getByRole("heading").getByText(ONE_BUYER).waitFor();
      await assertAccessible(page, "refused deletion of the bar");
      assert.equal(await isGone(shortId), false);
      await page.getByRole("button", NEVERTHELESS).click();
      await whenGone(shortId);
    });
  }

  test("forms say how many buyers lose something, and can be sent again", async () => {
    await using opened = await openPage(browser, WITHOUT_SCRIPTS);
    const { page } = opened;
    const seller = await signIn(page);
    const closed = await sell(seller, "closed.txt");
    await page.goto(`${home()}/shares/${closed.shortId}/close`);
    await page.getByRole("button", { name: "Delete the share" }).click();
    await page.getByText(ONE_BUYER).waitFor();
    await page.getByRole("link", { name: "Leave it as it is" }).click();
    assert.equal(await isGone(closed.shortId), false);
    await page.goto(`${home()}/shares/${closed.shortId}/close`);
    await page.getByRole("button", { name: "Delete the share" }).click();
    await page.getByRole("button", NEVERTHELESS).click();
    await page.getByText("The share is deleted.").waitFor();
    assert.equal(await isGone(closed.shortId), true);
  });
});
