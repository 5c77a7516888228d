import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
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
});
