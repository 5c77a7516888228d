import assert from "node:assert/strict";
import { test } from "node:test";
import type { CDPSession, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, signOut, signUpAs } from "../support/accounts/person.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { withDatabase } from "../support/servers/state.ts";

/** accounts, "Passkeys" and "Proof", with Chromium's virtual authenticator. */
describeUnless(browserMissing, "passkeys in a browser", () => {
  const site = useBrowsedServer();
  const home = (): string => homeOf(site.server);
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const see = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

  /** A device that keeps passkeys and knows its owner. */
  async function addDevice(page: Page): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("WebAuthn.enable");
    const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { cdp, authenticatorId };
  }

  const forgetProof = () =>
    withDatabase(site.server, (db) => db.updateTable("sessions").set({ proved_at: 0 }).where("proved_at", "is not", null).execute());

  async function addPasskey(page: Page): Promise<void> {
    await page.goto(`${home()}/settings/security`);
    await page.getByRole("link", { name: "Set up: Passkeys" }).click();
    await press(page, "Add a passkey");
    await page.getByText("Passkey added.").waitFor();
  }

  /** The virtual device answers an offer in the field for the address at once, as if its owner had chosen it there. */
  const withoutAutofill = (page: Page) => page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false;");

  for (const [device, options] of DEVICES)
    test(`are added, named, sign in, prove and are removed, on ${device}`, async () => {
      // A phone fills it in, on the page to sign in.
      const hasAutofill = device === "a phone";
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await addDevice(page);
      if (!hasAutofill) await withoutAutofill(page);
      const email = `${device.replaceAll(" ", "-")}@example.org`;
      await signUpAs(page, home(), email);
      await addPasskey(page);
      await tapOrClick(page.locator("summary", { hasText: "Rename" }), options);
      await page.getByLabel("Name").fill("Ada's phone");
      await press(page, "Save the name");
      await page.getByText("Name saved.").waitFor();
      await tapOrClick(page.getByRole("button", { name: "Add a passkey", exact: true }), options);
      await page.getByRole("alert").getByText("This device already has a passkey of your account.").waitFor();

      await page.goto(`${home()}/settings`);
      await signOut(page);
      await page.goto(`${home()}/signin?next=%2Fsettings%2Fsecurity`);
      if (!hasAutofill) await press(page, "Sign in with a passkey");
      await see(page, "Where you are signed in");
      assert.equal(page.url(), `${home()}/settings/security`);

      await forgetProof();
      await page.goto(`${home()}/settings/security/two-step`);
      await see(page, "Confirm that it is you");
      await tapOrClick(page.getByRole("button", { name: "Use a passkey", exact: true }), options);
      await see(page, "Set up two-step sign-in");

      await page.goto(`${home()}/settings/security/passkeys`);
      await page.getByText("Ada's phone").first().waitFor();
      await page.locator("summary", { hasText: "Remove" }).click();
      await press(page, "Remove");
      await page.getByText("Passkey removed.").waitFor();
      await see(page, "No passkeys yet");
      await page.goto(`${home()}/settings`);
      await signOut(page);
      await page.goto(`${home()}/signin`);
      if (!hasAutofill) await press(page, "Sign in with a passkey");
      await page.getByRole("alert").getByText("This passkey does not match an account here").waitFor();
      assert.deepEqual(
        opened.complaints.filter((text) => !/status of 401/.test(text)),
        [],
      );
    });
});
