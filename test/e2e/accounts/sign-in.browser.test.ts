import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { accountMenu } from "../support/accounts/person.ts";
import { call } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { choose, getLink, shownShortId, whenSent } from "../support/pages/sending.ts";

const PASSWORD = "correct horse battery";

/** accounts, "Sessions of browsers". */
describeUnless(browserMissing, "an account in a browser", () => {
  const site = useBrowsedServer();

  /** The address under which the site is configured: a session's cookie counts nowhere else. */
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  async function signUp(page: Page, email: string): Promise<void> {
    await page.goto(home());
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Create an account");
    await accountMenu(page).waitFor();
  }

  async function sessionOf(page: Page): Promise<string> {
    const cookies = await page.context().cookies();
    return cookies.find(({ name }) => name === "session")?.value ?? "";
  }

  for (const [device, options] of DEVICES)
    test(`is created, sends files that belong to it, and signs out everywhere, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const email = `${device.slice(2)}@example.org`;
      await page.goto(`${home()}/signup`);
      const password = page.getByLabel("Password");
      await password.fill("typed");
      await press(page, "Show password");
      await soon(async () => assert.equal(await password.getAttribute("type"), "text"));
      await press(page, "Hide password");
      await soon(async () => assert.equal(await password.getAttribute("type"), "password"));
      await assertAccessible(page, "sign-up");
      await signUp(page, email);
      await choose(page, "a.txt", "b.txt");
      await getLink(page);
      const shortId = await whenSent(page);
      const key = await sessionOf(page);
      const { body } = await call(site.server, "GET", "/api/files/list", { key });
      const { files } = body.data as { files: readonly { name: string }[] };
      assert.deepEqual(files.map(({ name }) => name).sort(), ["a.txt", "b.txt"]);

      const bar = page.getByRole("region", { name: "Your share" });
      await bar.getByText("No downloads yet").or(bar.getByText("no downloads yet")).first().waitFor();
      await page.reload();
      await bar.getByRole("button", { name: "Edit", exact: true }).click();
      await page.locator("#edit-title").fill("Plans");
      await page.locator("#edit-title").blur();
      await bar
        .locator(".share-setting", { has: page.locator("#edit-title") })
        .getByText("Saved")
        .waitFor();
      await bar.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("button", { name: "Undo", exact: true }).first().waitFor();
      await page.goto(home());
      await until("the share is deleted", async () => (await call(site.server, "GET", `/api/files/share/${shortId}`)).status === 404);

      await using other = await openPage(site.browser, options);
      await other.page.goto(`${home()}/settings/security`);
      await other.page.getByLabel("Email address or username").fill(email);
      await other.page.getByLabel("Password").fill("wrong horse battery");
      await press(other.page, "Sign in");
      await other.page.getByRole("alert").getByText("do not match").waitFor();
      await other.page.getByLabel("Password").fill(PASSWORD);
      await press(other.page, "Sign in");
      await other.page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
      await other.page.getByRole("button", { name: /^Sign out: Chrome/ }).click();
      await other.page.getByText("Signed out there.").waitFor();
      assert.equal((await call(site.server, "GET", "/api/me", { key })).status, 401);
      await page.reload();
      await page.getByRole("link", { name: "Sign in" }).waitFor();
      await other.page.getByRole("link", { name: "Profile" }).click();
      await press(other.page, "Sign out");
      await other.page.getByRole("link", { name: "Sign in" }).waitFor();
      // The wrong password, and the list of what was sent, which asks for a deleted share and then without a session.
      const complaints = [...opened.complaints, ...other.complaints].filter((text) => !/status of (401|404)/.test(text));
      assert.deepEqual(complaints, []);
    });

  test("cancels an upload, and its share is deleted", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await signUp(page, "cancelling@example.org");
    await page.route("**/api/files/batch", () => undefined);
    await choose(page, "a.txt");
    await getLink(page);
    const shortId = await shownShortId(page);
    await press(page, "Cancel");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the upload" }).click();
    await until("the share is deleted", async () => (await call(site.server, "GET", `/api/files/share/${shortId}`)).status === 404);
  });
});
