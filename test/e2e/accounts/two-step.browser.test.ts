import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { accountMenu } from "../support/accounts/person.ts";
import { codeOf } from "../support/accounts/two-step.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";

/** accounts, "Two-step sign-in" and "Proof". */
describeUnless(browserMissing, "two-step sign-in in a browser", () => {
  const site = useBrowsedServer();
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const see = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

  async function signUp(page: Page, email: string): Promise<void> {
    await page.goto(`${home()}/signup`);
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Create an account");
    await accountMenu(page).waitFor();
  }

  async function enterPassword(page: Page, email: string): Promise<void> {
    await page.goto(`${home()}/signin?next=/settings/security`);
    await page.getByLabel("Email address or username").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Sign in");
  }

  const age = () =>
    withDatabase(site.server, (db) => db.updateTable("sessions").set({ proved_at: 0 }).where("proved_at", "is not", null).execute());

  for (const [device, options] of [...DEVICES, ["a browser without scripts", { javaScriptEnabled: false }]] as const)
    test(`is set up, asked for, recovered and turned off, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const email = `${device.replaceAll(" ", "-")}@example.org`;
      await signUp(page, email);
      await page.goto(`${home()}/settings/security`);
      await tapOrClick(page.getByRole("link", { name: "Set up: Two-step sign-in" }), options);
      await see(page, "Set up two-step sign-in");
      await tapOrClick(page.getByText("Enter the key by hand", { exact: true }), options);
      const secret = ((await page.locator("#totp-secret").textContent()) ?? "").replaceAll(" ", "");
      await page.getByLabel("Code of 6 digits").fill("000000");
      await press(page, "Turn on");
      await page.getByRole("alert").getByText("The code is wrong").waitFor();
      await page.getByLabel("Code of 6 digits").fill(codeOf(secret));
      await tapOrClick(page.getByRole("button", { name: "Turn on", exact: true }), options);
      await see(page, "Save your recovery codes");
      await page.locator(".recovery-codes code").nth(9).waitFor();
      const codes = await page.locator(".recovery-codes code").allTextContents();
      assert.equal(codes.length, 10);
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download" }).click();
      const file = await readFile(await (await downloading).path(), "utf8");
      for (const code of codes) assert.ok(file.includes(code));
      await page.getByRole("link", { name: "I have saved them" }).click();
      await page.getByText("On", { exact: true }).waitFor();

      await using other = await openPage(site.browser, options);
      await enterPassword(other.page, email);
      await see(other.page, "Enter your code");
      await other.page.goto(`${home()}/settings`);
      await see(other.page, "Sign in");
      await enterPassword(other.page, email);
      await other.page.getByLabel("Code of 6 digits").fill("000000");
      await press(other.page, "Sign in");
      await other.page.getByRole("alert").getByText("The code is wrong").waitFor();
      await other.page.getByLabel("Code of 6 digits").fill(codeOf(secret, 1));
      await press(other.page, "Sign in");
      await see(other.page, "Security");
      assert.ok(!(await other.page.context().cookies()).some(({ name }) => name === "signin"));

      await using third = await openPage(site.browser, options);
      await enterPassword(third.page, email);
      await tapOrClick(third.page.getByText("Use a recovery code instead"), options);
      await third.page.getByLabel("Recovery code").fill((codes[0] ?? "").toLowerCase());
      await third.page.locator("#recovery").getByRole("button", { name: "Sign in" }).click();
      await see(third.page, "Security");

      await age();
      await third.page.getByRole("link", { name: "Manage: Two-step sign-in" }).click();
      await see(third.page, "Enter your password again");
      await third.page.getByLabel("Password").fill(PASSWORD);
      await third.page.getByLabel("Code of the app, or a recovery code").fill(codes[1] ?? "");
      await press(third.page, "Continue");
      await third.page.getByText("8 of 10 left").waitFor();
      await third.page.locator("summary", { hasText: "Create new codes" }).click();
      await press(third.page, "Create new codes");
      await see(third.page, "Save your recovery codes");
      await third.page.getByRole("link", { name: "I have saved them" }).click();
      await third.page.getByRole("link", { name: "Manage: Two-step sign-in" }).click();
      await third.page.locator("summary", { hasText: "Turn off" }).click();
      await press(third.page, "Turn off");
      await see(third.page, "Set up two-step sign-in");
      const complaints = [...opened.complaints, ...other.complaints, ...third.complaints].filter((text) => !/status of 403/.test(text));
      assert.deepEqual(complaints, []);
    });
});
