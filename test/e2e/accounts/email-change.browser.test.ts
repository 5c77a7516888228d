import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, signUpAs } from "../support/accounts/person.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";

/** sign in, "Changing the email address". */
describeUnless(browserMissing, "the address of an account in a browser", () => {
  let smtp: TestSmtpServer;
  let server: ServerWithBrowser<MailServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(startMailServer());
    ({ smtp, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  async function ask(page: Page, email: string): Promise<void> {
    await page.getByRole("link", { name: "Change address" }).click();
    await page.getByLabel("New email address").fill(email);
    await press(page, "Send the link");
    await page.getByText(`Waiting for ${email}`).waitFor();
  }

  for (const [device, options] of DEVICES) {
    test(`is changed by mail after the proof, also in another browser, on ${device}`, async () => {
      const name = device.slice(2);
      const [old, first, email] = [`old-${name}@example.org`, `first-${name}@example.org`, `new-${name}@example.org`];
      const home = homeOf(server);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await signUpAs(page, home, old);
      await page.goto(linkIn(await smtp.next(old), "verify"));
      await press(page, "Verify your address");
      await page.getByRole("heading", { name: "Address verified" }).waitFor();

      await page.goto(`${home}/settings`);
      await ask(page, first);
      await tapOrClick(page.getByRole("button", { name: "Cancel the change", exact: true }), options);
      await page.getByText("Cancelled. Your address stays the same.").waitFor();
      await soon(async () => assert.equal(await page.getByText("Waiting for").count(), 0));
      await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: 0 }).execute());
      await page.getByRole("link", { name: "Change address" }).click();
      await page.getByLabel("Password").fill(PASSWORD);
      await press(page, "Continue");
      await page.getByLabel("New email address").fill(old);
      await press(page, "Send the link");
      await page.getByText("This is your address already.").waitFor();
      await page.goto(`${home}/settings`);
      await ask(page, email);

      await using other = await openPage(browser, options);
      await other.page.goto(linkIn(await smtp.next(email), "email"));
      await other.page.getByLabel("Email address or username").fill(old);
      await other.page.getByLabel("Password").fill(PASSWORD);
      await press(other.page, "Sign in");
      await other.page.getByText(`You then sign in with ${email}`).waitFor();
      // Only a button changes something, and reloading after it asks for no other link.
      await Promise.all([page.reload(), other.page.reload()]);
      await tapOrClick(other.page.getByRole("button", { name: "Verify the address", exact: true }), options);
      await other.page.getByRole("heading", { name: "Address changed" }).waitFor();
      await other.page.getByRole("link", { name: "Go to your settings" }).click();
      await other.page.getByRole("main").getByText(email).first().waitFor();
      await soon(async () => assert.equal(await other.page.getByText("Waiting for").count(), 0));
      await soon(async () => assert.equal(await page.getByRole("main").getByText(email, { exact: true }).count(), 0));
      await page.reload();
      await page.getByRole("main").getByText(email, { exact: true }).first().waitFor();

      await smtp.next(old);
      assert.match((await smtp.next(old)).text, /asked to change its address/);
      assert.match((await smtp.next(old)).text, /can no longer sign in with this address/);
      assert.deepEqual(
        [...opened.complaints, ...other.complaints].filter((text) => !/status of 409/.test(text)),
        [],
      );
    });
  }
});
