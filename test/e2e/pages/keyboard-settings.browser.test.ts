import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { tabTo, waitForFocus, walkThrough } from "../support/pages/keyboard.ts";

const DESKTOP = { viewport: { width: 1280, height: 800 } };

/** pages, "The keyboard". */
describeUnless(browserMissing, "the settings by keyboard", () => {
  // The tests of webhooks go to a port on which nothing listens.
  const site = useBrowsedServer({ FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" });

  /** A person with two sessions, whose first the browser has. */
  async function open(name: string) {
    const person = { email: `${name}@example.org`, password: PERSONS_PASSWORD, name };
    const { data } = await clientOf(site.server).call("signUp", person);
    await clientOf(site.server).call("signIn", { login: person.email, password: PERSONS_PASSWORD });
    const opened = await openPage(site.browser, DESKTOP);
    const { page } = opened;
    const home = homeOf(site.server);
    await page.context().addCookies([{ name: "session", value: data.sessionToken, url: home }]);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    /** Replaces the text of a field. */
    const fill = async (field: RegExp, text: string) => {
      await tabTo(page, field);
      await press("ControlOrMeta+A");
      await page.keyboard.type(text);
    };
    const goTo = (path: string) => page.goto(`${home}/settings${path}`);
    return { ...opened, client: clientOf(site.server, { key: data.sessionToken }), person, press, fill, goTo };
  }

  test("reaches every control in the visible order", async () => {
    const opened = await open("Ada");
    await using _ = opened;
    const { page, client, goTo } = opened;
    await client.call("createKey", { label: "My laptop" });
    const { id } = (await client.call("createWebhook", { url: "https://127.0.0.1:1/hook", events: ["file.ready"] })).data;
    await client.call("updateMe", { username: "ada" });
    for (const path of [
      "",
      "/email",
      "/security",
      "/security/passkeys",
      "/security/two-step",
      "/keys",
      "/webhooks",
      `/webhooks/${id}`,
      "/usage",
      "/claim",
      "/notices",
      "/delete",
    ]) {
      assert.equal((await goTo(path))?.status(), 200, path);
      await walkThrough(page);
    }
    assert.deepEqual(opened.complaints, []);
  });

  test("changes the profile, the sessions and the password, and continues after each change", async () => {
    const opened = await open("Bo");
    await using _ = opened;
    const { page, client, press, fill, goTo } = opened;
    await goTo("");
    await fill(/^Your name/, "Bo Diddley");
    await press("Enter");
    await waitForFocus(page, "Saved.");
    await tabTo(page, "Sign out");
    await fill(/^Username/, "Admin");
    await press("Enter");
    await page.getByRole("alert").waitFor();
    await waitForFocus(page, /^Username/);
    await press("ControlOrMeta+A");
    await page.keyboard.type("bodiddley");
    await press("Enter");
    await waitForFocus(page, "Your username is now bodiddley.");

    await goTo("/security");
    await tabTo(page, /^Sign out: /);
    await press("Space");
    await waitForFocus(page, /^Signed out/);
    assert.equal((await client.call("listSessions", {})).data.length, 1);
    await fill(/^Current password/, "wrong horse battery");
    await fill(/^New password/, "a new horse battery");
    await press("Enter");
    await page.getByRole("alert").waitFor();
    await waitForFocus(page, /^Current password/);
    await page.keyboard.type(PERSONS_PASSWORD);
    await fill(/^New password/, "a new horse battery");
    await press("Enter");
    await waitForFocus(page, /^Password changed/);

    await goTo("/notices");
    await tabTo(page, /^Downloads/);
    await press("Space");
    await tabTo(page, "Save");
    await press("Enter");
    await waitForFocus(page, "Saved.");
  });

  test("creates, shows and revokes a key, and adds, tests and deletes a webhook", async () => {
    const opened = await open("Cy");
    await using _ = opened;
    const { page, client, press, fill, goTo } = opened;
    await goTo("/keys");
    await fill(/^Label/, "My laptop");
    await press("Tab", "ArrowDown", "Enter");
    await waitForFocus(page, "Your new key: My laptop");
    await press("Tab");
    await waitForFocus(page, /^Copy/);
    assert.deepEqual(
      (await client.call("listKeys", {})).data.map(({ scope }) => scope),
      ["full"],
    );
    await tabTo(page, "Revoke: My laptop");
    await press("Space");
    await tabTo(page, "Revoke key");
    await press("Enter");
    await waitForFocus(page, "Revoked: My laptop.");
    await tabTo(page, /^Label/);

    await goTo("/webhooks");
    await fill(/^URL/, "https://127.0.0.1:1/hook");
    await tabTo(page, /^file\.ready/);
    await press("Space");
    await tabTo(page, /^file\.failed/);
    await press("Space", "Enter");
    await waitForFocus(page, "Choose at least one event.");
    await tabTo(page, /^file\.ready/);
    await press("Space", "Enter");
    await waitForFocus(page, "Your webhook is added.");
    await press("Tab");
    await waitForFocus(page, /^Copy/);
    await tabTo(page, "Send a test");
    await press("Enter");
    await waitForFocus(page, /^The test failed/);
    await tabTo(page, "Send a test");
    await press("Tab", "Space");
    await waitForFocus(page, /^Paused/);
    await tabTo(page, "Delete webhook");
    await press("Enter");
    await tabTo(page, "Delete webhook");
    await press("Enter");
    await waitForFocus(page, "The webhook is deleted.");
  });

  test("claims a file, and deletes the account", async () => {
    const opened = await open("Dee");
    await using _ = opened;
    const { page, person, press, fill, goTo } = opened;
    const file = await upload(site.server, { name: "mine.txt", bytes: "mine" });
    await goTo("/claim");
    // The form is open, because this browser has sent nothing.
    await page.getByText("This browser has nothing to add").waitFor();
    await fill(/^Link or ID/, file.shareUrl);
    await fill(/^Account token/, "claim_wrong_token");
    await press("Enter");
    await page.getByRole("alert").waitFor();
    await waitForFocus(page, /^Account token/);
    await page.keyboard.type(file.claimToken ?? "");
    await press("Enter");
    await waitForFocus(page, "These files are now yours.");
    await tabTo(page, "Open the share");

    await goTo("");
    await tabTo(page, "Delete account…");
    await press("Enter");
    await page.getByText("1 file (4 bytes)").waitFor();
    await fill(/^Type your email/, "somebody@example.org");
    await press("Enter");
    await page.getByRole("alert").waitFor();
    await waitForFocus(page, /^Type your email/);
    await press("ControlOrMeta+A");
    await page.keyboard.type(person.email);
    await press("Enter");
    await page.getByRole("heading", { name: "Your account is deleted" }).waitFor();
  });
});
