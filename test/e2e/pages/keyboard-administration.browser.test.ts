import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf, makeAdministrator, PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { tabTo, waitForFocus, walkThrough } from "../support/pages/keyboard.ts";
import { sha256 } from "../support/uploads/multipart.ts";

const DESKTOP = { viewport: { width: 1280, height: 800 } };

/** pages, "The keyboard". */
describeUnless(browserMissing, "the administration by keyboard", () => {
  const site = useBrowsedServer();

  async function open() {
    const login = await makeAdministrator(site.server);
    const { data } = await clientOf(site.server).call("signIn", { login, password: PERSONS_PASSWORD });
    const opened = await openPage(site.browser, DESKTOP);
    const home = homeOf(site.server);
    await opened.page.context().addCookies([{ name: "session", value: data.sessionToken, url: home }]);
    const client = clientOf(site.server, { key: data.sessionToken });
    return { ...opened, client, login, goTo: (path: string) => opened.page.goto(`${home}/admin${path}`) };
  }

  async function press(page: Page, ...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key);
  }

  /** Opens a question, and answers it. */
  async function decide(page: Page, question: string | RegExp, answer: string): Promise<void> {
    await tabTo(page, question);
    await press(page, "Space");
    await tabTo(page, answer);
    await press(page, "Enter");
  }

  async function report(name: string): Promise<string> {
    const { shortId } = await upload(site.server, { name, bytes: name });
    await clientOf(site.server).call("createReport", { shortId, reason: "phishing" });
    return shortId;
  }

  test("reaches every control in the visible order", async () => {
    const opened = await open();
    await using _ = opened;
    const { page, client, goTo } = opened;
    const { userId } = await addAccount(site.server);
    await report("walked.txt");
    await client.call("createInvite", { email: "eve@example.org" });
    await client.call("blockDigests", { digests: [sha256("walked")] });
    await client.call("updateSettings", { settings: { name: "Harbour" } });
    const paths = [
      "",
      "/users",
      `/users/${userId}`,
      `/users/${userId}/delete`,
      "/invites",
      "/settings",
      "/reports",
      "/files",
      "/blocklist",
    ];
    for (const path of [...paths, "/jobs", "/audit-log"]) {
      assert.equal((await goTo(path))?.status(), 200, path);
      await walkThrough(page);
    }
    await client.call("updateSettings", { settings: { name: null } });
    assert.deepEqual(opened.complaints, []);
  });

  test("runs the checks, finds and disables an account, and invites a person", async () => {
    const opened = await open();
    await using _ = opened;
    const { page, goTo } = opened;
    const person = { email: "bo@example.org", password: PERSONS_PASSWORD, name: "Bo Diddley" };
    await clientOf(site.server).call("signUp", person);
    await goTo("");
    await tabTo(page, "Run the checks");
    await press(page, "Enter");
    await page.getByText(/^\d+\schecks passed$/).waitFor();
    await tabTo(page, "Run them again");

    await goTo("/users");
    await tabTo(page, "Name, email address or username");
    await page.keyboard.type("diddley");
    await press(page, "Enter");
    await page.waitForURL(/q=diddley/);
    await tabTo(page, /^Bo Diddley/);
    await press(page, "Enter");
    await page.getByRole("heading", { name: "Bo Diddley" }).waitFor();
    await decide(page, "Disable account", "Disable account");
    await waitForFocus(page, "Saved.");
    await decide(page, "Enable account", "Enable account");
    await waitForFocus(page, "Saved.");
    await decide(page, "Create a password link", "Create a password link");
    await waitForFocus(page, "Password link");

    await goTo("/invites");
    // The form is folded while there are other invites.
    if (!(await page.getByLabel("Email address").isVisible())) {
      await tabTo(page, "Invite somebody");
      await press(page, "Enter");
    }
    await tabTo(page, /^Email address/);
    await page.keyboard.type("fay@example.org");
    await press(page, "Enter");
    await waitForFocus(page, "Invite link");
    await press(page, "Tab");
    await waitForFocus(page, /^Copy/);
    await tabTo(page, "Revoke: fay@example.org");
    await press(page, "Space");
    await waitForFocus(page, "The invite is revoked.");
  });

  test("changes and resets a setting, decides on a report and a file, and blocks a digest", async () => {
    const opened = await open();
    await using _ = opened;
    const { page, client, goTo } = opened;
    await goTo("/settings");
    await tabTo(page, /^Limits/);
    await press(page, "Enter");
    await tabTo(page, /^Largest file: Without an account/);
    await press(page, "ControlOrMeta+A");
    await page.keyboard.type("very much");
    await press(page, "Enter");
    await page.getByText("Enter a size from 1 KB").waitFor();
    await waitForFocus(page, /^Largest file: Without an account/);
    await press(page, "ControlOrMeta+A");
    await page.keyboard.type("2MB");
    await press(page, "Enter");
    await waitForFocus(page, "Saved. The change is active.");
    await tabTo(page, /^Reset to .*: Largest file$/);
    await press(page, "Space");
    await waitForFocus(page, /^Reset to the default/);

    await report("mean.html");
    await goTo("/reports");
    await tabTo(page, /mean\.html/);
    await press(page, "Enter");
    await page.getByRole("heading", { name: "mean.html" }).waitFor();
    await walkThrough(page);
    await decide(page, "Take the share down", "Take the share down");
    await waitForFocus(page, /^Taken down/);

    await upload(site.server, { name: "found.txt", bytes: "found" });
    await goTo("/files?q=found.txt");
    await tabTo(page, /^Actions: found\.txt/);
    await press(page, "Enter");
    await tabTo(page, /^Take down: /);
    await press(page, "Space");
    await tabTo(page, /^Reason on the page of the link/);
    await press(page, "ArrowDown");
    await tabTo(page, "Take down");
    await press(page, "Enter");
    await waitForFocus(page, /^Taken down/);

    await goTo("/blocklist");
    await tabTo(page, "Add digests");
    await press(page, "Enter", "Tab");
    await page.keyboard.type(sha256("a virus"));
    await tabTo(page, "Block them");
    await press(page, "Enter");
    await waitForFocus(page, "1 added.");
    await decide(page, `Remove: ${sha256("a virus")}`, "Remove");
    await waitForFocus(page, "Removed from the blocklist.");

    await goTo("/audit-log");
    await tabTo(page, /^What/);
    await page.keyboard.type("Blocklist");
    await tabTo(page, "Show");
    await press(page, "Enter");
    await page.waitForURL(/action=digest/);
    await page.getByText(/unblocked the digest/).waitFor();
    assert.equal((await client.call("listBlockedDigests", { search: sha256("a virus") })).data.length, 0);
  });
});
