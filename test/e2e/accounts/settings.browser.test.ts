import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { makeFolder } from "../../support/folder.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { accountMenu, homeOf, openSettings, signUpAs } from "../support/accounts/person.ts";
import { assertRefused, call, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";

const run = promisify(execFile);

/** accounts, "Profile", "Usernames", "Keys and scopes" and "Deleting an account"; sharing, "Claiming". */
describeUnless(browserMissing, "the settings in a browser", () => {
  const site = useBrowsedServer({ FILEHOST_LIMITS: '{"rates":{"signUps":100}}' });
  const home = (): string => homeOf(site.server);
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  const ask = (page: Page, name: string) => page.locator("summary", { hasText: name }).click();

  for (const [device, options] of [...DEVICES, ["a desktop without scripts", { javaScriptEnabled: false }]] as const) {
    const id = device.replace("a ", "").replaceAll(" ", "-");

    test(`change the name and claim a username, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await signUpAs(page, home(), `profile-${id}@example.org`);
      await openSettings(page);
      await page.getByLabel("Your name").fill("Ada King");
      await press(page, "Save");
      await page.getByRole("status").getByText("Saved.").waitFor();
      await accountMenu(page, "Ada King").waitFor();
      await page.getByLabel("Username", { exact: false }).fill("Admin");
      await tapOrClick(page.getByRole("button", { name: "Use this username", exact: true }), options);
      await page.getByRole("alert").getByText("taken or reserved").waitFor();
      await page.getByLabel("Username", { exact: false }).fill(`Ada-${id}`);
      await press(page, "Use this username");
      await page.getByRole("status").getByText(`Your username is now ada-${id}.`).waitFor();
      await soon(async () =>
        assert.equal(await page.locator("#account-menu").locator(`a[href="/u/ada-${id}"]`).textContent(), "Public page"),
      );
      await ask(page, "Remove username");
      await press(page, "Remove username");
      await page.getByRole("status").getByText("Your username is removed.").waitFor();
      await page.getByRole("button", { name: "Use this username" }).waitFor();
      assert.deepEqual(
        opened.complaints.filter((text) => !text.includes("status of 409")),
        [],
      );
    });

    test(`create a key that curl uses until it is replaced and revoked, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await using folder = await makeFolder();
      await writeFile(join(folder.path, "photo.jpg"), "a photo");
      await signUpAs(page, home(), `keys-${id}@example.org`);
      await page.goto(`${home()}/settings`);
      await page.getByRole("link", { name: "API keys" }).click();
      await page.getByText("No keys yet").waitFor();
      await page.getByLabel("Label").fill("My laptop");
      await tapOrClick(page.getByRole("button", { name: "Create key", exact: true }), options);
      await page.getByRole("heading", { name: "Your new key: My laptop" }).waitFor();
      const shown = async (selector: string) => ((await page.locator(selector).textContent()) ?? "").trim();
      const sh = (command: string) => run("/bin/sh", ["-c", command], { cwd: folder.path });
      const command = await shown("#command");
      assert.match((await sh(`${command} -s`)).stdout, /^http\S+\/d\/\w{8}\n/);

      await ask(page, "Replace: My laptop");
      await page.getByText("Programs with the old one stop working immediately.").waitFor();
      await press(page, "Replace now");
      await page.getByRole("heading", { name: "Your new key: My laptop" }).waitFor();
      const newer = await shown("#command");
      assert.notEqual(newer, command);
      assert.match((await sh(`${command} -s`)).stdout, /not valid|revoked/i);
      assert.match((await sh(`${newer} -s`)).stdout, /\/d\/\w{8}\n/);

      // The page again does not show the key again.
      await page.goto(`${home()}/settings/keys`);
      await soon(async () => assert.equal(await page.locator("#key").count(), 0));
      await ask(page, "Revoke: My laptop");
      await tapOrClick(page.getByRole("button", { name: "Revoke key", exact: true }), options);
      await page.getByRole("status").getByText("Revoked: My laptop.").waitFor();
      await page.getByText("No keys yet").waitFor();
      assert.match((await sh(`${newer} -s`)).stdout, /not valid|revoked/i);

      await page.getByLabel("Label").fill("Backup");
      await page.getByRole("radio", { name: /^Read files/ }).check();
      // A double press makes one key.
      await page.getByRole("button", { name: "Create key", exact: true }).dblclick();
      const reader = page.locator(".item").filter({ hasText: "Backup" });
      await soon(async () => assert.match((await reader.textContent()) ?? "", /Read files.*last used never/));
      const key = await shown("#key");
      assert.equal((await call(site.server, "GET", "/api/files/list", { key })).status, 200);
      assertRefused(await call(site.server, "POST", "/api/shares", { key, json: {} }), { status: 403, code: "INSUFFICIENT_SCOPE" });
      await page.goto(`${home()}/settings/keys`);
      await soon(async () => assert.match((await reader.textContent()) ?? "", /Read files.*last used (?:just now|\d+\s\w+ ago)/));
      assert.deepEqual(opened.complaints, []);
    });

    test(`claim an anonymous upload by its link and token, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const anonymous = await upload(site.server, { name: "mine.txt", bytes: "mine" });
      await signUpAs(page, home(), `claims-${id}@example.org`);
      await page.goto(`${home()}/settings`);
      await page.getByRole("link", { name: "Usage" }).click();
      await page.getByRole("main").getByText("of 10 GB used").waitFor();
      await tapOrClick(page.getByRole("link", { name: "Add sent files" }), options);
      const claim = async (link: string, token = "") => {
        await page.locator("#by-token").evaluate((form) => form.setAttribute("open", ""));
        await page.getByLabel("Link or ID").fill(link);
        await page.getByLabel("Account token").fill(token);
        await press(page, "Add to my account");
      };
      await claim(anonymous.shareUrl, "claim_wrong_token");
      await page.getByRole("alert").getByText("does not belong to this link").waitFor();
      await claim("https://example.org/d/unknown1", "claim_wrong_token");
      await page.getByRole("alert").getByText("nothing to add").waitFor();
      await claim(anonymous.shareUrl, anonymous.claimToken);
      await page.getByRole("status").getByText("These files are now yours.").waitFor();
      await page.getByRole("link", { name: "Open the share" }).click();
      await page.getByRole("heading", { name: "mine.txt" }).waitFor();
      assert.deepEqual(
        opened.complaints.filter((text) => !/status of 40[34]/.test(text)),
        [],
      );
    });

    test(`delete the account after the address is typed, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const email = `leaves-${id}@example.org`;
      await signUpAs(page, home(), email);
      const session = (await page.context().cookies()).find(({ name }) => name === "session")?.value ?? "";
      const file = await upload(site.server, { bytes: "mine" }, { key: session });
      await openSettings(page);
      await page.getByRole("link", { name: "Delete account" }).click();
      await page.getByText("1 file (4 bytes)").waitFor();
      await page.getByLabel("Type your email address to confirm").fill("somebody@example.org");
      await press(page, "Delete my account");
      await page.getByRole("alert").getByText("This is not your email address").waitFor();
      await page.getByLabel("Type your email address to confirm").fill(email);
      await press(page, "Delete my account");
      await page.getByRole("heading", { name: "Your account is deleted" }).waitFor();
      await page.getByRole("link", { name: "Sign in" }).waitFor();
      assert.deepEqual(await page.context().cookies(home()), []);
      assert.equal((await page.goto(file.shareUrl.replace("127.0.0.1", "localhost")))?.status(), 404);
      await signUpAs(page, home(), email);
      assert.deepEqual(
        opened.complaints.filter((text) => !/status of 40[04]/.test(text)),
        [],
      );
    });
  }
});
