import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { fillSignIn, homeOf, PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { clientOf } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { makeBrowser, startWaiting } from "../support/client/client-login.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";

interface WhoAmI {
  readonly account: { readonly name: string };
  readonly scope: string;
  readonly signIn: string;
}

/** client, "Signing in". */
describeUnless(browserMissing, "filehost login in a browser", () => {
  const site = useBrowsedServer({ FILEHOST_LIMITS: '{"rates":{"signUps":100}}' });
  const home = (): string => homeOf(site.server);
  const see = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, exact: true }).waitFor();
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  async function begin(device: ClientDevice, email: string, args: readonly string[] = []) {
    await clientOf(site.server).call("signUp", { email, name: "Ada Lovelace", password: PERSONS_PASSWORD });
    const browser = await makeBrowser(device);
    const command = startWaiting(device, ["login", home(), "--json", ...args], { BROWSER: browser.path });
    return { command, url: await browser.opened() };
  }

  test("a person signs in and allows the device, which then acts for the account until logout", async () => {
    await using device = await makeDevice();
    const { command, url } = await begin(device, "ada@example.org", ["--profile", "work"]);
    assert.ok(command.stderr().includes(url.href), "for a person whose browser does not open");
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(url.href);
    await fillSignIn(page, "ada@example.org");
    await see(page, /^Connect filehost on .+\?$/);
    await soon(async () => assert.equal(await page.getByText("Manage the rest of your account").count(), 0));
    await press(page, "Allow");
    await see(page, "Go back to the terminal");
    const { code, stdout, stderr } = await command.ended();
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).profile, "work");
    const { account, scope, signIn } = await device.runJson<WhoAmI>(["whoami"]);
    assert.deepEqual([account.name, scope, signIn], ["Ada Lovelace", "files_write", "oauth"]);
    await page.goto(`${home()}/settings/security`);
    await page.getByRole("listitem").filter({ hasText: "filehost on " }).waitFor();

    assert.equal((await device.run(["logout"])).code, 0);
    await page.reload();
    await page.getByText("There are none.").waitFor();
    assert.equal((await device.run(["whoami", "--url", home()])).stdout, `Not signed in to ${home()}\n`);
    assert.deepEqual(opened.complaints, []);
  });

  test("only the browser with the right state ends the wait; a refusal is an error", async () => {
    await using device = await makeDevice();
    const { command, url } = await begin(device, "grace@example.org");
    const callback = url.searchParams.get("redirect_uri") ?? "";
    assert.match(callback, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    assert.equal(url.searchParams.get("code_challenge_method"), "S256");
    assert.equal((await fetch(`${callback}?code=stolen&state=guessed&iss=${home()}`)).status, 404);
    assert.equal((await fetch(`${callback}?code=stolen`)).status, 404);
    assert.equal((await fetch(new URL("/", callback))).status, 404);
    await using opened = await openPage(site.browser);
    await opened.page.goto(url.href);
    await fillSignIn(opened.page, "grace@example.org");
    await press(opened.page, "Cancel");
    await see(opened.page, "Not connected");
    const { code, stderr } = await command.ended();
    assert.equal(code, 3);
    assert.match(stderr, /You did not allow this device/);
    assert.deepEqual((await device.runJson<{ profiles: unknown[] }>(["profiles", "list"])).profiles, []);
  });

  test("a code of another server is not used, and Ctrl-C ends the wait", async () => {
    await using device = await makeDevice();
    const { command, url } = await begin(device, "mary@example.org");
    const callback = new URL(url.searchParams.get("redirect_uri") ?? "");
    callback.search = String(
      new URLSearchParams({ code: "code", state: url.searchParams.get("state") ?? "", iss: "https://evil.example" }),
    );
    await fetch(callback);
    const mixed = await command.ended();
    assert.equal(mixed.code, 8);
    assert.match(mixed.stderr, /came back from another server/);
    const again = startWaiting(device, ["login", home()], { BROWSER: "/nonexistent" });
    const shown = Promise.withResolvers<void>();
    again.child.stderr?.on("data", () => again.stderr().includes("Waiting for you") && shown.resolve());
    await shown.promise;
    again.child.kill("SIGINT");
    assert.equal((await again.ended()).code, 130);
  });
});
