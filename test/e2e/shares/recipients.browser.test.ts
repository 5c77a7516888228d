import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { bar, press } from "../support/pages/sender-bar.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";

/** recipients, "Sending", "What the sender sees" and "Blocking"; pages, "The sender's bar". */
describeUnless(browserMissing, "sending a share by mail in a browser", () => {
  let smtp: TestSmtpServer;
  let server: ServerWithBrowser<MailServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(startMailServer());
    ({ smtp, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const rowOf = (page: Page, address: string): Locator => bar(page).getByRole("listitem").filter({ hasText: address });

  /** Closes the panel and opens it, which reads the recipients again. */
  async function reopen(page: Page): Promise<void> {
    for (let time = 0; time < 2; time++) await press(page, "Share");
  }

  test("begins with the message of the share, which the mail then has", async () => {
    const account = await addAccount(server);
    const { shortId } = await upload(
      server,
      { name: "a.txt", bytes: "a", fields: { message: "The plan of the week." } },
      { key: account.key },
    );
    const address = `linus.${shortId}@example.org`.toLowerCase();
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await page.goto(`${homeOf(server)}/d/${shortId}`);
    await press(page, "Share");
    const message = bar(page).getByLabel("Message");
    await message.waitFor();
    await soon(async () => assert.equal(await message.inputValue(), "The plan of the week."));
    await bar(page).getByLabel("Email addresses").fill(address);
    await press(page, "Send");
    await bar(page).getByText("on the way").waitFor();
    assert.match((await smtp.next(address)).text, /The plan of the week\./);
    await soon(async () => assert.equal(await message.inputValue(), "The plan of the week."));
  });

  for (const [device, options] of DEVICES)
    test(`is in the share's panel, with the keyboard, and shows who opened and downloaded, on ${device}`, async () => {
      const account = await addAccount(server);
      const { shortId } = await upload(server, { name: "slides.txt", bytes: "slides", fields: { protect: "true" } }, { key: account.key });
      const [ada, grace] = [`ada.${shortId}@example.org`.toLowerCase(), `grace.${shortId}@example.org`.toLowerCase()];
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      await page.goto(`${homeOf(server)}/d/${shortId}`);
      await press(page, "Share");
      await bar(page).getByRole("heading", { name: "Send by email" }).waitFor();
      await assertAccessible(page, "the panel");

      const addresses = bar(page).getByLabel("Email addresses");
      await press(page, "Send");
      await bar(page).getByRole("alert").getByText("Enter at least one email address.").waitFor();
      await addresses.fill("nobody");
      await press(page, "Send");
      await bar(page).getByRole("alert").getByText("“nobody” is not an email address.").waitFor();
      await addresses.fill(`Ada <${ada}>, ${grace}`);
      await bar(page).getByLabel("Message").fill("See page 3.");
      await bar(page).getByLabel("Language").selectOption("de");
      await bar(page)
        .getByLabel(/^Remind those/)
        .check();
      await bar(page).getByRole("button", { name: "Send", exact: true }).press("Enter");
      await bar(page).getByText("2 mails are on the way.").waitFor();
      const mail = await smtp.next(ada);
      assert.match(mail.subject, /hat Ihnen „slides\.txt“ gesendet/);
      const removed = await smtp.next(grace);
      await soon(async () =>
        assert.deepEqual([await addresses.inputValue(), await bar(page).getByLabel("Message").inputValue()], ["", ""]),
      );
      const topOf = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.y ?? Number.NaN;
      const list = bar(page).getByRole("list", { name: "Recipients" });
      await soon(async () => assert.ok((await topOf(list)) < (await topOf(addresses)), "the recipients are above the form"));
      await rowOf(page, ada).getByText("Sent, not opened yet").waitFor();
      await assertAccessible(page, "the recipients");

      await using other = await openPage(browser, options);
      await other.page.goto(linkIn(mail, "h"));
      await other.page.getByText("The sender sees when you open it and download.").waitFor();
      await other.page.getByRole("figure").getByText("See page 3.").waitFor();
      await assertAccessible(other.page, "the page of a recipient");
      await reopen(page);
      await rowOf(page, ada).getByText("Probably opened, not downloaded").waitFor();
      const download = other.page.waitForEvent("download");
      await other.page.getByRole("button", { name: /^Download/ }).click();
      await (await download).cancel();
      await reopen(page);
      await rowOf(page, ada).getByText("Downloaded").waitFor();

      await bar(page)
        .getByRole("button", { name: `Remove ${grace}` })
        .click();
      await rowOf(page, grace).waitFor({ state: "detached" });
      assert.equal((await other.page.goto(linkIn(removed, "h")))?.status(), 404);

      await other.page.goto(linkIn(mail, "block"));
      await assertAccessible(other.page, "the page that blocks");
      await other.page.getByRole("button", { name: "Stop these mails", exact: true }).click();
      await other.page.getByRole("heading", { name: "Mails stopped" }).waitFor();
      await assertAccessible(other.page, "the blocked page");
      await bar(page)
        .getByRole("button", { name: `Send again to ${ada}` })
        .click();
      await bar(page).getByText("1 mail is on the way.").waitFor();
      assert.deepEqual(opened.complaints, []);
    });

  test("is sent again from the page of the downloads, with scripts and without", async () => {
    const account = await addAccount(server);
    const { shortId } = await upload(server, { name: "slides.txt", bytes: "slides" }, { key: account.key });
    const address = `mary.${shortId}@example.org`.toLowerCase();
    await clientOf(server, { key: account.key }).call("sendShare", { shortId, recipients: [address] });
    await smtp.next(address);
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(browser, { javaScriptEnabled });
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      await page.goto(`${homeOf(server)}/shares/${shortId}/downloads`);
      await page.getByRole("heading", { name: "slides.txt" }).waitFor();
      await page.getByText(/^Sent to 1.person · 0.downloads$/).waitFor();
      await until("the mail is sent", async () => {
        await page.reload();
        return (await page.getByRole("button", { name: `Send again ${address}` }).count()) === 1;
      });
      await page.getByRole("button", { name: `Send again ${address}` }).click();
      await page.getByText("1 mail is on the way.").waitFor();
      await smtp.next(address);
      assert.deepEqual(opened.complaints, []);
    }
  });

  test("deleting the share or its file names whose private links end with it, with scripts and without", async () => {
    const account = await addAccount(server);
    const { shortId } = await upload(server, { name: "slides.txt", bytes: "slides" }, { key: account.key });
    const recipients = ["ada", "grace", "linus"].map((name) => `${name}.${shortId}@example.org`.toLowerCase());
    await clientOf(server, { key: account.key }).call("sendShare", { shortId, recipients });
    const named = /The private links sent to \S+@example\.org and 2\sother people stop working too\./;
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(browser, { javaScriptEnabled });
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      await page.goto(`${homeOf(server)}/shares`);
      await page.getByText(/sent to \S+@example\.org and 2\sother people/).waitFor();
      await page.locator(`#more-${shortId} summary`).click();
      await page.getByRole("link", { name: "Delete slides.txt" }).click();
      await page.getByText(named).first().waitFor();
      if (javaScriptEnabled) await page.getByRole("button", { name: "Undo" }).click();
    }
    await using files = await openPage(browser);
    await files.page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await files.page.goto(`${homeOf(server)}/files`);
    await files.page.getByRole("checkbox", { name: "Select slides.txt" }).click();
    await files.page.getByRole("button", { name: "Delete", exact: true }).click();
    const question = files.page.getByRole("dialog", { name: "Delete “slides.txt”?" });
    await question.getByText("This link stops working:").waitFor();
    await question
      .getByRole("listitem")
      .filter({ hasText: /^slides\.txt · sent to \S+@example\.org and 2.other people$/ })
      .waitFor();
  });

  test("says why an encrypted share is not sent, and shows no form where there is no account", async () => {
    const account = await addAccount(server);
    const bytes = "age-encryption.org/v1\n-> X25519 some bytes";
    const { shortId } = await upload(server, { name: "a.age", bytes }, { key: account.key });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await page.goto(`${homeOf(server)}/d/${shortId}`);
    await press(page, "Share");
    await bar(page).getByText("This server cannot send encrypted files by email, because it must not learn the key.").waitFor();
    await soon(async () => assert.equal(await bar(page).getByLabel("Email addresses").count(), 0));
  });
});
