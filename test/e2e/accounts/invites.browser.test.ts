import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { accountMenu, fillSignIn, fillSignUp, homeOf, makeAdministrator, PERSONS_PASSWORD, signInAs } from "../support/accounts/person.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** accounts, "Signing in", "Invites" and "The first administrator". */
describeUnless(browserMissing, "invites in a browser", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const see = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  /** The path of a link that the server made. */
  const pathOf = (link: string | null | undefined): string => new URL(link ?? "").pathname;
  /** The complaints that are not about refused responses. */
  const unexpected = (opened: readonly { readonly complaints: readonly string[] }[]): string[] =>
    opened.flatMap(({ complaints }) => complaints).filter((text) => !/status of 403/.test(text));

  for (const [device, options] of DEVICES) {
    test(`create one account each if sign-up is closed, on ${device}`, async () => {
      await using server = await startPlainServer({ FILEHOST_SIGNUP: "invite" });
      const home = homeOf(server);
      await using administrator = await openPage(browser, options);
      await signInAs(administrator.page, home, await makeAdministrator(server), "/admin/invites");
      await administrator.page.getByLabel("Email address").fill("eve@example.org");
      await press(administrator.page, "Create a link");
      const invite = home + pathOf(await administrator.page.locator("#shown-link").textContent());

      await using invited = await openPage(browser, options);
      const { page } = invited;
      await page.goto(`${home}/signin`);
      await soon(async () => assert.equal(await page.getByRole("link", { name: "Create an account" }).count(), 0));
      await page.goto(`${home}/signup`);
      await see(page, "You need an invite");
      await soon(async () => assert.equal(await page.getByLabel("Password").count(), 0));
      await page.goto(invite);
      await see(page, "You are invited");
      await soon(async () => assert.equal(await page.getByLabel("Email address").inputValue(), "eve@example.org"));
      await soon(async () => assert.equal(await page.getByLabel("Email address").isEditable(), false));
      await soon(async () => assert.equal(await page.evaluate("document.activeElement.name"), "name"));
      await page.getByLabel("Your name").fill("Eve");
      await page.getByLabel("Password").fill(PERSONS_PASSWORD);
      await press(page, "Create an account");
      await accountMenu(page, "Eve").waitFor();
      await soon(async () => assert.equal(await page.getByRole("link", { name: "Admin", exact: true }).count(), 0));

      await using late = await openPage(browser, options);
      assert.equal((await late.page.goto(invite))?.status(), 403);
      await see(late.page, "This invite does not work");
      await soon(async () => assert.equal(await late.page.getByLabel("Password").count(), 0));
      await administrator.page.goto(`${home}/admin/invites`);
      await administrator.page.getByText("No open invites").waitFor();
      assert.deepEqual(unexpected([administrator, invited, late]), []);
    });

    test(`set up a server once from the link in its log, on ${device}`, async () => {
      await using server = await startPlainServer({ FILEHOST_SIGNUP: "closed" });
      const home = homeOf(server);
      const links = () => server.logs().flatMap(({ msg }) => /http\S+\/invite\/invite_[\w-]+/.exec(msg ?? "") ?? []);
      const link = home + pathOf(await until("the link is in the log", () => links()[0]));
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(`${home}/signup`);
      await see(page, "Sign-up is closed");
      await page.goto(link);
      await see(page, "Set up this server");
      await fillSignUp(page, "ada@example.org");
      await see(page, "Overview");
      assert.equal(page.url(), `${home}/admin`);
      await page.getByRole("link", { name: "Admin", exact: true }).waitFor();

      await using late = await openPage(browser, options);
      await late.page.goto(link);
      await see(late.page, "This invite does not work");
      await late.page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
      await fillSignIn(late.page, "ada@example.org");
      await accountMenu(late.page).waitFor();
      assert.deepEqual(unexpected([opened, late]), []);
    });

    test(`are not required for an administrator that a command creates, whose link sets the password, on ${device}`, async () => {
      await using server = await startPlainServer();
      const home = homeOf(server);
      await server.run(["users", "create", "--email", "ada@example.org", "--name", "Ada Lovelace", "--admin"]);
      const { stdout } = await server.run(["users", "reset-password", "ada@example.org", "--json"]);
      const link = home + pathOf((JSON.parse(stdout) as { url: string }).url);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(link);
      await see(page, "Choose a new password");
      await page.getByLabel("New password").fill(PERSONS_PASSWORD);
      await press(page, "Save the password");
      await see(page, "Password saved");
      await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
      await fillSignIn(page, "ada@example.org");
      await page.getByRole("link", { name: "Admin", exact: true }).click();
      await see(page, "Overview");
      await page.goto(link);
      await see(page, "This link no longer works");
      assert.deepEqual(unexpected([opened]), []);
    });
  }
});
