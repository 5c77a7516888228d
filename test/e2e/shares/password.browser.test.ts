import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { choose, getLink, storedRecords, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const PASSWORD = "correct horse battery";
const OTHER = "another horse battery";

/** sharing, "A password of your own"; unlocking, "Passwords"; pages, "A protected share does not show what it contains". */
describeUnless(browserMissing, "a password of the sender on the pages", () => {
  let browser: Browser;
  let server: ServerWithSender;
  before(async () => {
    server = await withSender(startPlainServer());
    ({ browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  test("is chosen on the front page, opens the share, and is changed and removed by its sender", async () => {
    await using sender = await openPage(browser);
    const { page } = sender;
    await page.goto(server.url);
    await choose(page, "secret.txt");
    await page.getByText("Options").click();
    await page.getByLabel("Password", { exact: true }).check();
    await getLink(page);
    await page.locator("#share-password-error").waitFor();
    await page.getByLabel("Your password").fill(PASSWORD);
    await getLink(page);
    const shortId = await whenSent(page);
    await page.getByText("Protected with your password.").waitFor();
    await page.locator("main:not(:has(.code)) form[data-download]").first().waitFor();
    await soon(async () => assert.deepEqual(await page.evaluate("[scrollY, document.activeElement.closest('#sent') !== null]"), [0, true]));
    await page.getByRole("heading", { name: "secret.txt" }).waitFor();
    await soon(async () => assert.ok(!JSON.stringify(await storedRecords(page, "shares")).includes(PASSWORD)));

    await using recipient = await openPage(browser);
    const opened = recipient.page;
    await opened.goto(`${server.url}/d/${shortId}`);
    await opened.getByLabel("Password").fill(PASSWORD.toUpperCase());
    await opened.getByRole("button", { name: "Unlock" }).click();
    await opened.locator("#unlock-problem", { hasText: "Wrong password." }).waitFor();
    await opened.getByLabel("Password").fill(PASSWORD);
    await opened.getByRole("button", { name: "Unlock" }).click();
    await opened.getByRole("button", { name: /Download/ }).waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await page.locator("#edit-password").fill(OTHER);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.locator(".share-setting .sender-note", { hasText: "Saved" }).waitFor();
    await opened.goto(`${server.url}/d/${shortId}`);
    await opened.getByLabel("Password").fill(OTHER);
    await opened.getByRole("button", { name: "Unlock" }).click();
    await opened.getByRole("button", { name: /Download/ }).waitFor();

    await page.locator("#edit-protect").uncheck();
    await page.getByText("We create a code and a private link.").waitFor();
    assert.equal((await getShare(server, shortId)).data.unlockKind, null);
  });

  test("is chosen and entered without JavaScript", async () => {
    await using opened = await openPage(browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "plain.txt");
    await page.getByText("Options").click();
    await page.getByLabel("Password", { exact: true }).check();
    await page.getByLabel("Your password").fill(PASSWORD);
    await getLink(page);
    await page.getByText("The link needs your password.").waitFor();
    await page.locator("[data-link]").click();
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("button", { name: /Download/ }).waitFor();
  });
});
