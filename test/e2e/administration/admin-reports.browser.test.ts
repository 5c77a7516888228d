import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf, makeAdministrator, signInAs } from "../support/accounts/person.ts";
import { type Upload, upload } from "../support/api/api.ts";
import { sealFile } from "../support/encryption/sealed-files.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { sha256 } from "../support/uploads/multipart.ts";

/** The forms of these pages work in both ways. */
const WITH_AND_WITHOUT_SCRIPTS = [...DEVICES, ["a desktop without scripts", { javaScriptEnabled: false }]] as const;

/** reports, "For the administrator". */
describeUnless(browserMissing, "reports and files in the administration's pages", () => {
  const site = useBrowsedServer({ FILEHOST_LIMITS: JSON.stringify({ rates: { reports: 100 } }) });

  const home = (): string => homeOf(site.server);

  /** Answers the question that a decision opens. */
  async function decide(page: Page, name: string): Promise<void> {
    await page.locator("summary", { hasText: name }).click();
    await page.getByRole("button", { name, exact: true }).click();
  }

  /** Opens the actions of the only file in the list. */
  const openActions = (page: Page): Promise<void> => page.locator(".admin-files .menu-opener > summary").click();

  async function signInAsAdministrator(page: Page, path = "/admin/reports", heading = "Reports"): Promise<void> {
    await signInAs(page, home(), await makeAdministrator(site.server), path);
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  }

  for (const [device, options] of DEVICES)
    test(`a file with a hidden name is called an encrypted file, on ${device}`, async () => {
      const { recipient } = await createShareKey();
      const hidden = `encrypted-${sha256(device).slice(0, 16)}.tar.age`;
      const bytes = await sealFile(recipient, "portrait.jpg", Buffer.from("a portrait"));
      await upload(site.server, { name: hidden, bytes });
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await signInAsAdministrator(page, `/admin/files?q=${hidden}`, "Files");
      const rows = page.locator(".files-row:not(.files-head)");
      await rows.getByRole("link", { name: "Encrypted file", exact: true }).waitFor();
      await soon(async () => assert.ok(!(await rows.textContent())?.includes(hidden)));
      await soon(async () => assert.equal(await rows.locator(`[title*="${hidden}"], [aria-label*="${hidden}"]`).count(), 0));
    });

  async function reportAsVisitor(page: Page, shortId: string): Promise<void> {
    await page.goto(`${home()}/report/${shortId}`);
    await page.getByLabel("Phishing or fraud").check();
    await page.getByLabel("Details").fill("Imitates a bank.");
    await page.getByRole("button", { name: "Send report" }).click();
    await page.getByRole("button", { name: "Send report" }).waitFor({ state: "detached" });
  }

  for (const [device, options] of WITH_AND_WITHOUT_SCRIPTS)
    test(`a reported share is taken down, restored, and a second report dismissed, on ${device}`, async () => {
      await using visitor = await openPage(site.browser, options);
      await using opened = await openPage(site.browser, options);
      const name = `${device.replaceAll(" ", "-")}.html`;
      const { page } = opened;
      const file = await upload(site.server, { name, bytes: "pay here" });
      const statusOfShare = async () => (await fetch(`${site.server.url}/d/${file.shortId}`)).status;
      await reportAsVisitor(visitor.page, file.shortId);
      await reportAsVisitor(visitor.page, file.shortId);
      await signInAsAdministrator(page);
      const row = page.getByRole("listitem").filter({ hasText: name });
      await row.getByText("2 open reports").waitFor();
      await soon(async () => assert.equal(await row.count(), 1, "a share that was reported twice is one row"));
      await page.getByRole("link", { name }).click();
      await page.getByText("Imitates a bank.").first().waitFor();
      await page.getByText("2 waiting for you").waitFor({ state: "attached" });
      assert.equal(await statusOfShare(), 200);
      await decide(page, "Take the share down");
      await page.getByText("Taken down. The bytes are kept until").waitFor();
      assert.notEqual(await statusOfShare(), 200, "the link ends at once");
      await soon(async () => assert.equal(await page.getByText("waiting for you").count(), 0));
      await decide(page, "Restore the share");
      await page.getByText("Restored. Its links work again.").waitFor();
      assert.equal(await statusOfShare(), 200);
      for (let count = 0; count < 2; count += 1) await reportAsVisitor(visitor.page, file.shortId);
      await page.goto(`${home()}/admin/reports`);
      await page.getByRole("link", { name }).click();
      await page.locator("summary", { hasText: "Dismiss" }).click();
      await page.getByText("All 2 open reports of this share are dismissed.").waitFor();
      await page.getByRole("button", { name: "Dismiss", exact: true }).click();
      await page.getByText("2 reports are dismissed.").waitFor();
      assert.equal(await statusOfShare(), 200);
      await page.goto(`${home()}/admin/reports`);
      await page.getByText("No open reports").waitFor();
    });

  /** administration, "Files". */
  for (const [device, options] of WITH_AND_WITHOUT_SCRIPTS)
    test(`a file is found, taken down and restored, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const name = `${device.replaceAll(" ", "-")}-map.txt`;
      const { page } = opened;
      const file = await upload(site.server, { name, bytes: "a map" });
      const statusOfShare = async () => (await fetch(`${site.server.url}/d/${file.shortId}`)).status;
      await signInAsAdministrator(page, "/admin/files", "Files");
      await page.getByRole("searchbox").fill("nothing-is-called-so");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByText("No files found").waitFor();
      await page.getByRole("searchbox").fill(name);
      await page.getByRole("button", { name: "Search" }).click();
      await page.locator(".admin-files .menu-opener").waitFor();
      await soon(async () =>
        assert.equal(await page.getByText("Can be downloaded").count(), 1, "only the choice of the search has this state"),
      );
      await openActions(page);
      await soon(async () => assert.equal(await page.getByText("Scan again").count(), 0, "there is no scanner"));
      if (device !== "a desktop without scripts") {
        await page.locator("summary", { hasText: "Take down" }).click();
        const dialog = page.getByRole("dialog", { name: `Take down “${name}”?` });
        await dialog.getByLabel("Note").fill("not sent");
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await dialog.waitFor({ state: "detached" });
        assert.equal(await statusOfShare(), 200);
        await openActions(page);
      }
      await decide(page, "Take down");
      // Scripts mark the field; without them, the browser moves the focus to it.
      await page.locator("[name=publicReason]:is([aria-invalid], :focus)").waitFor();
      assert.equal(await statusOfShare(), 200, "a takedown has a reason");
      await page.locator("[name=publicReason]:visible").selectOption({ label: "Phishing or fraud" });
      await page.getByRole("button", { name: "Take down", exact: true }).click();
      await page.getByText("Taken down. The bytes are kept until").waitFor();
      assert.notEqual(await statusOfShare(), 200, "the link ends at once");
      await soon(async () => assert.equal(await page.getByRole("searchbox").inputValue(), name));
      await openActions(page);
      await decide(page, "Restore");
      await page.getByText("Restored. Its links work again.").waitFor();
      assert.equal(await statusOfShare(), 200);
    });

  /** administration, "Files". */
  for (const [device, options] of WITH_AND_WITHOUT_SCRIPTS)
    test(`several files are taken down and restored together, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const name = `batch ${crypto.randomUUID()}`;
      const files: Upload[] = [];
      const owner = await addAccount(site.server);
      for (const [n, bytes] of [
        [1, "a small file"],
        [2, "a file of some more bytes"],
        [3, "tiny"],
      ] as const)
        files.push(await upload(site.server, { name: `${name} ${n}.txt`, bytes: `${bytes} ${name}` }, n === 2 ? owner : {}));
      const statuses = () => Promise.all(files.map(async ({ id }) => (await fetch(`${site.server.url}/api/files/download/${id}`)).status));
      const decideAboutSelected = async (action: string): Promise<void> => {
        await page.locator("summary", { hasText: "Selected files…" }).click();
        if (action === "Take down") await page.locator("#selection [name=publicReason]").selectOption("copyright");
        await page.locator("#selection").getByRole("button", { name: action, exact: true }).click();
      };
      const search = async (field: "sort" | "state" | "owner", value: string): Promise<void> => {
        const input = page.locator(`.file-search [name=${field}]`);
        if (!(await input.isVisible())) await page.locator("summary", { hasText: "Owner and order" }).click();
        await (field === "owner" ? input.fill(value) : input.selectOption({ label: value }));
        await page.getByRole("button", { name: "Search", exact: true }).click();
      };
      /** Waits until these are listed, in this order. */
      const whenListed = (...numbers: number[]) =>
        until(`${numbers} are listed`, async () => {
          const names = await page.locator(".files-row .files-link").allTextContents();
          return names.map((text) => / (\d)\.txt/.exec(text)?.[1]).join() === numbers.join();
        });
      await signInAsAdministrator(page, `/admin/files?q=${encodeURIComponent(name)}`, "Files");
      await whenListed(3, 2, 1);
      await search("sort", "Largest first");
      await whenListed(2, 1, 3);
      await search("owner", `${owner.userId}@example.org`);
      await whenListed(2);
      await search("owner", "anonymous");
      await whenListed(1, 3);
      await search("owner", "");
      await whenListed(2, 1, 3);
      await search("sort", "Oldest first");
      await whenListed(1, 2, 3);
      await decideAboutSelected("Take down");
      await page.getByText("Select at least one file.").waitFor();
      for (const n of [1, 2]) await page.getByLabel(`Select: ${name} ${n}.txt`).check();
      await decideAboutSelected("Take down");
      await page.getByText("2 files taken down.").waitFor();
      assert.deepEqual(await statuses(), [404, 404, 200]);
      await search("state", "Taken down");
      await whenListed(1, 2);
      await search("state", "All states");
      await whenListed(1, 2, 3);
      await page.locator("summary", { hasText: "Selected files…" }).click();
      await page.getByLabel("All 3 files of this page").check();
      await page.locator("#selection").getByRole("button", { name: "Restore", exact: true }).click();
      await page.getByText("2 files restored.").waitFor();
      await page.getByText("1 file not changed").waitFor();
      assert.deepEqual(await statuses(), [200, 200, 200]);
      for (const n of [1, 3]) await page.getByLabel(`Select: ${name} ${n}.txt`).check();
      await page.locator("summary", { hasText: "Selected files…" }).click();
      await page.locator("#selection").getByLabel("Also block the SHA-256").check();
      await page.locator("#selection [name=publicReason]").selectOption("copyright");
      await page.locator("#selection").getByRole("button", { name: "Take down", exact: true }).click();
      await page.getByText("2 files taken down. Added to the blocklist: 2.").waitFor();
      assert.deepEqual(await statuses(), [404, 200, 404]);
    });

  /** scanning, "The blocklist". */
  for (const [device, options] of DEVICES)
    test(`digests are blocked, all of them or none, found and removed, without scripts on ${device}`, async () => {
      await using opened = await openPage(site.browser, { ...options, javaScriptEnabled: false });
      const { page } = opened;
      const reason = `Order ${crypto.randomUUID()}`;
      const file = await upload(site.server, { name: "invoice.html", bytes: reason });
      const [first, second] = [sha256(reason), sha256(`${reason} 2`)];
      const add = () => page.getByRole("button", { name: "Block them", exact: true }).click();
      await signInAsAdministrator(page, "/admin/blocklist", "Blocklist");
      await page.locator("summary", { hasText: "Add digests" }).click();
      await page.locator("[name=digests]").fill(`${first}\nnot-one`);
      await page.locator("[name=reason]").fill(reason);
      await add();
      await page.getByText("“not-one” is not a SHA-256.").waitFor();
      await soon(async () => assert.equal(await page.getByText(first, { exact: true }).count(), 0));
      await page.locator("[name=digests]").fill(`${first}\n${second.toUpperCase()}`);
      await add();
      await page.getByText("2 added.").waitFor();
      assert.notEqual((await fetch(`${site.server.url}/api/files/download/${file.id}`)).status, 200);
      await page.getByRole("searchbox").fill(reason);
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await soon(async () => assert.equal(await page.getByText(reason, { exact: true }).count(), 2));
      await page.getByRole("link", { name: first }).click();
      await page.locator(".files-row", { hasText: "On the blocklist" }).waitFor();
      await page.goto(`${home()}/admin/blocklist?q=${first.slice(0, 12)}`);
      await page.locator("summary", { hasText: "Remove" }).click();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByText("Removed from the blocklist.").waitFor();
      await page.getByText("No digests found").waitFor();
    });
});
