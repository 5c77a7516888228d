import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../support/browser.ts";
import { call, clientOf } from "./support/api.ts";
import { useBrowsedServer } from "./support/browsed-server.ts";

const PASSWORD = "correct horse battery";

/** administration, "Pages" and "Accounts". */
describe("the administration in a browser", { skip: browserMissing }, () => {
  const site = useBrowsedServer();

  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;
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

  for (const [device, viewport] of [
    ["a phone", { width: 390, height: 844 }],
    ["a desktop", { width: 1280, height: 800 }],
  ] as const)
    test(`changes accounts without a restart, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { viewport });
      const { page } = opened;
      const person = await makePerson(`Bo of ${device}`);
      await signIn(page, (await makeAdministrator()).email, "/");
      await page.getByRole("link", { name: "Admin", exact: true }).click();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await press(page, "Run the checks");
      await page.getByRole("heading", { name: "database", exact: true }).waitFor();
      await page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name: "Accounts" }).click();
      await page.getByRole("searchbox").fill(`bo of ${device}`);
      await press(page, "Search");
      await page.getByRole("link", { name: `Bo of ${device}` }).click();
      await page.getByLabel("Pro", { exact: true }).check();
      await page.getByLabel("End of Pro").fill("30d");
      await press(page, "Save");
      await page.getByText("Saved.").waitFor();
      assert.equal((await clientOf(site.server, person).call("getMe", {})).data.tier, "pro");
      await page.locator("summary", { hasText: "Disable account" }).click();
      await press(page, "Disable account");
      await page.getByText("Saved.").waitFor();
      assert.equal((await call(site.server, "GET", "/api/me", person)).status, 401);
      await page.getByRole("link", { name: "What happened to this account" }).click();
      await page.getByText("account.disabled").waitFor();
    });

  test("shows the second of two administrators what the first changed, and overwrites nothing", async () => {
    const person = await makePerson("Cy");
    await using first = await openPage(site.browser);
    await using second = await openPage(site.browser);
    for (const { page } of [first, second]) {
      await signIn(page, (await makeAdministrator()).email, `/admin/users/${person.id}`);
      await page.getByRole("heading", { name: "Cy" }).waitFor();
    }
    await first.page.locator("summary", { hasText: "Disable account" }).click();
    await press(first.page, "Disable account");
    await first.page.getByText("Saved.").waitFor();
    await second.page.getByLabel("Pro", { exact: true }).check();
    await press(second.page, "Save");
    await second.page.getByText("Somebody changed this account meanwhile.").waitFor();
    await second.page.locator("summary", { hasText: "Enable account" }).waitFor();
    const { stdout } = await site.server.run(["users", "list", "--json"]);
    const user = (JSON.parse(stdout) as { id: string; tier: string }[]).find(({ id }) => id === person.id);
    assert.equal(user?.tier, "free");
  });

  test("invites a person by a link that is shown once", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await signIn(page, (await makeAdministrator()).email, "/admin/invites");
    await page.getByLabel("Email address").fill("eve@example.org");
    await press(page, "Make a link");
    const url = await page.getByLabel("Invite link").inputValue();
    assert.match(url, /\/invite\/invite_/);
    await page.goto(`${home()}/admin/invites`);
    assert.equal(await page.getByLabel("Invite link").count(), 0);
    await press(page, "Withdraw: eve@example.org");
    await page.getByText("The invite is withdrawn.").waitFor();
    assert.equal(await page.getByText("eve@example.org").count(), 0);
  });

  test("is neither linked nor open to somebody else", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const person = await makePerson("Dee");
    await signIn(page, person.email, "/");
    await page.getByRole("link", { name: "Dee" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Admin", exact: true }).count(), 0);
    for (const path of ["/admin", "/admin/users", `/admin/users/${person.id}`, "/admin/invites", "/admin/audit-log"])
      assert.equal((await page.goto(`${home()}${path}`))?.status(), 403, path);
  });
});
