import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { getShare, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { bar, openMore } from "../support/pages/sender-bar.ts";
import { choose, getLink, whenSent } from "../support/pages/sending.ts";
import { changeSettings } from "../support/shares/shares.ts";

/** sharing, "Aliases"; pages, "The sender's bar". */
describeUnless(browserMissing, "a custom link", () => {
  const site = useBrowsedServer();

  /** Enters a name in the field of a part of a page; resolves when the result of the change is shown. */
  async function enter(part: Locator, text: string, result: string): Promise<void> {
    const field = part.getByLabel("Custom link");
    await field.fill(text);
    await field.blur();
    await part.getByText(result, { exact: true }).waitFor();
  }

  for (const [device, options] of DEVICES)
    test(`is chosen by the owner in the settings of a share, and opens it for a recipient, on ${device}`, async () => {
      const { server, browser } = site;
      const [account, other] = [await addAccount(server), await addAccount(server)];
      const sent = await upload(server, { name: "first.bin", bytes: "first" }, { key: account.key });
      const others = await upload(server, { name: "other.txt", bytes: "other" }, { key: other.key });
      const [taken, chosen] = [`taken-${device.slice(2, 7)}`, `Trip-${device.slice(2, 7)}`];
      await changeSettings(server, { shortId: others.shortId, alias: taken }, other.key);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      await page.goto(`${homeOf(server)}/d/${sent.shortId}#edit`);
      await openMore(bar(page));
      await enter(bar(page), "nohyphen", "Use 4 to 16 letters and digits with a hyphen.");
      await enter(bar(page), taken, "This custom link is taken. Choose another.");
      await assertAccessible(page, "a taken custom link");
      await enter(bar(page), chosen, "Saved");
      const link = `/d/${chosen.toLowerCase()}`;
      await bar(page).locator("#link", { hasText: link }).waitFor();
      await using recipient = await openPage(browser, options);
      await recipient.page.goto(`${homeOf(server)}/d/${chosen}`);
      await recipient.page.getByRole("heading", { name: "first.bin" }).waitFor();
      assert.equal(new URL(recipient.page.url()).pathname, `/d/${sent.shortId}`);
      await soon(async () => assert.equal(await bar(recipient.page).count(), 0));
      // The browser reports the refusals of the taken name itself.
      assert.deepEqual(
        opened.complaints.filter((complaint) => !complaint.includes("409")),
        [],
      );
    });

  for (const [device, options] of DEVICES)
    test(`is chosen before sending, and a taken one is refused with what was entered, on ${device}`, async () => {
      const { server, browser } = site;
      const [account, other] = [await addAccount(server), await addAccount(server)];
      const [taken, chosen] = [`given-${device.slice(2, 7)}`, `sent-${device.slice(2, 7)}`];
      await upload(server, { bytes: "other", fields: { alias: taken } }, { key: other.key });
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(homeOf(server));
      await page.locator("#options > summary").click();
      await soon(async () => assert.equal(await page.locator("#alias").count(), 0, "signed out"));
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      await page.goto(homeOf(server));
      await choose(page, "first.bin");
      await page.locator("#options > summary").click();
      await page.locator("#alias").fill("nohyphen");
      await getLink(page);
      await page.getByText("Use 4 to 16 letters and digits with a hyphen.", { exact: true }).waitFor();
      await assertAccessible(page, "the front page with a wrong custom link");
      await page.locator("#alias").fill(taken);
      await getLink(page);
      await page.getByText("This custom link is taken. Choose another.").waitFor();
      await soon(async () => assert.equal(await page.locator("#alias").inputValue(), taken));
      await page.locator("#alias").fill(chosen);
      await getLink(page);
      await page.locator(`#link[href$="/d/${chosen}"]`).waitFor();
      const shortId = await whenSent(page);
      await page.locator(`#link[href$="/d/${chosen}"]`).waitFor();
      assert.equal((await getShare(server, chosen)).short_id, shortId);
    });

  test("is removed in the drawer of a file", async () => {
    const { server, browser } = site;
    const account = await addAccount(server);
    const sent = await upload(server, { name: "drawer.txt", bytes: "x", fields: { alias: "in-the-drawer" } }, { key: account.key });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await page.goto(`${homeOf(server)}/files?file=${sent.id}`);
    const drawer = page.getByRole("dialog", { name: "Details of drawer.txt" });
    await drawer.getByLabel("Custom link").waitFor();
    await soon(async () => assert.equal(await drawer.getByLabel("Custom link").inputValue(), "in-the-drawer"));
    await enter(drawer, "", "Saved");
    await page.goto(`${homeOf(server)}/d/in-the-drawer`);
    await page.getByRole("heading", { name: "Link not found" }).waitFor();
  });
});
