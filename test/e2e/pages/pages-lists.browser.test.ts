import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { unzipMissing } from "../../support/formats/unzip.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const FILES = 2000;
const MAX_FIRST_VIEW_BYTES = 60 * 1024;

/** pages, "A list of many files". */
describeUnless(browserMissing ?? unzipMissing, "lists of shipments in a browser", () => {
  let browser: Browser;
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
  });

  /** A shipment of real files, of which one is listed 2,000 times, in folders. */
  async function makeLarge(fields: Readonly<Record<string, string>> = {}) {
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "Trip/2025/b.txt", "Trip/2026/c.txt"], fields });
    await withDatabase(server, async (db) => {
      const row = await db.selectFrom("files").selectAll().where("id", "=", share.id).executeTakeFirstOrThrow();
      for (let start = 3; start < FILES; start += 200) {
        const rows = Array.from({ length: Math.min(200, FILES - start) }, (_, index) => {
          const name = `IMG_${start + index}.jpg`;
          const id = `${share.shortId}${String(start + index).padStart(8, "0")}`;
          return { ...row, id, name, relative_path: `Trip/${2020 + (index % 5)}/${name}`, blob_key: `${row.blob_key}-${id}` };
        });
        await db.insertInto("files").values(rows).execute();
      }
    });
    return share;
  }

  async function namesInZip(page: Page, press: () => Promise<void>): Promise<string[]> {
    const [download] = await Promise.all([page.waitForEvent("download"), press()]);
    return spawnSync("unzip", ["-Z1", await download.path()], { encoding: "utf8" })
      .stdout.trim()
      .split("\n")
      .sort();
  }

  test("have less than 60 KB in the first view of 2,000 files", async () => {
    const share = await makeLarge();
    const sizes = await Promise.all(
      ["", "?folder=Trip/2021", "?folder=Trip/2021&view=grid", "?q=img"].map(async (query) => {
        const response = await fetch(server.url + share.sharePath + query, {
          headers: { "Accept-Encoding": "br" },
          decompress: false,
        } as RequestInit);
        assert.equal(response.headers.get("content-encoding"), "br");
        return (await response.arrayBuffer()).byteLength;
      }),
    );
    for (const bytes of sizes) assert.ok(bytes < MAX_FIRST_VIEW_BYTES, sizes.join());
  });

  for (const isProtected of [false, true]) {
    test(`${isProtected ? "an unlocked page" : "a page"} opens folders, adds files, searches, and downloads selected entries`, async () => {
      const share = await makeLarge(isProtected ? { protect: "true" } : {});
      await using opened = await openPage(browser);
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      if (isProtected) {
        await page.getByLabel("Code").fill(share.unlockCode ?? "");
        await page.keyboard.press("Enter");
      }
      await page.evaluate("window.sameDocument = true");
      await page.locator("summary", { hasText: "Trip" }).click();
      await page.locator("summary", { hasText: "2025" }).waitFor();
      await page.locator("summary", { hasText: "2025" }).click();
      await page.getByRole("button", { name: "Download b.txt" }).waitFor();
      await page.getByRole("checkbox", { name: "b.txt" }).check();
      const [only] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download 1 file (24 bytes)" }).click(),
      ]);
      assert.equal(only.suggestedFilename(), "b.txt");
      await page.locator("summary", { hasText: "2021" }).click();
      const images = page.getByRole("button", { name: /^Download IMG_/ });
      await images.nth(99).waitFor();
      await page.locator("details[data-folder='Trip/2021'] > .open-folder .go").click();
      await images.nth(199).waitFor();
      await page.getByRole("searchbox").fill("C.TXT");
      await page.getByText("1 file found.").first().waitFor();
      await page.getByRole("checkbox", { name: /c\.txt/ }).check();
      const names = await namesInZip(page, () => page.getByRole("button", { name: "Download 2 files (ZIP, 48 bytes)" }).click());
      assert.deepEqual(names, ["Trip/2025/b.txt", "Trip/2026/c.txt"]);
      await soon(async () => assert.equal(await page.evaluate("window.sameDocument"), true));
      assert.equal(new URL(page.url()).search, isProtected ? "" : "?q=C.TXT");
      assert.deepEqual(opened.complaints, []);
    });

    test(`${isProtected ? "forms of an unlocked page" : "links"} lead to folders and pages without JavaScript`, async () => {
      const share = await makeLarge(isProtected ? { protect: "true" } : {});
      await using opened = await openPage(browser, { javaScriptEnabled: false });
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      if (isProtected) {
        await page.getByLabel("Code").fill(share.unlockCode ?? "");
        await page.getByRole("button", { name: "Unlock" }).click();
      }
      const go = (name: string) => page.getByRole(isProtected ? "button" : "link", { name }).click();
      await page.locator("summary", { hasText: "Trip" }).click();
      await go("Open folder Trip");
      await page.locator("summary", { hasText: "2021" }).click();
      await go("Open folder 2021");
      await page.getByText("Page 1 of 4").first().waitFor();
      await go("Next page");
      await page.getByText("Page 2 of 4").first().waitFor();
      await page.getByRole("searchbox").fill("c.txt");
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await page.getByRole("checkbox", { name: /c\.txt/ }).check();
      const names = await namesInZip(page, () => page.getByRole("button", { name: "Download selected as ZIP" }).click());
      assert.deepEqual(names, ["Trip/2026/c.txt"]);
    });
  }

  for (const javaScriptEnabled of [true, false]) {
    test(`the order and the view of a folder are chosen ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const paths = Array.from({ length: 12 }, (_, index) => `docs/${"x".repeat(index + 1)}.txt`);
      const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", ...paths] });
      await using opened = await openPage(browser, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(`${server.url}${share.sharePath}?folder=docs`);
      const first = page.locator("#entries > li").first();
      await first.getByText("x.txt", { exact: true }).waitFor();
      await page.getByRole("combobox", { name: "Sort by" }).selectOption("Size");
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Sort by" }).click();
      await first.getByText(`${"x".repeat(12)}.txt`, { exact: true }).waitFor();
      await soon(async () => assert.equal(await page.locator("#entries > li").count(), 12, "the folder stays"));
      await page.getByRole("link", { name: "Grid", exact: true }).click();
      await page.locator("#entries.grid").waitFor();
      await page.getByRole("link", { name: "List", exact: true }).waitFor();
      await first.getByText(`${"x".repeat(12)}.txt`, { exact: true }).waitFor();
      if (javaScriptEnabled) assert.equal(new URL(page.url()).search, "?folder=docs&sort=size&view=grid");
      assert.deepEqual(opened.complaints, []);
    });
  }

  test("the keyboard alone opens a folder and selects it as a whole", async () => {
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "docs/b.txt", "docs/c.txt"] });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await page.getByRole("checkbox", { name: "Select docs" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("checkbox", { name: "b.txt", disabled: true }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await soon(async () => assert.equal(await page.getByRole("checkbox", { name: "b.txt" }).isVisible(), false));
    const names = await namesInZip(page, () => page.getByRole("button", { name: /^Download 2\sfiles/ }).press("Enter"));
    assert.deepEqual(names, ["docs/b.txt", "docs/c.txt"]);
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`Enter on a check box never downloads all files ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const fields = { maxDownloads: "1" };
      const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt", "docs/c.txt"], fields });
      await using opened = await openPage(browser, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      if (javaScriptEnabled) await page.locator("#listing[data-ready]").waitFor();
      await page.getByRole("checkbox", { name: "b.txt" }).focus();
      await page.keyboard.press("Space");
      const pressEnter = () => page.keyboard.press("Enter");
      if (javaScriptEnabled) {
        await pressEnter();
        const selected = page.getByRole("button", { name: /^Download 1\sfile/ });
        const [download] = await Promise.all([page.waitForEvent("download"), selected.click()]);
        assert.equal(download.suggestedFilename(), "b.txt");
        await download.path();
      }
      // Without scripts, Enter submits the form: it downloads the selection.
      else assert.deepEqual(await namesInZip(page, pressEnter), ["b.txt"]);
      const counts = await withDatabase(server, (db) =>
        db.selectFrom("files").select(["name", "download_count"]).where("short_id", "=", share.shortId).orderBy("name").execute(),
      );
      assert.deepEqual(
        counts.map(({ download_count }) => download_count),
        [0, 1, 0],
      );
    });
  }

  test("after the last download of all files, no row says that downloads are left", async () => {
    const fields = { maxDownloads: "1" };
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"], fields });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await soon(async () => assert.equal(await page.getByText("1 download left").count(), 2));
    await namesInZip(page, () => page.getByRole("button", { name: "Download all" }).click());
    await page.locator("#main").getByText("Your download has started. No downloads left.", { exact: true }).waitFor();
    await soon(async () => assert.equal(await page.getByText("1 download left").count(), 0));
  });
});
