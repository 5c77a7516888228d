import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { type OAuthApplication, startApplication } from "../support/accounts/oauth-client.ts";
import { fillSignIn, homeOf, PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { signUpWithTotp } from "../support/accounts/two-step.ts";
import { clientOf } from "../support/api/api.ts";
import { callTool } from "../support/api/mcp.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";

/** oauth, "Discovery", "Consent", "Connected applications" and "Tokens", with the official client. */
describeUnless(browserMissing, "connecting an application in a browser", () => {
  const site = useBrowsedServer({ FILEHOST_LIMITS: '{"rates":{"signUps":100}}' });
  const home = (): string => homeOf(site.server);
  const see = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, exact: true }).waitFor();
  const start = (name: string): Promise<OAuthApplication> => startApplication(`${home()}/mcp`, name);
  const signUp = async (email: string): Promise<void> => {
    await clientOf(site.server).call("signUp", { email, name: "Ada Lovelace", password: PERSONS_PASSWORD });
  };

  for (const [device, options] of [...DEVICES, ["a desktop without scripts", { javaScriptEnabled: false }]] as const) {
    const press = (page: Page, name: string) => tapOrClick(page.getByRole("button", { name, exact: true }), options);

    test(`leads from a 401 to tools, a refresh and the end of the connection, on ${device}`, async () => {
      const email = `${device.replaceAll(" ", "-")}@example.org`;
      await signUp(email);
      await using application = await start("Notes & <i>more</i>");
      assert.equal(await application.connect(), undefined, "it needs consent");
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.goto(application.consentUrl.href);
      await fillSignIn(page, email);
      await see(page, "Connect Notes & <i>more</i>?");
      await page.getByText("Then you go to a program on this device.").waitFor();
      await page.getByText("See your files, folders and shares").waitFor();
      await soon(async () => assert.equal(await page.getByText("Manage the rest of your account").count(), 0));
      await press(page, "Allow");
      await see(page, "You can close this page");
      const answer = await application.answer;
      assert.equal(answer.get("state"), "the application's state");
      await application.finish(answer);
      const client = await application.connect();
      assert.ok(client);
      const uploaded = await callTool({ client }, "upload", { contentBase64: btoa("hello"), fileName: "a.txt" });
      assert.equal(uploaded.isError, false, uploaded.text);

      const { access_token } = application.tokens ?? {};
      application.breakAccessToken();
      const listed = await callTool({ client }, "list_files");
      assert.match(JSON.stringify(listed.data), /a\.txt/);
      assert.ok(application.tokens?.access_token !== access_token, "it got a new token by itself");

      await page.goto(`${home()}/settings/security`);
      const row = page.getByRole("listitem").filter({ hasText: "Notes & <i>more</i>" });
      await row.getByText("See files · Change files").waitFor();
      await press(page, "Disconnect: Notes & <i>more</i>");
      await page.getByRole("status").getByText("Disconnected.").waitFor();
      await page.getByText("There are none.").waitFor();
      assert.equal(await application.connect(), undefined, "it needs consent again");
      assert.deepEqual(opened.complaints, []);
    });
  }

  test("asks a person with two-step sign-in for the code and returns to the question, and another person can take over", async () => {
    const person = { email: "two-step@example.org", name: "Grace Hopper", password: PERSONS_PASSWORD };
    const account = await signUpWithTotp(site.server, person);
    await using application = await start("Notes");
    await application.connect();
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(application.consentUrl.href);
    await fillSignIn(page, person.email);
    await see(page, "Enter your code");
    await page.getByLabel("Code of 6 digits").fill(account.nextCode());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await see(page, "Connect Notes?");
    await page.getByText("It will act for your account, Grace Hopper.").waitFor();
    await signUp("another@example.org");
    await page.getByRole("button", { name: "Use another account" }).click();
    await fillSignIn(page, "another@example.org");
    await page.getByText("It will act for your account, Ada Lovelace.").waitFor();
  });

  test("sends the refusal back after Cancel", async () => {
    await signUp("cancel@example.org");
    await using application = await start("Notes");
    await application.connect();
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(application.consentUrl.href);
    await fillSignIn(page, "cancel@example.org");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await see(page, "You can close this page");
    const answer = await application.answer;
    assert.deepEqual([answer.get("error"), answer.get("state"), answer.get("iss")], ["access_denied", "the application's state", home()]);
    await assert.rejects(application.finish(answer));
  });
});
