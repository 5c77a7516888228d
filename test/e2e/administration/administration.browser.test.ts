import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { accountMenu } from "../support/accounts/person.ts";
import { signUpWithTotp } from "../support/accounts/two-step.ts";
import { call, clientOf, postUpload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { textFile } from "../support/pages/sending.ts";

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="32" viewBox="0 0 2 1"><rect width="2" height="1" fill="teal"/></svg>`;
const PASSWORD = "correct horse battery";
/** administration, "Pages" and "Accounts". */
describeUnless(browserMissing, "the administration in a browser", () => {
  const site = useBrowsedServer();

  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;
  const openGroup = (page: Page, name: string) => page.locator(`summary:has(h2:text-is("${name}"))`).click();
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  /** An account with a password and a session. */
  async function makePerson(name: string, flags: readonly string[] = []) {
    const email = `${crypto.randomUUID()}@example.org`;
    const run = async (...words: string[]) =>
      JSON.parse((await site.server.run([...words, "--json"])).stdout) as { id: string; url: string };
    const { id } = await run("users", "create", "--email", email, "--name", name, ...flags);
    const { url } = await run("users", "reset-password", email);
    const token = /\/reset\/([^/]+)$/.exec(url)?.[1] ?? "";
    await clientOf(site.server).call("resetPassword", { token, newPassword: PASSWORD });
    const { data } = await clientOf(site.server).call("signIn", { login: email, password: PASSWORD });
    return { id, email, key: data.sessionToken };
  }

  const makeAdministrator = () => makePerson("An administrator", ["--admin"]);

  async function signIn(page: Page, email: string, path: string): Promise<void> {
    await page.goto(`${home()}/signin?next=${encodeURIComponent(path)}`);
    await page.getByLabel("Email address or username").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Sign in");
  }

  for (const [device, options] of DEVICES)
    test(`changes accounts without a restart, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const person = await makePerson(`Bo of ${device}`);
      await signIn(page, (await makeAdministrator()).email, "/");
      await page.getByRole("link", { name: "Admin", exact: true }).click();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await press(page, "Run the checks");
      await page.getByText(/^\d+\schecks passed$/).click();
      await page
        .getByText(/^Database: /)
        .first()
        .waitFor();
      const scanner = page
        .locator("#checks")
        .locator("xpath=ancestor::section")
        .getByRole("listitem")
        .filter({ hasText: "Malware scanner" });
      await scanner.getByText("Install clamav-daemon").waitFor();
      await scanner.getByText("What the check found").click();
      await scanner.getByText("Malware scanning is off: ").waitFor();
      await page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name: "Accounts" }).click();
      await page.getByRole("searchbox").fill(`bo of ${device}`);
      await press(page, "Search");
      await page.getByRole("link", { name: `Bo of ${device}` }).click();
      await page.getByLabel("Pro", { exact: true }).check();
      await page.getByLabel("End of Pro").fill("30d");
      await page.locator("form:has([name=tier])").getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      assert.equal((await clientOf(site.server, person).call("getMe", {})).data.tier, "pro");

      const { key } = (await clientOf(site.server, person).call("createKey", {})).data;
      const status = async (credential: string) => (await call(site.server, "GET", "/api/me", { key: credential })).status;
      await using other = await openPage(site.browser, options);
      await other.page.context().addCookies([{ name: "session", value: person.key, url: home() }]);
      await other.page.goto(`${home()}/files`);
      await other.page.getByText("No files yet").waitFor();
      await page.locator("summary", { hasText: "Sign out everywhere" }).click();
      await press(page, "Sign out everywhere");
      await page.getByText("One session ended.").waitFor();
      await page.getByText("Not signed in anywhere.").waitFor();
      assert.deepEqual([await status(person.key), await status(key)], [401, 200]);
      await other.page.reload();
      await other.page.getByRole("heading", { name: "Sign in" }).waitFor();

      await page.locator("summary", { hasText: "Disable account" }).click();
      await press(page, "Disable account");
      await page.getByText("Saved.").waitFor();
      assert.equal(await status(key), 401);
      await page.getByRole("link", { name: "Audit log of this account" }).click();
      const entry = page.getByText(`An administrator disabled the account of Bo of ${device}`);
      await entry.waitFor();
      await page.getByLabel("To", { exact: true }).fill("2020-01-31");
      await press(page, "Show");
      await page.getByText("No entries found.").waitFor();
      await page.getByLabel("To", { exact: true }).fill("2999-01-31");
      await page.getByLabel("From", { exact: true }).fill("2020-01-31");
      await press(page, "Show");
      await entry.waitFor();
      await page.goto(`${home()}/admin/users?q=${encodeURIComponent(person.email)}&filter=disabled`);
      await page.getByRole("link", { name: person.email }).click();
      await page.getByRole("link", { name: "Audit log of this account" }).click();
      await entry.waitFor();
    });

  for (const [device, options] of DEVICES)
    test(`shows the second of two administrators what the first one changed, and overwrites nothing, on ${device}`, async () => {
      const person = await makePerson(`Cy of ${device}`);
      await using first = await openPage(site.browser, options);
      await using second = await openPage(site.browser, options);
      for (const { page } of [first, second]) {
        await signIn(page, (await makeAdministrator()).email, `/admin/users/${person.id}`);
        await page.getByRole("heading", { name: `Cy of ${device}` }).waitFor();
      }
      await first.page.locator("summary", { hasText: "Disable account" }).click();
      await press(first.page, "Disable account");
      await first.page.getByText("Saved.").waitFor();
      await second.page.getByLabel("Pro", { exact: true }).check();
      await second.page.locator("form:has([name=tier])").getByRole("button", { name: "Save" }).click();
      await second.page.getByText("Somebody changed this account meanwhile.").waitFor();
      await second.page.locator("summary", { hasText: "Enable account" }).waitFor();
      const { stdout } = await site.server.run(["users", "list", "--json"]);
      const user = (JSON.parse(stdout) as { id: string; tier: string }[]).find(({ id }) => id === person.id);
      assert.equal(user?.tier, "free");
    });

  for (const [device, options] of DEVICES)
    test(`creates an account, changes its username and deletes it, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { ...options, javaScriptEnabled: false });
      const { page } = opened;
      const email = `${crypto.randomUUID()}@example.org`;
      const username = `u${crypto.randomUUID().slice(0, 20)}`;
      await signIn(page, (await makeAdministrator()).email, "/admin/users");
      await page.locator("summary", { hasText: "Create an account" }).click();
      await page.getByRole("textbox", { name: "Email address" }).fill(email);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Fay");
      await page.getByLabel("Pro", { exact: true }).check();
      await page.getByLabel("End of Pro").fill("soon");
      await page.getByLabel("As an administrator").check();
      await press(page, "Create");
      await page.getByText("Enter a date such as 2030-01-31").waitFor();
      await page.getByLabel("End of Pro").fill("30d");
      await press(page, "Create");
      await page.getByText("The account is created.").waitFor();
      const find = async () =>
        (JSON.parse((await site.server.run(["users", "list", "--json"])).stdout) as { email: string; username: string | null }[]).find(
          (user) => user.email === email,
        );
      const { role, tier } = { role: "", tier: "", ...(await find()) };
      assert.deepEqual([role, tier], ["admin", "pro"]);
      await page.getByLabel("Username").fill("?");
      await page.locator("form:has([name=username])").getByRole("button", { name: "Save" }).click();
      await page.getByText("Use 3 to 30").first().waitFor();
      await page.getByLabel("Username").fill(username);
      await page.locator("form:has([name=username])").getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      assert.equal((await find())?.username, username);
      await page.getByRole("link", { name: "Delete account…" }).click();
      await page.getByText("This cannot be undone.").waitFor();
      await page.getByLabel("Type the account’s email address").fill("bo@example.org");
      await press(page, "Delete this account");
      await page.getByText("This is not the account’s email address.").waitFor();
      await page.getByLabel("Type the account’s email address").fill(email);
      await press(page, "Delete this account");
      await page.getByText("The account is deleted.").waitFor();
      assert.equal(await find(), undefined);
    });

  test("turns off two-step sign-in for a person who lost the app", async () => {
    const { input, userId } = await signUpWithTotp(site.server, {
      email: `${crypto.randomUUID()}@example.org`,
      password: PASSWORD,
      name: "Gus",
    });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await signIn(page, (await makeAdministrator()).email, `/admin/users/${userId}`);
    await page.locator("summary", { hasText: "Turn two-step sign-in off" }).click();
    await press(page, "Turn two-step sign-in off");
    await page.getByText("Two-step sign-in is off.").waitFor();
    await clientOf(site.server).call("signIn", { login: input.email, password: PASSWORD });
  });

  test("invites a person by a link that is shown once", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await signIn(page, (await makeAdministrator()).email, "/admin/invites");
    await page.getByLabel("Email address").fill("eve@example.org");
    await press(page, "Create a link");
    const url = await page.locator("#shown-link").textContent();
    assert.match(url ?? "", /\/invite\/invite_/);
    await page.goto(`${home()}/admin/invites`);
    await soon(async () => assert.equal(await page.locator("#shown-link").count(), 0));
    await press(page, "Revoke: eve@example.org");
    await page.getByText("The invite is revoked.").waitFor();
    await soon(async () => assert.equal(await page.getByText("eve@example.org").count(), 0));
  });

  for (const [device, options] of DEVICES)
    test(`changes limits, which then apply to uploads, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await signIn(page, (await makeAdministrator()).email, "/admin/settings");
      const form = page.locator("form:has([name='set.tiers.anonymous.fileBytes'])");
      await openGroup(page, "Limits");
      const largest = form.getByLabel("Largest file: Without an account");
      const longest = form.getByLabel("Longest time to keep: Without an account");
      await largest.fill("very much");
      const fields = await form.locator(".limit-row input[type=text]").all();
      const boxes = await Promise.all(fields.map((field) => field.boundingBox()));
      assert.equal(new Set(boxes.map((box) => box?.height)).size, 1, "all fields have one height");
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("Enter a size from 1 KB").waitFor();
      await soon(async () => assert.equal(await largest.inputValue(), "very much"));
      await largest.fill("2KB");
      await longest.fill("2 days");
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("The change is active.").waitFor();
      await soon(async () => assert.equal(await largest.inputValue(), "2 KB"));
      await soon(async () => assert.equal(await longest.inputValue(), "2 days"));

      await using other = await openPage(site.browser, options);
      await other.page.goto(home());
      await other.page.getByText("Up to 2 KB per file, for up to 2 days.").waitFor();
      await other.page.setInputFiles("#file", { ...textFile("large.txt"), buffer: Buffer.alloc(3000, "x") });
      await other.page
        .locator("#drop + #problem")
        .getByText("“large.txt” is larger than 2 KB. An account sends files of up to 5 GB.")
        .waitFor();
      assert.equal((await postUpload(site.server, { bytes: "x".repeat(3000) })).status, 413);
      for (const name of ["Largest file", "Longest time to keep"]) {
        await form
          .locator(".limit-row", { hasText: name })
          .getByRole("button", { name: /^Reset to/ })
          .click();
        await page.getByText("Reset to the default.").waitFor();
      }
    });

  for (const [device, options] of DEVICES)
    test(`finds settings by words and lists the changed ones, without scripts, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { ...options, javaScriptEnabled: false });
      const { page } = opened;
      await signIn(page, (await makeAdministrator()).email, "/admin/settings");
      await page.getByRole("heading", { name: "Branding" }).waitFor();
      await soon(async () => assert.equal(await page.getByLabel("Imprint").isVisible(), false));
      const search = page.getByRole("searchbox", { name: "Search settings" });
      await search.fill("FOOTER imprint");
      await press(page, "Search");
      await page.getByLabel("Imprint").waitFor();
      await soon(async () => assert.deepEqual(await page.locator(".setting-group h2").allTextContents(), ["Branding"]));
      await page.getByLabel("Imprint").fill("https://example.org/imprint");
      await press(page, "Save");
      await page.getByText("The change is active.").waitFor();
      await soon(async () => assert.equal(await search.inputValue(), "FOOTER imprint"));
      await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Changed" }).click();
      await page.locator(".setting-control .setting-source").waitFor();
      await soon(async () => assert.deepEqual(await page.locator(".setting-about label").allTextContents(), ["Imprint"]));
      await search.fill("no such setting");
      await press(page, "Search");
      await page.getByText("No settings found.").waitFor();
      await page.goto(`${home()}/admin/settings?q=imprint`);
      await page.getByRole("button", { name: /^Remove.*Imprint/ }).click();
      await page.getByText("Reset to the default.").waitFor();
      await soon(async () => assert.equal(await page.locator(".setting-mark").count(), 0));
    });

  for (const [device, options] of DEVICES)
    test(`changes sign-up and branding without a restart, and informs the second of two administrators, on ${device}`, async () => {
      await using first = await openPage(site.browser, options);
      await using second = await openPage(site.browser, options);
      await using stranger = await openPage(site.browser, options);
      for (const { page } of [first, second]) {
        await signIn(page, (await makeAdministrator()).email, "/admin/settings");
        await page.getByRole("heading", { name: "Branding" }).waitFor();
      }
      const form = first.page.locator("form:has([name='set.name'])");
      for (const { page } of [first, second]) await openGroup(page, "Branding");
      await form.getByLabel("Name", { exact: false }).first().fill("Harbour");
      await form.locator("[name='set.accent']").fill("#ffcc00");
      await press(first.page, "Preview");
      await first.page.getByText("This is a preview").waitFor();
      await soon(async () => assert.equal(await first.page.locator(".brand").textContent(), "Harbour"));
      await first.page.getByText("so pages use").first().waitFor();
      await stranger.page.goto(home());
      await soon(async () => assert.equal(await stranger.page.locator(".brand").textContent(), "filehost"));
      await form.getByRole("button", { name: "Save" }).click();
      await first.page.getByText("The change is active.").waitFor();
      await stranger.page.goto(home());
      await soon(async () => assert.equal(await stranger.page.locator(".brand").textContent(), "Harbour"));
      await second.page.locator("[name='set.name']").fill("Another");
      await second.page.locator("form:has([name='set.name'])").getByRole("button", { name: "Save" }).click();
      await second.page.getByText("Somebody changed this meanwhile.").waitFor();
      await second.page.getByText("Active now: Harbour.").waitFor();
      await openGroup(first.page, "Who can use this site");
      await first.page.getByRole("radio", { name: "Nobody" }).check();
      await first.page.locator("form:has([name='set.signup'])").getByRole("button", { name: "Save" }).click();
      await first.page.getByText("The change is active.").waitFor();
      assert.match((await (await stranger.page.goto(`${home()}/signup`))?.text()) ?? "", /Harbour/);
      for (const name of ["Reset to filehost", "Reset to Anybody"]) {
        await first.page.goto(`${home()}/admin/settings?show=changed`);
        await first.page.getByRole("button", { name }).click();
        await first.page.getByText("Reset to the default.").waitFor();
      }
      await first.page.getByRole("button", { name: /^Remove.*Accent color/ }).click();
      await first.page.getByText("Reset to the default.").waitFor();
    });

  for (const [device, options] of DEVICES)
    test(`shows the logo that an administrator chooses, without scripts, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { ...options, javaScriptEnabled: false });
      await using other = await openPage(site.browser, options);
      const { page } = opened;
      await signIn(page, (await makeAdministrator()).email, "/admin/settings");
      await openGroup(page, "Logo");
      const logo = { name: "logo.jpg", mimeType: "image/jpeg", buffer: Buffer.from(SVG) };
      for (const [file, message] of [
        [{ ...logo, buffer: Buffer.from("GIF89a") }, "This file has another format or is damaged."],
        [{ ...logo, buffer: Buffer.alloc(300 * 1024) }, "This image is larger than 256 KB."],
        [{ ...logo, buffer: Buffer.alloc(6 * 1024 ** 2) }, "This image is larger than 256 KB."],
      ] as const) {
        await page.getByLabel("Image").setInputFiles(file);
        await press(page, "Use this logo");
        await page.getByText(message).waitFor();
        await soon(async () => assert.equal(await page.locator("#logo-file:focus").count(), 1));
      }
      await soon(async () => assert.equal(await page.locator(".brand img").count(), 0));
      await page.getByLabel("Image").setInputFiles(logo);
      await press(page, "Use this logo");
      await page.getByText("The change is active.").waitFor();
      await soon(async () => assert.equal(await page.locator(".logo-sample img").count(), 2));
      await other.page.goto(home());
      const size = await other.page.locator(".brand img").evaluate((image) => (image as HTMLImageElement).naturalWidth);
      assert.equal(size, 64);
      assert.deepEqual(other.complaints, []);
      await page
        .locator("details:has(#logo)")
        .getByRole("button", { name: /^Remove/ })
        .click();
      await page.getByText("Reset to the default.").waitFor();
      await other.page.goto(home());
      await soon(async () => assert.equal(await other.page.locator(".brand img").count(), 0));
    });

  test("is neither linked nor open to other people", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const person = await makePerson("Dee");
    await signIn(page, person.email, "/");
    await accountMenu(page, "Dee").waitFor();
    await soon(async () => assert.equal(await page.getByRole("link", { name: "Admin", exact: true }).count(), 0));
    for (const path of [
      "/admin",
      "/admin/users",
      `/admin/users/${person.id}`,
      `/admin/users/${person.id}/delete`,
      "/admin/invites",
      "/admin/settings",
      "/admin/reports",
      "/admin/files",
      "/admin/blocklist",
      "/admin/audit-log",
    ])
      assert.equal((await page.goto(`${home()}${path}`))?.status(), 403, path);
  });
});
