import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { fillSignIn, homeOf, makeAdministrator, PERSONS_PASSWORD, signInAs, signUpAs } from "../support/accounts/person.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { pressAdd } from "../support/pages/files.ts";

const NEW_PASSWORD = "another horse battery";

/** accounts, "Signing in", "Sessions" and "A forgotten password". */
describeUnless(browserMissing, "a session that ends elsewhere", () => {
  const site = useBrowsedServer();
  const home = (): string => homeOf(site.server);
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const see = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const seeFiles = (page: Page) => page.getByText("No files yet").waitFor();
  const newAddress = (): string => `${crypto.randomUUID()}@example.org`;

  for (const [device, options] of DEVICES) {
    test(`asks to sign in at the next action on the page of files, and returns there, on ${device}`, async () => {
      const email = newAddress();
      await using first = await openPage(site.browser, options);
      await using second = await openPage(site.browser, options);
      await signUpAs(first.page, home(), email);
      await signInAs(second.page, home(), email, "/files");
      await seeFiles(second.page);
      await first.page.goto(`${home()}/settings/security`);
      await first.page.getByRole("button", { name: /^Sign out: Chrome/ }).click();
      await first.page.getByText("Signed out there.").waitFor();
      await pressAdd(second.page, "New folder");
      await second.page.getByLabel("Name of the folder").fill("Letters");
      await second.page.keyboard.press("Enter");
      await see(second.page, "Sign in");
      await fillSignIn(second.page, email);
      await see(second.page, "Files");
      await seeFiles(second.page);
    });

    test(`ends after a change of the password in another session, which continues, on ${device}`, async () => {
      const email = newAddress();
      await using first = await openPage(site.browser, options);
      await using second = await openPage(site.browser, options);
      await signUpAs(first.page, home(), email);
      await signInAs(second.page, home(), email, "/shares");
      await first.page.goto(`${home()}/settings/security`);
      await first.page.getByLabel("Current password").fill("a wrong password");
      await first.page.getByLabel("New password").fill(NEW_PASSWORD);
      await press(first.page, "Change password");
      await first.page.getByRole("alert").getByText("The current password is wrong.").waitFor();
      await first.page.getByLabel("Current password").fill(PERSONS_PASSWORD);
      await first.page.getByLabel("New password").fill(NEW_PASSWORD);
      await press(first.page, "Change password");
      await first.page.getByText("Password changed. Signed out in 1 other place.").waitFor();
      await second.page.reload();
      await see(second.page, "Sign in");
      await fillSignIn(second.page, email);
      await second.page.getByRole("alert").getByText("do not match").waitFor();
      await fillSignIn(second.page, email, NEW_PASSWORD);
      await see(second.page, "Shares");
    });

    test(`ends with the password link of an administrator, which works once, on ${device}`, async () => {
      const email = newAddress();
      const name = `Eve of ${device}`;
      await using person = await openPage(site.browser, options);
      await using administrator = await openPage(site.browser, options);
      await signUpAs(person.page, home(), email, name);
      await person.page.goto(`${home()}/forgot`);
      await person.page.getByText("Ask the administrator of this server").waitFor();
      const { page } = administrator;
      await signInAs(page, home(), await makeAdministrator(site.server), "/admin/users");
      await page.getByRole("link", { name }).click();
      await page.locator("summary", { hasText: "Create a password link" }).click();
      await press(page, "Create a password link");
      await see(page, "Password link");
      const link = home() + new URL((await page.locator("#shown-link").textContent()) ?? "").pathname;
      await page.goto(page.url());
      await soon(async () => assert.equal(await page.locator("#shown-link").count(), 0));

      await using opened = await openPage(site.browser, options);
      await opened.page.goto(link);
      await opened.page.getByLabel("New password").fill(NEW_PASSWORD);
      await press(opened.page, "Save the password");
      await see(opened.page, "Password saved");
      await person.page.goto(`${home()}/settings`);
      await see(person.page, "Sign in");
      await fillSignIn(person.page, email, NEW_PASSWORD);
      await see(person.page, "Profile");
      await opened.page.goto(link);
      await see(opened.page, "This link no longer works");
      await opened.page.getByRole("link", { name: "Get a new link" }).click();
      await opened.page.getByText("Ask the administrator of this server").waitFor();
    });
  }
});
