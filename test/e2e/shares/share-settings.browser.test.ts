import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf, getShare, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { bar, openMore, press, sendFiles } from "../support/pages/sender-bar.ts";
import { storedRecords } from "../support/pages/sending.ts";

const USUAL = ["Title", "Message", "Expires", "Download limit", "Require a code", "Password of your own"];
const NOTE = "Note for the private link";
const OTHERS = [
  "Custom link",
  "Notices about the link",
  "Show it on your public page",
  "Never expires",
  "Start the download immediately",
  "Immutable",
];

/** pages, "The settings of a share". */
describeUnless(browserMissing, "the settings of a share", () => {
  const site = useBrowsedServer();

  /** The names of the shown settings, each of which has a sentence about its effect. */
  async function shownSettings(part: Locator): Promise<readonly string[]> {
    const settings = part.locator(".share-setting").filter({ visible: true });
    for (const setting of await settings.all()) {
      const control = setting.locator("[aria-describedby]").first();
      const effect = await setting.locator(`#${await control.getAttribute("aria-describedby")}`).textContent();
      assert.match(effect ?? "", /\.|Settings of notices$/);
    }
    return await settings.locator("> label").allTextContents();
  }

  for (const [device, options] of DEVICES)
    test(`are the same in the bar of its page, in the list of shares and in the details of a file, on ${device}`, async () => {
      const { server, browser } = site;
      const account = await addAccount(server, { tier: "pro", username: `settings-${device.length}` });
      const { shortId } = await upload(server, { name: "first.bin", bytes: "first" }, { key: account.key });
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      const places = {
        bar: async () => {
          await page.goto(`${homeOf(server)}/d/${shortId}`);
          await press(page, "Edit");
          return bar(page);
        },
        shares: async () => {
          await page.goto(`${homeOf(server)}/shares`);
          await page.locator("[data-share] summary").click();
          await page
            .getByRole("button", { name: "Edit" })
            .or(page.getByRole("link", { name: "Edit" }))
            .first()
            .click();
          return page.getByRole("dialog");
        },
        files: async () => {
          await page.goto(`${homeOf(server)}/files`);
          await page.getByRole("link", { name: "first.bin", exact: true }).click();
          return page.getByRole("dialog", { name: "Details of first.bin" });
        },
      };
      for (const [place, open] of Object.entries(places)) {
        const part = await open();
        await part.getByLabel("Title", { exact: true }).waitFor();
        await soon(async () => assert.deepEqual(await shownSettings(part), USUAL, place));
        await openMore(part);
        await soon(async () => assert.deepEqual(await shownSettings(part), [...USUAL, ...OTHERS], place));
        await assertAccessible(page, `the settings in the ${place}`);
        await part.getByLabel("Require a code").check();
        await part.locator("#sender-code").waitFor();
        await soon(async () => assert.deepEqual(await shownSettings(part), [...USUAL, NOTE, ...OTHERS], place));
        await part.getByLabel("Require a code").uncheck();
        await part.locator("#sender-code").waitFor({ state: "detached" });
      }
      assert.deepEqual(opened.complaints, []);
    });

  test("of a sender without an account are those that the sender can change", async () => {
    const { server, browser } = site;
    await using opened = await openPage(browser);
    const { page } = opened;
    const shortId = await sendFiles(page, server, "a.txt");
    await press(page, "Edit");
    await soon(async () => assert.deepEqual(await shownSettings(bar(page)), USUAL));
    await soon(async () => assert.equal(await page.getByText("More settings").count(), 0));
    await page.getByLabel("Require a code").check();
    await openMore(bar(page));
    await soon(async () => assert.deepEqual(await shownSettings(bar(page)), [...USUAL, NOTE]));
    await page.getByLabel(NOTE).fill("Only for you");
    await page.getByLabel(NOTE).blur();
    await bar(page).locator(".share-setting", { hasText: NOTE }).getByText("Saved").waitFor();
    const [share] = await storedRecords(page, "shares");
    const { data } = await clientOf(server).call("updateShareSettings", { shortId, claimToken: String(share?.claimToken) });
    assert.equal(data.handoffMessage, "Only for you");
    assert.deepEqual(opened.complaints, []);
  });

  test("that few people change are open at first if one is in use, and an immutable file disables what it fixes", async () => {
    const { server, browser } = site;
    const account = await addAccount(server);
    const { id, shortId } = await upload(server, { name: "fixed.txt", bytes: "fixed" }, { key: account.key });
    await clientOf(server, account).call("updateShareSettings", { fileId: id, immutable: true });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await page.goto(`${homeOf(server)}/d/${shortId}`);
    await press(page, "Edit");
    await page.getByLabel("Immutable").waitFor();
    const isDisabled = (label: string): Promise<boolean> => page.getByLabel(label, { exact: true }).isDisabled();
    const disabled = async () => await Promise.all(["Title", "Message", "Never expires", "Require a code", "Expires"].map(isDisabled));
    await soon(async () => assert.deepEqual(await disabled(), [true, true, true, false, false]));
    await page.getByLabel("Download limit").fill("1");
    await page.getByLabel("Download limit").blur();
    await bar(page).getByRole("alert").getByText("This cannot be changed any more.").waitFor();
    await page.getByLabel("Immutable").uncheck();
    await until("the file can be changed", async () => !(await isDisabled("Title")));
    await page.getByLabel("Title", { exact: true }).fill("Free");
    await page.getByLabel("Title", { exact: true }).blur();
    await until("the title is saved", async () => (await getShare(server, shortId)).data.title === "Free");
  });
});
