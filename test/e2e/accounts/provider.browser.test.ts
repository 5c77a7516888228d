import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { reservePort } from "../../support/network/free-ports.ts";
import type { TestServer } from "../../support/server.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../../support/services/identity-provider.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { accountMenu, signOut } from "../support/accounts/person.ts";
import { codeOf } from "../support/accounts/two-step.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
/** accounts, "OpenID Connect". */
describeUnless(browserMissing, "an OpenID Connect provider in a browser", () => {
  let browser: Browser;
  let provider: TestIdentityProvider;
  let server: TestServer;
  let home: string;
  before(async () => {
    const port = await reservePort();
    home = `http://localhost:${port}`;
    provider = await startIdentityProvider(`${home}/signin/oidc/callback`);
    server = await startPlainServer({
      ...provider.env,
      FILEHOST_LISTEN: `127.0.0.1:${port}`,
      FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }),
    });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  /** Signs in on the provider's pages, and agrees to what it tells the site. */
  async function signInThere(page: Page, login: string): Promise<void> {
    await page.locator("input[name=login]").fill(login);
    await page.locator("input[name=password]").fill("any");
    await press(page, "Sign-in");
    await press(page, "Continue");
  }

  async function signUpHere(page: Page, email: string): Promise<void> {
    await page.goto(`${home}/signup`);
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Create an account");
    await accountMenu(page).waitFor();
  }

  /** Moves the proof of all sessions to this time. */
  const setProof = (at: number) => withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: at }).execute());

  for (const [device, options] of DEVICES)
    test(`creates an account, signs out, and signs in again, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page, complaints } = opened;
      const login = `grace-${device.slice(2)}`;
      provider.people.set(login, { email: `${login}@example.org`, email_verified: true, name: "Grace Hopper" });
      await page.goto(`${home}/settings`);
      await press(page, "Continue with Example login");
      await signInThere(page, login);
      await page.getByText(`${login}@example.org`, { exact: true }).first().waitFor();
      await signOut(page);
      await page.goto(`${home}/signin?next=%2Fsettings%2Fsecurity`);
      // The provider remembers who this is.
      await press(page, "Continue with Example login");
      await page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
      assert.equal(page.url(), `${home}/settings/security`);
      await tapOrClick(page.getByRole("button", { name: "Disconnect: Example login", exact: true }), options);
      await page.getByRole("alert").getByText("no other way to sign in").waitFor();
      // The refusal, and a font of the provider's pages.
      assert.deepEqual(
        complaints.filter((text) => !/status of 409|ERR_NAME_NOT_RESOLVED/.test(text)),
        [],
      );
    });

  for (const [device, options] of DEVICES)
    test(`is connected to an account only from its own session, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const login = `ada-${device.slice(2)}`;
      const email = `${login}@example.org`;
      provider.people.set(login, { email, email_verified: true, name: "Ada" });
      await signUpHere(page, email);
      await page.goto(`${home}/settings`);
      await signOut(page);

      await page.goto(`${home}/signin`);
      await press(page, "Continue with Example login");
      await signInThere(page, login);
      await page.getByRole("heading", { name: "Your address already has an account" }).waitFor();
      await page.getByRole("link", { name: "Sign in", exact: true }).last().click();
      await page.getByLabel("Email address or username").fill(email);
      await page.getByLabel("Password").fill(PASSWORD);
      await press(page, "Sign in");
      await tapOrClick(page.getByRole("button", { name: "Connect Example login", exact: true }), options);
      await page.getByText(/^Connected since/).waitFor();
      await page.goto(`${home}/settings`);
      await signOut(page);
      await page.goto(`${home}/signin?next=%2Fsettings`);
      await press(page, "Continue with Example login");
      await page.getByText(email, { exact: true }).first().waitFor();
      await tapOrClick(page.getByRole("link", { name: "Security" }), options);
      await press(page, "Disconnect: Example login");
      await page.getByLabel("Password").fill(PASSWORD);
      await press(page, "Continue");
      await press(page, "Disconnect: Example login");
      await page.getByText("Not connected").waitFor();
    });

  for (const [device, options] of DEVICES)
    test(`asks for the code of an account with two-step sign-in, also before a proof, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const login = `hedy-${device.slice(2)}`;
      provider.people.set(login, { email: `${login}@example.org`, email_verified: true, name: "Hedy Lamarr" });
      await page.goto(`${home}/signin`);
      await press(page, "Continue with Example login");
      await signInThere(page, login);
      await accountMenu(page, "Hedy Lamarr").waitFor();
      await setProof(Date.now());
      await page.goto(`${home}/settings/security/two-step`);
      const secret = ((await page.locator("#totp-secret").textContent()) ?? "").replaceAll(" ", "");
      await page.getByLabel("Code of 6 digits").fill(codeOf(secret));
      await press(page, "Turn on");
      await page.locator(".recovery-codes code").nth(9).waitFor();
      const codes = await page.locator(".recovery-codes code").allTextContents();
      await page.goto(`${home}/settings`);
      await signOut(page);

      await page.goto(`${home}/signin?next=%2Fshares`);
      await press(page, "Continue with Example login");
      await page.getByRole("heading", { name: "Enter your code" }).waitFor();
      await page.getByLabel("Code of 6 digits").fill("000000");
      await press(page, "Sign in");
      await page.getByRole("alert").getByText("The code is wrong").waitFor();
      await page.getByText("Use a recovery code instead").click();
      await page.getByLabel("Recovery code").fill(codes[0] ?? "");
      await page.locator("#recovery").getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Shares", exact: true }).waitFor();

      await setProof(0);
      await page.goto(`${home}/settings/security/two-step`);
      await page.getByLabel("Code of the app, or a recovery code").fill("aaaaa-aaaaa");
      await press(page, "Continue with Example login");
      await page.getByRole("alert").getByText("The code is wrong").waitFor();
      await page.getByLabel("Code of the app, or a recovery code").fill(codes[1] ?? "");
      await press(page, "Continue with Example login");
      await page.locator("input[name=login]").fill(login);
      await page.locator("input[name=password]").fill("any");
      await press(page, "Sign-in");
      await page.getByText("8 of 10 left").waitFor();
      assert.equal(page.url(), `${home}/settings/security/two-step`);
    });

  test("reports that the person has cancelled there", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(`${home}/signin`);
    await press(page, "Continue with Example login");
    await page.getByRole("link", { name: /cancel/i }).click();
    await page.getByRole("heading", { name: "You did not sign in" }).waitFor();
    await page.getByRole("link", { name: "Go to the sign-in page" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("proves who uses the session, only after the password is entered there again", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    provider.people.set("proof", { email: "proof@example.org", email_verified: true });
    await page.goto(`${home}/signin`);
    await press(page, "Continue with Example login");
    await signInThere(page, "proof");
    await accountMenu(page, "proof").waitFor();
    await page.goto(`${home}/prove?next=%2Fsettings`);
    assert.equal(page.url(), `${home}/prove?next=%2Fsettings`);
    await press(page, "Continue with Example login");
    await page.locator("input[name=login]").fill("proof");
    await page.locator("input[name=password]").fill("any");
    await press(page, "Sign-in");
    await page.getByText("proof@example.org", { exact: true }).first().waitFor();
    await page.goto(`${home}/prove?next=%2Fsettings%2Fsecurity`);
    assert.equal(page.url(), `${home}/settings/security`);
  });

  test("does not sign in a disabled account", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    provider.people.set("gone", { email: "gone@example.org", email_verified: true });
    await page.goto(`${home}/signin`);
    await press(page, "Continue with Example login");
    await signInThere(page, "gone");
    await accountMenu(page, "gone").waitFor();
    assert.equal((await server.run(["users", "disable", "gone@example.org"])).code, 0);
    await page.goto(`${home}/signin`);
    await press(page, "Continue with Example login");
    await page.getByRole("heading", { name: "Your account is disabled" }).waitFor();
    await page.goto(`${home}/settings`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("creates no account for an address to which an administrator's command gave one", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const { userId } = await addAccount(server);
    provider.people.set("made", { email: `${userId}@example.org`, email_verified: true });
    await page.goto(`${home}/signin`);
    await press(page, "Continue with Example login");
    await signInThere(page, "made");
    await page.getByRole("heading", { name: "Your address already has an account" }).waitFor();
  });
});
