import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf, openSettings, PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { upload } from "../support/api/api.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { openMore } from "../support/pages/sender-bar.ts";
import { choose, getLink, whenSent } from "../support/pages/sending.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";

/** accounts, "Verification" and "Deleting an account"; sharing, "The public page"; requests, "States". */
describeUnless(browserMissing, "an account in a browser", () => {
  let smtp: TestSmtpServer;
  let server: ServerWithBrowser<MailServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(startMailServer());
    ({ smtp, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const home = (): string => homeOf(server);
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const see = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, exact: true }).waitFor();

  for (const [device, options] of DEVICES)
    test(`is created, verified by mail, shares files with everybody, and is deleted with all its links, on ${device}`, async () => {
      await using owner = await openPage(browser, options);
      const { page } = owner;
      const name = device.replace("a ", "ada-");
      const email = `${name}@example.org`;
      await page.goto(home());
      await page.getByRole("link", { name: "Sign in" }).click();
      await page.getByRole("link", { name: "Create an account" }).click();
      await page.getByLabel("Your name").fill("Ada Lovelace");
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password").fill(PERSONS_PASSWORD);
      await press(page, "Create an account");
      await see(page, "Check your mail");
      await page.goto(linkIn(await smtp.next(email), "verify"));
      await soon(async () => assert.equal(await page.getByText("Open the link that we sent").count(), 0, "it is open"));
      await press(page, "Verify your address");
      await see(page, "Address verified");
      await page.getByRole("link", { name: "Continue" }).click();

      await page.getByText("Options").click();
      await page.getByLabel("Title").fill("Plans for the harbour");
      await choose(page, "harbour.txt", "notes.txt");
      await getLink(page);
      const share = `${home()}/d/${await whenSent(page)}`;
      await openSettings(page);
      await page.getByLabel("Username", { exact: false }).fill(name);
      await press(page, "Use this username");
      await page.getByText(`Your username is now ${name}.`).waitFor();
      await page.getByRole("link", { name: "Files", exact: true }).click();
      // The list of the script: in that of the HTML, a file's link opens its share page.
      await page.getByRole("grid").waitFor();
      await page.getByRole("link", { name: "harbour.txt", exact: true }).click();
      await openMore(page.getByRole("dialog"));
      await page.getByLabel("Show it on your public page").check();
      await page.getByRole("dialog").getByText("Saved", { exact: true }).waitFor();
      await page.goto(`${home()}/requests`);
      await page.getByLabel("What do you ask for?").fill("Photos of the party");
      await press(page, "Create the link");
      const request = home() + new URL((await page.locator("#request-link").getAttribute("href")) ?? "").pathname;

      await using visitor = await openPage(browser, options);
      const publicPage = `${home()}/u/${name}`;
      await visitor.page.goto(publicPage);
      await visitor.page.getByRole("heading", { name: "Ada Lovelace", exact: true }).waitFor();
      await soon(async () => assert.equal(await visitor.page.locator("meta[name=robots]").getAttribute("content"), "noindex, nofollow"));
      await visitor.page.getByRole("link", { name: "Plans for the harbour" }).click();
      await visitor.page.waitForURL(share);
      const [download] = await Promise.all([
        visitor.page.waitForEvent("download"),
        visitor.page.getByRole("button", { name: /^Download all/ }).click(),
      ]);
      assert.match(download.suggestedFilename(), /\.zip$/);
      await visitor.page.goto(request);
      await see(visitor.page, "Photos of the party");

      await openSettings(page);
      await page.getByRole("link", { name: "Delete account" }).click();
      await page.getByLabel("Type your email address to confirm").fill(email);
      await press(page, "Delete my account");
      await see(page, "Your account is deleted");
      for (const [url, title] of [
        [publicPage, "There is no public page here"],
        // The share is closed at once, and then removed.
        [share, /^(This link is not available|Link not found)$/],
        [request, "This request is not available"],
      ] as const) {
        assert.equal((await visitor.page.goto(url))?.status(), 404, url);
        await see(visitor.page, title);
      }
      // The device remembers that it sent the share.
      await page.goto(share);
      await page.getByRole("region", { name: "Your share" }).getByText("This share has ended.").waitFor();
      const complaints = [...owner.complaints, ...visitor.complaints].filter((text) => !/status of 40[14]/.test(text));
      assert.deepEqual(complaints, []);
    });

  test("shows its public shares in pages", async () => {
    const account = await addAccount(server, { username: "grace" });
    for (let n = 1; n <= 25; n += 1)
      await upload(server, { bytes: `${n}`, name: `file ${n}.txt`, fields: { visibility: "public" } }, account);
    await using opened = await openPage(browser, { viewport: { width: 390, height: 844 } });
    const { page } = opened;
    await page.goto(`${home()}/u/grace`);
    const cards = page.locator(".public-shares > li");
    await soon(async () => assert.equal(await cards.count(), 24));
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("link", { name: "file 1.txt" }).waitFor();
    await soon(async () => assert.equal(await cards.count(), 1));
    await page.getByRole("link", { name: "First page" }).click();
    await page.getByRole("link", { name: "file 25.txt" }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });
});
