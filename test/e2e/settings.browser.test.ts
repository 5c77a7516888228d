import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../support/browser.ts";
import { makeFolder } from "../support/folder.ts";
import { useBrowsedServer } from "./support/browsed-server.ts";
import { homeOf, signUpAs } from "./support/person.ts";

const run = promisify(execFile);

/** accounts, "Profile", "Usernames" and "Keys and scopes". */
describe("the settings in a browser", { skip: browserMissing }, () => {
  const site = useBrowsedServer();
  const home = (): string => homeOf(site.server);
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  const ask = (page: Page, name: string) => page.locator("summary", { hasText: name }).click();

  for (const [device, viewport, javaScriptEnabled] of [
    ["a phone", { width: 390, height: 844 }, true],
    ["a desktop without scripts", { width: 1280, height: 800 }, false],
  ] as const) {
    const id = javaScriptEnabled ? "phone" : "plain";

    test(`change the name and claim a username, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { viewport, javaScriptEnabled });
      const { page } = opened;
      await signUpAs(page, home(), `profile-${id}@example.org`);
      await page.getByRole("link", { name: "Ada Lovelace" }).click();
      await page.getByLabel("Your name").fill("Ada King");
      await press(page, "Save");
      await page.getByRole("status").getByText("Saved.").waitFor();
      await page.getByRole("link", { name: "Ada King" }).waitFor();
      await page.getByLabel("Username", { exact: false }).fill("Admin");
      await press(page, "Claim username");
      await page.getByRole("alert").getByText("taken or reserved").waitFor();
      await page.getByLabel("Username", { exact: false }).fill(`Ada-${id}`);
      await press(page, "Claim username");
      await page.getByRole("status").getByText(`Your username is now ada-${id}.`).waitFor();
      await ask(page, "Remove username");
      await press(page, "Remove username");
      await page.getByRole("status").getByText("Your username is removed.").waitFor();
      await page.getByRole("button", { name: "Claim username" }).waitFor();
      assert.deepEqual(
        opened.complaints.filter((text) => !text.includes("status of 409")),
        [],
      );
    });

    test(`create a key that curl uses until it is replaced and revoked, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { viewport, javaScriptEnabled });
      const { page } = opened;
      await using folder = await makeFolder();
      await writeFile(join(folder.path, "photo.jpg"), "a photo");
      await signUpAs(page, home(), `keys-${id}@example.org`);
      await page.goto(`${home()}/settings`);
      await page.getByRole("link", { name: "API keys" }).click();
      await page.getByText("No keys yet").waitFor();
      await page.getByLabel("Label").fill("My laptop");
      await press(page, "Create key");
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
      assert.equal(await page.locator("#key").count(), 0);
      await ask(page, "Revoke: My laptop");
      await press(page, "Revoke key");
      await page.getByRole("status").getByText("Revoked: My laptop.").waitFor();
      await page.getByText("No keys yet").waitFor();
      assert.match((await sh(`${newer} -s`)).stdout, /not valid|revoked/i);
      assert.deepEqual(opened.complaints, []);
    });
  }
});
