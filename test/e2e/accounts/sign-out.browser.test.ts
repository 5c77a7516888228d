import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { fillSignIn, homeOf, signUpAs } from "../support/accounts/person.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { choose, getLink, whenSent } from "../support/pages/sending.ts";

/** pages, "What a device remembers". */
describeUnless(browserMissing, "signing out", () => {
  const site = useBrowsedServer();

  async function sendFrom(page: Page, home: string, name: string): Promise<void> {
    await page.goto(home);
    await choose(page, name);
    await getLink(page);
    await whenSent(page);
  }

  test("forgets what the account sent from this device, and keeps anonymous shares", async () => {
    const home = homeOf(site.server);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const send = (name: string) => sendFrom(page, home, name);
    const recent = (name: string) => page.locator("#recent").getByRole("link", { name });
    await send("anonymous.txt");
    await signUpAs(page, home, "ada@example.org");
    await send("own.txt");
    await page.goto(home);
    await recent("own.txt").waitFor();
    await page.goto(`${home}/settings`, { waitUntil: "networkidle" });
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL(`${home}/`);
    await recent("anonymous.txt").waitFor();
    await recent("own.txt").waitFor({ state: "detached" });
    await page.goto(`${home}/signin`);
    await fillSignIn(page, "ada@example.org");
    await page.waitForURL(`${home}/`);
    await recent("anonymous.txt").waitFor();
    await recent("own.txt").waitFor({ state: "detached" });
  });

  test("keeps shares of another account, and forgets shares that another tab sent since the page was opened", async () => {
    const home = homeOf(site.server);
    await using opened = await openPage(site.browser);
    const { page: first } = opened;
    const signOut = (page: Page) => page.getByRole("button", { name: "Sign out", exact: true }).click();
    await signUpAs(first, home, "first@example.org");
    await first.goto(`${home}/settings`, { waitUntil: "networkidle" });

    const second = await first.context().newPage();
    const recent = (name: string) => second.locator("#recent").getByRole("link", { name });
    await sendFrom(second, home, "first.txt");
    await second.context().clearCookies({ name: "session" });
    await signUpAs(second, home, "second@example.org");
    await sendFrom(second, home, "second.txt");
    await second.goto(`${home}/settings`, { waitUntil: "networkidle" });
    await signOut(second);
    await second.waitForURL(`${home}/`);
    await recent("first.txt").waitFor();
    await recent("second.txt").waitFor({ state: "detached" });

    await signOut(first);
    await first.waitForURL((url) => url.pathname !== "/settings");
    await second.goto(home);
    await second.waitForLoadState("networkidle");
    await recent("first.txt").waitFor({ state: "detached" });
  });

  test("asks before it forgets the key of an encrypted share, whose link the list of shares copies with the key", async () => {
    const home = homeOf(site.server);
    await using opened = await openPage(site.browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    await signUpAs(page, home, "keys@example.org");
    await page.goto(home);
    await choose(page, "sealed.txt");
    await page.locator("#options > summary").click();
    await page.getByLabel("Encrypt end to end").check();
    await getLink(page);
    await whenSent(page);
    const shared = async (message: (row: Locator) => Locator): Promise<string> => {
      await page.goto(`${home}/shares`);
      const row = page.locator("[data-share]").first();
      await row.getByRole("button", { name: "Copy link" }).click();
      await message(row).waitFor();
      return await page.evaluate(() => navigator.clipboard.readText());
    };
    await page.goto(`${home}/shares`);
    await page.locator("[data-share] .name").getByText("sealed.txt").waitFor();
    assert.match(await shared((row) => row.getByText("Copied")), /#key=AGE-SECRET-KEY-1/);

    const signOut = async (choice: string): Promise<void> => {
      await page.goto(`${home}/settings`, { waitUntil: "networkidle" });
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("dialog", { name: "Keep the keys on this device?" }).getByRole("button", { name: choice }).click();
    };
    await signOut("Cancel");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, "/settings");
    await signOut("Sign out, keep the keys");
    await page.waitForURL(`${home}/`);
    await page.locator("#recent").getByRole("link", { name: "sealed.txt" }).waitFor();
    const signIn = async (): Promise<void> => {
      await page.goto(`${home}/signin`);
      await fillSignIn(page, "keys@example.org");
      await page.waitForURL(`${home}/`);
    };
    await signIn();
    await signOut("Sign out and forget them");
    await page.waitForURL(`${home}/`);
    await signIn();
    const withoutKey = await shared(() => page.getByText("Link copied without its key").first());
    assert.match(withoutKey, /\/d\/[^#]+$/);
    await soon(async () => assert.equal(await page.locator("[data-copied]").count(), 0));
  });
});
