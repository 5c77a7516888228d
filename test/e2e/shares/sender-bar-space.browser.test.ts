import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { bar, sendFiles } from "../support/pages/sender-bar.ts";

/** The sum of the layout shifts of a page, which counts what moves without a press of a person. */
const WATCH = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
`;
const MAX_SHIFT = 0.02;

/** pages, "The sender's bar". */
describeUnless(browserMissing, "the space of the sender's bar", () => {
  const site = useBrowsedServer();

  /** Opens the page of a share anew; resolves to its layout shift when the bar is complete. */
  async function measure(page: Page, url: string): Promise<number> {
    await page.goto("about:blank");
    await page.goto(url, { waitUntil: "networkidle" });
    await bar(page).getByText("no downloads yet").waitFor();
    return await readShift(page);
  }

  const readShift = async (page: Page): Promise<number> =>
    Number(await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.shift))))"));

  for (const [device, options] of DEVICES) {
    test(`is there before the bar where the share was sent, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.addInitScript(WATCH);
      const shortId = await sendFiles(page, site.server, "a.txt");
      const sentShift = await readShift(page);
      assert.ok(sentShift < MAX_SHIFT, `just sent: ${sentShift}`);
      for (const visit of ["first", "second"]) {
        const shift = await measure(page, `${site.server.url}/d/${shortId}`);
        assert.ok(shift < MAX_SHIFT, `${visit} visit: ${shift}`);
      }
    });

    test(`is there before the bar for the owner on another device, on ${device}`, async () => {
      const { key, userId } = await addAccount(site.server);
      const { shortId } = await upload(site.server, { name: "a.txt", bytes: "a" }, { key });
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const home = homeOf(site.server);
      await page.context().addCookies([{ name: "session", value: await startSession(site.server, { userId }), url: home }]);
      await page.addInitScript(WATCH);
      const shift = await measure(page, `${home}/d/${shortId}`);
      assert.ok(shift < MAX_SHIFT, String(shift));
    });
  }

  test("is not on the page of a recipient", async () => {
    const { shortId } = await upload(site.server, { name: "a.txt", bytes: "a" });
    await using opened = await openPage(site.browser);
    await opened.page.goto(`${site.server.url}/d/${shortId}`, { waitUntil: "networkidle" });
    await soon(async () => assert.equal(await opened.page.evaluate("document.getElementById('sent').offsetHeight"), 0));
  });
});
