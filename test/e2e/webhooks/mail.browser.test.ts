import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { accountMenu, signOut } from "../support/accounts/person.ts";
import { call } from "../support/api/api.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { choose, getLink, shownShortId, whenSent } from "../support/pages/sending.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "another horse battery";

/** accounts, "Verification" and "A forgotten password"; notices, "The list" and "Unsubscribing"; sign in, "Addresses that have an account". */
describeUnless(browserMissing, "mail in a browser", () => {
  let smtp: TestSmtpServer;
  let server: ServerWithBrowser<MailServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(startMailServer({ FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }) }));
    ({ smtp, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const home = (): string => `http://localhost:${new URL(server.url).port}`;
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  async function signUp(page: Page, email: string): Promise<void> {
    await page.goto(`${home()}/signup`);
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Create an account");
  }

  async function verify(page: Page, email: string, { isSignedIn = true } = {}): Promise<void> {
    await page.goto(linkIn(await smtp.next(email), "verify"));
    if (!isSignedIn) await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Verify your address");
    await page.getByRole("heading", { name: "Address verified" }).waitFor();
  }

  for (const [device, options] of DEVICES) {
    const email = `${device.slice(2)}@example.org`;

    test(`verifies an address, also in another browser, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await signUp(page, email);
      await page.getByRole("heading", { name: "Check your mail" }).waitFor();
      await smtp.next(email);
      await tapOrClick(page.getByRole("button", { name: "Send the link again", exact: true }), options);
      await page.getByText("Sent. The earlier link no longer works.").waitFor();
      await page.getByRole("link", { name: "Continue" }).click();
      await page.getByText("Up to 1 GB per file").waitFor();
      const banner = page.getByText(`Open the link that we sent to ${email}.`);
      await banner.waitFor();
      await using other = await openPage(browser, options);
      await verify(other.page, email, { isSignedIn: false });
      await accountMenu(other.page).waitFor();
      await page.reload();
      await page.getByText("Up to 5 GB per file").waitFor();
      await soon(async () => assert.equal(await banner.count(), 0));
      assert.deepEqual([...opened.complaints, ...other.complaints], []);
    });

    test(`informs only the owner when a stranger signs up with the address of an account, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await signUp(page, email);
      await page.getByRole("heading", { name: "Check your mail" }).waitFor();
      await page.getByText(`We sent a link to ${email}.`).waitFor();
      assert.match((await smtp.next(email)).text, /already has an account, so nothing changed/);
      await page.goto(`${home()}/settings`);
      await page.getByRole("main").getByText(email, { exact: true }).first().waitFor();
      await signOut(page);
      await signUp(page, `new-${email}`);
      await page.getByRole("heading", { name: "Check your mail" }).waitFor();
      await page.goto(`${home()}/settings`);
      await signOut(page);
      await page.goto(`${home()}/signin`);
      await page.getByLabel("Email address or username").fill(`new-${email}`);
      await page.getByLabel("Password").fill(PASSWORD);
      await press(page, "Sign in");
      await page.getByText("If your account is new, open the link in our mail first.").waitFor();
      await verify(page, `new-${email}`, { isSignedIn: false });
      await accountMenu(page).waitFor();
      assert.deepEqual(
        opened.complaints.filter((text) => !/status of 401/.test(text)),
        [],
      );
    });

    test(`sets a forgotten password by mail, once, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(`${home()}/signin`);
      await page.getByRole("link", { name: "Forgot your password?" }).click();
      await page.getByLabel("Email address").fill(email);
      await press(page, "Send the link");
      await page.getByText(`If ${email} has an account, we sent a link there.`).waitFor();
      const link = linkIn(await smtp.next(email), "reset");
      await page.goto(link);
      await page.getByLabel("New password").fill(NEW_PASSWORD);
      await tapOrClick(page.getByRole("button", { name: "Save the password", exact: true }), options);
      await page.getByRole("heading", { name: "Password saved" }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
      await page.getByLabel("Email address or username").fill(email);
      await page.getByLabel("Password").fill(NEW_PASSWORD);
      await press(page, "Sign in");
      await accountMenu(page).waitFor();
      await page.goto(link);
      await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
      assert.deepEqual(
        opened.complaints.filter((text) => !/status of 403/.test(text)),
        [],
      );
    });

    test(`lists a download, mails it, and ends such mails, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const address = `told-${email}`;
      await signUp(page, address);
      await verify(page, address);
      await page.goto(home());
      await tapOrClick(page.getByText("Options"), options);
      await page.getByLabel("Notices about the link").selectOption("Always");
      await choose(page, "a.txt");
      await getLink(page);
      const shortId = await whenSent(page);
      await soon(async () => assert.equal(shortId, await shownShortId(page)));
      const { body } = await call(server, "GET", `/api/files/share/${shortId}`);
      const [file] = body.files as { id: string }[];
      assert.equal((await call(server, "GET", `/api/files/download/${file?.id}`)).status, 200);
      await page.reload();
      await tapOrClick(page.getByRole("link", { name: "Notices: 1 new" }), options);
      await page.getByText(/was downloaded$/).waitFor();
      await withDatabase(server, (db) => db.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "notices").execute());
      const mail = await smtp.next(address);
      await press(page, "Mark all as read");
      await page.getByRole("link", { name: "Notices", exact: true }).first().waitFor();
      await using other = await openPage(browser, options);
      await other.page.goto(linkIn(mail, "unsubscribe"));
      await tapOrClick(other.page.getByRole("button", { name: "Unsubscribe", exact: true }), options);
      await other.page.getByRole("heading", { name: "Unsubscribed" }).waitFor();
      await page.goto(`${home()}/settings/notices`);
      await soon(async () => assert.equal(await page.getByLabel("Also by mail").isChecked(), false));
      await page.getByLabel("Also by mail").check();
      await press(page, "Save");
      await page.getByText("Saved.").waitFor();
      await soon(async () => assert.equal(await page.getByLabel("Also by mail").isChecked(), true));
      assert.deepEqual([...opened.complaints, ...other.complaints], []);
    });
  }
});
