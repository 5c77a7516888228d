import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { accountMenu } from "../support/accounts/person.ts";
import { call, clientOf } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { choose, getLink, readyShares, whenSent } from "../support/pages/sending.ts";

/** pages, "Claiming what this device sent". */
describeUnless(browserMissing, "shares that a device sent without an account", () => {
  const site = useBrowsedServer();
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  /** Sends files anonymously, each to its own link; resolves to the short IDs. */
  async function send(page: Page, ...names: string[]): Promise<string[]> {
    const shortIds: string[] = [];
    for (const name of names) {
      await page.goto(home());
      await choose(page, name);
      await getLink(page);
      shortIds.push(await whenSent(page));
    }
    return shortIds;
  }

  /** Creates an account on the pages; resolves to its session's token. */
  async function signUp(page: Page): Promise<string> {
    await page.goto(`${home()}/signup`);
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Email address").fill(`${crypto.randomUUID()}@example.org`);
    await page.getByLabel("Password").fill("correct horse battery");
    await press(page, "Create an account");
    await accountMenu(page).waitFor();
    const cookies = await page.context().cookies();
    return cookies.find(({ name }) => name === "session")?.value ?? "";
  }

  const sharesOf = async (key: string): Promise<string[]> =>
    (await clientOf(site.server, { key }).call("listShares", {})).data.map(({ shortId }) => shortId).sort();
  const offer = (page: Page) => page.getByRole("heading", { name: /of this device (is|are) not in your account/ });

  for (const [device, options] of DEVICES)
    test(`are added to the account together after signing up, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const sent = await send(page, "a.txt", "b.txt", "c.txt");
      await page.goto(home());
      await page.getByRole("heading", { name: "Recent on this device" }).waitFor();
      await soon(async () => assert.equal(await offer(page).count(), 0, "nobody is signed in"));
      const key = await signUp(page);
      await page.goto(home());
      await offer(page).waitFor();
      if (device === "a phone") await assertAccessible(page, "the offer");
      await press(page, "Add 3 shares to your account");
      await page.getByText("3 shares were added to your account.").first().waitFor();
      if (device === "a phone") await assertAccessible(page, "claimed");
      assert.deepEqual(await sharesOf(key), sent.toSorted());
      await page.getByRole("link", { name: "Shares", exact: true }).click();
      await page.locator(".share-rows > li").nth(2).waitFor();
      await page.goto(home());
      await readyShares(page).first().waitFor();
      await soon(async () => assert.equal(await offer(page).count(), 0));
      // The session does what the tokens did.
      await page.goto(`${home()}/d/${sent[0]}`);
      const bar = page.getByRole("region", { name: "Your share" });
      await bar.getByRole("button", { name: "Edit", exact: true }).waitFor();
      await soon(async () => assert.equal(await bar.getByText("Add files").count(), 0));
      assert.deepEqual(opened.complaints, []);
    });

  test("are added from the list of shares, which then shows them, and those that cannot be added are named with the reason", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const [first = "", taken = ""] = await send(page, "first.txt", "taken.txt");
    const key = await signUp(page);
    await page.goto(`${home()}/shares`);
    await offer(page).waitFor();
    const other = await addAccount(site.server);
    const claimToken = await page.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open("filehost");
      opening.onsuccess = () => {
        const request = opening.result.transaction("shares").objectStore("shares").get(${JSON.stringify(taken)});
        request.onsuccess = () => {
          opening.result.close();
          resolve(request.result.claimToken);
        };
      };
    })`);
    const claimed = await call(site.server, "POST", "/api/files/claim", { ...other, json: { fileId: taken, claimToken } });
    assert.equal(claimed.status, 200);
    await press(page, "Add 2 shares to your account");
    await page.getByText("1 share was added to your account.").first().waitFor();
    await page.locator(".claim").getByText("taken.txt: It belongs to another account.").waitFor();
    await page.locator(".share-rows").getByRole("link", { name: "first.txt", exact: true }).waitFor();
    assert.deepEqual(await sharesOf(key), [first]);
    await page.reload();
    await page.locator(".share-rows").getByRole("link", { name: "first.txt", exact: true }).waitFor();
    await soon(async () => assert.equal(await offer(page).count(), 0));
  });

  test("do not change if the person declines, and are not offered again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const [shortId = ""] = await send(page, "a.txt");
    const key = await signUp(page);
    await page.goto(home());
    await offer(page).waitFor();
    await press(page, "Not now");
    await offer(page).waitFor({ state: "detached" });
    for (const path of ["/shares", "/"]) {
      await page.goto(home() + path);
      if (path === "/") await readyShares(page).first().waitFor();
      await soon(async () => assert.equal(await offer(page).count(), 0));
    }
    assert.deepEqual(await sharesOf(key), []);
    const { body } = await call(site.server, "GET", `/api/files/share/${shortId}`);
    assert.equal(body.success, true);

    await page.goto(`${home()}/settings/claim`);
    const row = page.locator("#device-shares li", { hasText: "a.txt" });
    await row.getByText(/^1\sfile · /).waitFor();
    await soon(async () => assert.equal(await page.getByLabel("Account token").isVisible(), false));
    await assertAccessible(page, "the list of shares to move");
    await row.getByRole("button", { name: /^Add to my account/ }).click();
    await row.getByRole("link", { name: "Open the share" }).waitFor();
    await soon(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "Open the share"));
    assert.deepEqual(await sharesOf(key), [shortId]);
    await page.reload();
    await page.getByText("This browser has nothing to add").waitFor();
    await page.getByLabel("Account token").waitFor();
    assert.deepEqual(opened.complaints, []);
  });
});
