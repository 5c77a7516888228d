import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import type { TestServer } from "../../support/server.ts";
import { isSigned, makeAuthority, opensslMissing, startReceiver, type TestAuthority } from "../../support/services/webhook-receiver.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { homeOf, signUpAs } from "../support/accounts/person.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { startSendingServer } from "../support/shares/webhooks.ts";

/** webhooks, "Endpoints" and "Delivery". */
describeUnless(browserMissing ?? opensslMissing, "a webhook in the settings", () => {
  let authority: TestAuthority;
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    authority = await makeAuthority();
    server = await startSendingServer(authority);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
  });

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const says = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();

  for (const [device, options] of [...DEVICES, ["a desktop without scripts", { javaScriptEnabled: false }]] as const)
    test(`is created, tested, paused, changed, sent again and deleted, on ${device}`, async () => {
      await using receiver = await startReceiver(authority);
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const home = homeOf(server);
      await signUpAs(page, home, `hooks-${device.replaceAll(" ", "-")}@example.org`);
      await page.goto(`${home}/settings`);
      await tapOrClick(page.getByRole("link", { name: "Webhooks" }), options);
      await page.getByLabel("URL").fill("https://10.0.0.1/");
      await press(page, "Add webhook");
      await page.getByRole("alert").getByText("private networks are not allowed").waitFor();
      await page.getByLabel("URL").fill(`${receiver.url}/hook`);
      await page.getByLabel("Note").fill("Production");
      await press(page, "Add webhook");
      await says(page, "Your webhook is added.");
      const secret = ((await page.locator("#secret").textContent()) ?? "").trim();

      receiver.respondWith({ status: 503 });
      await tapOrClick(page.getByRole("button", { name: "Send a test", exact: true }), options);
      await page.getByRole("alert").getByText("The test failed").waitFor();
      receiver.respondWith({ status: 204 });
      await page
        .getByRole("button", { name: /^Send again/ })
        .first()
        .click();
      await says(page, "Sending it again.");
      await until("the second attempt has arrived", () => receiver.received.length === 2);
      await until("the page says so", async () => {
        await page.getByRole("link", { name: "Refresh" }).click();
        return (await page.getByText("Delivered", { exact: true }).count()) === 1;
      });
      await press(page, "Send a test");
      await says(page, "The test arrived: your server answered 204");
      assert.ok(receiver.received.every((received) => isSigned(received, secret)));

      await press(page, "Pause");
      await says(page, "Paused.");
      await press(page, "Resume");
      await says(page, "Resumed.");
      for (const event of ["file.ready", "file.failed"]) await page.getByLabel(event).uncheck();
      await press(page, "Save");
      await page.getByRole("alert").getByText("Choose at least one event.").waitFor();
      await page.getByLabel("file.downloaded").check();
      await press(page, "Save");
      await says(page, "Saved.");
      await page.locator("summary", { hasText: "Replace the secret" }).click();
      await press(page, "Replace now");
      const newer = ((await page.locator("#secret").textContent()) ?? "").trim();
      await press(page, "Send a test");
      await says(page, "The test arrived");
      const last = receiver.received.at(-1);
      assert.ok(last && isSigned(last, newer) && !isSigned(last, secret));

      await page.getByRole("link", { name: "← Webhooks" }).click();
      await page.getByText("file.downloaded").first().waitFor();
      await page.getByRole("link", { name: receiver.url }).click();
      await page.locator("summary", { hasText: "Delete webhook" }).click();
      await tapOrClick(page.getByRole("button", { name: "Delete webhook", exact: true }), options);
      await says(page, "The webhook is deleted.");
      await page.getByText("No webhooks yet").waitFor();
      const complaints = opened.complaints.filter((text) => !text.includes("status of 400"));
      assert.deepEqual(complaints, []);
    });
});
