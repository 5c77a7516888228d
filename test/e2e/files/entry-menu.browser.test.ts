import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, listFiles, upload } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { chooseView, confirmDeletion } from "../support/pages/files.ts";

const VIEWPORTS = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

/** pages, "The files of an account": the menu of a row, the actions on folders with content, and the keyboard. */
describeUnless(browserMissing, "the actions on files and folders of an account", () => {
  const site = useBrowsedServer();
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;

  /** Opens the list of a new account, with a folder "Trip" of two files, one of them in a folder inside it, an empty folder "Letters" and two files. */
  async function open(options: BrowserContextOptions = {}) {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    const key = (await clientOf(site.server).call("signUp", person)).data.sessionToken;
    const client = clientOf(site.server, { key });
    const { folders } = (await client.call("createFolders", { paths: ["Trip", "Trip/Day 1", "Letters"] })).data;
    const [trip = "", day = "", letters = ""] = folders.map(({ id }) => id);
    for (const [name, folderId] of [["map.txt", trip], ["walk.txt", day], ["a.txt"], ["b.txt"]] as const)
      await upload(site.server, { name, bytes: name, ...(folderId !== undefined && { fields: { folderId } }) }, { key });
    const opened = await openPage(site.browser, options);
    await opened.page.context().addCookies([{ name: "session", value: key, url: home() }]);
    await opened.page.goto(`${home()}/files`);
    await opened.page.locator("[role=grid]").waitFor();
    return Object.assign(opened, { key, client, trip, day, letters });
  }
  const shownNames = (page: Page): Promise<string[]> => page.locator(".files-link").allTextContents();
  const row = (page: Page, name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const choose = async (page: Page, entry: string, action: string): Promise<void> => {
    await press(page, `Actions for ${entry}`);
    await page.getByRole("menu", { name: entry }).getByRole("menuitem", { name: action, exact: true }).click();
  };
  const focusedText = (page: Page): Promise<string> => page.evaluate("document.activeElement?.textContent?.trim() ?? ''");

  for (const viewport of VIEWPORTS)
    test(`a folder with content is shared, downloaded, moved back and deleted with undo by its menu, ${viewport.width} pixels wide`, async () => {
      await using opened = await open({ viewport });
      const { page, key, client, trip, letters } = opened;
      await press(page, "Actions for Trip");
      const menu = page.getByRole("menu", { name: "Trip" });
      await soon(async () =>
        assert.deepEqual(await menu.getByRole("menuitem").allTextContents(), [
          "Copy link",
          "Open",
          "Share",
          "Download as ZIP",
          "Rename",
          "Move",
          "Delete",
        ]),
      );
      await assertAccessible(page, "the menu");
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width));
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        menu.getByRole("menuitem", { name: "Download as ZIP" }).click(),
      ]);
      assert.equal(download.suggestedFilename(), "Trip.zip");

      await choose(page, "Trip", "Share");
      await page.getByRole("dialog").getByRole("button", { name: "Get a link" }).click();
      const shareUrl = (await page.locator("#link").getAttribute("href")) ?? "";
      const shortId = new URL(shareUrl).pathname.split("/").at(-1) ?? "";
      const share = (await clientOf(site.server).call("getShare", { shortId })).data;
      assert.deepEqual(
        [share.title, share.files?.map(({ relativePath }) => relativePath).sort()],
        ["Trip", ["Trip/Day 1/walk.txt", "Trip/map.txt"]],
      );
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

      await choose(page, "Trip", "Move");
      await page.getByRole("dialog").getByRole("button", { name: "Letters" }).click();
      await press(page, "Move here");
      await page.getByText("Moved “Trip” to “Letters”.").first().waitFor();
      await soon(async () => assert.deepEqual(await shownNames(page), ["Letters", "b.txt", "a.txt"]));
      const parentOf = async () => (await client.call("listFolders", {})).data.find(({ id }) => id === trip)?.parent_id;
      assert.equal(await parentOf(), letters);
      await press(page, "Undo");
      await link(page, "Trip").waitFor();
      assert.equal(await parentOf(), null);

      await choose(page, "Trip", "Delete");
      const question = page.getByRole("dialog", { name: /^Delete “Trip” and 2.files inside\?$/ });
      await question.getByText(/^These 3.links stop working:$/).waitFor();
      await soon(async () =>
        assert.deepEqual((await question.getByRole("listitem").allTextContents()).sort(), ["Trip", "map.txt", "walk.txt"]),
      );
      await confirmDeletion(page);
      await page.getByText("Deleted “Trip” and 2 files inside.").first().waitFor();
      await soon(async () => assert.deepEqual(await shownNames(page), ["Letters", "b.txt", "a.txt"]));
      await press(page, "Undo");
      await link(page, "Trip").waitFor();
      assert.equal((await listFiles(site.server, key)).pagination.total, 4);
      await choose(page, "Trip", "Delete");
      await confirmDeletion(page);
      await link(page, "Trip").waitFor({ state: "detached" });
      await assertAccessible(page, "undo");
      // Leaving the page makes it final.
      await page.goto("about:blank");
      await until("the folder is deleted with its files", async () => (await listFiles(site.server, key)).pagination.total === 2);
      assert.deepEqual(
        (await client.call("listFolders", {})).data.map(({ name }) => name),
        ["Letters"],
      );
      assert.deepEqual(opened.complaints, []);
    });

  test("a move can be undone until the same file is moved again, and each Undo says what it undoes", async () => {
    await using opened = await open();
    const { page, key, letters } = opened;
    await page.goto(`${home()}/files?q=txt`);
    const moveTo = async (name: string, folder: string): Promise<void> => {
      await choose(page, name, "Move");
      await page.getByRole("dialog").getByRole("button", { name: folder, exact: true }).click();
      await press(page, "Move here");
      await page.getByText(`Moved “${name}” to “${folder}”.`).first().waitFor();
    };
    await moveTo("a.txt", "Letters");
    await moveTo("b.txt", "Letters");
    await moveTo("a.txt", "Trip");
    const offers = page.locator(".toasts").getByRole("button", { name: "Undo" });
    await soon(async () =>
      assert.deepEqual(
        await offers.evaluateAll((buttons) =>
          buttons.map((button) => document.getElementById(button.getAttribute("aria-describedby") ?? "")?.textContent),
        ),
        ["Moved “b.txt” to “Letters”.", "Moved “a.txt” to “Trip”."],
      ),
    );
    await offers.last().click();
    await until("the file is in the folder before the last one", async () => {
      const { files } = await listFiles(site.server, key, { search: "a.txt" });
      return files.find(({ name }) => name === "a.txt")?.folderId === letters;
    });
    assert.deepEqual(opened.complaints, []);
  });

  test("a folder with an immutable file comes back with the reason", async () => {
    await using opened = await open();
    const { page, key, client } = opened;
    const walk = (await listFiles(site.server, key, { search: "walk" })).files[0];
    await client.call("updateShareSettings", { fileId: walk?.id, immutable: true });
    await page.clock.install();
    await page.reload();
    await choose(page, "Trip", "Delete");
    await page.getByText("Deleted “Trip” and 2 files inside.").first().waitFor();
    await page.clock.fastForward(10_000);
    await page.getByRole("alert").getByText("Not deleted: “Trip”. A file in the folder is immutable").waitFor();
    await link(page, "Trip").waitFor();
    assert.equal((await listFiles(site.server, key)).pagination.total, 4);
  });

  for (const viewport of VIEWPORTS)
    test(`several entries have one menu on right click, and a move from several folders is undone, ${viewport.width} pixels wide`, async () => {
      await using opened = await open({ viewport });
      const { page, key, client, trip, day } = opened;
      await row(page, "b.txt").click({ button: "right" });
      const menu = page.getByRole("menu", { name: "b.txt" });
      await soon(async () =>
        assert.deepEqual(await menu.getByRole("menuitem").allTextContents(), [
          "Copy link",
          "Details",
          "Share",
          "Download",
          "Rename",
          "Move",
          "Delete",
        ]),
      );
      await page.keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
      await page.getByText("1 selected").waitFor();
      await page.keyboard.press("Escape");

      await page.goto(`${home()}/files?q=txt`);
      for (const name of ["map.txt", "walk.txt", "a.txt"])
        await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).click();
      await row(page, "walk.txt").click({ button: "right" });
      const several = page.getByRole("menu", { name: "3 selected" });
      await soon(async () =>
        assert.deepEqual(await several.getByRole("menuitem").allTextContents(), ["Share", "Download as ZIP", "Move", "Delete"]),
      );
      await several.getByRole("menuitem", { name: "Move" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Letters" }).click();
      await press(page, "Move here");
      await page.getByText("Moved 3 items to “Letters”.").first().waitFor();
      const folderOf = async () => new Map((await listFiles(site.server, key)).files.map(({ name, folderId }) => [name, folderId]));
      const moved = await folderOf();
      assert.equal(new Set(["map.txt", "walk.txt", "a.txt"].map((name) => moved.get(name))).size, 1);
      await press(page, "Undo");
      await until("the files are where they were", async () => {
        const files = await folderOf();
        return files.get("map.txt") === trip && files.get("walk.txt") === day && files.get("a.txt") === null;
      });
      // A click elsewhere only closes the menu.
      const { x, y } = (await page.getByRole("heading", { name: "Files" }).boundingBox()) ?? assert.fail("the heading is not shown");
      await press(page, "Actions for b.txt");
      await menu.waitFor();
      await page.mouse.click(x + 2, y + 2);
      await menu.waitFor({ state: "detached" });
      assert.match(page.url(), /q=txt/);
      assert.equal((await client.call("listFolders", {})).data.length, 3);
      assert.deepEqual(opened.complaints, []);
    });

  test("the menu of a file copies its link", async () => {
    await using opened = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, key } = opened;
    await choose(page, "a.txt", "Copy link");
    await page.getByText("Link copied").first().waitFor();
    const file = (await listFiles(site.server, key)).files.find(({ name }) => name === "a.txt");
    await soon(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), file?.shareUrl));
    assert.deepEqual(opened.complaints, []);
  });

  test("arrow keys move in a grid, in which folders have lines of their own", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseView(page, "Grid");
    await row(page, "Letters").focus();
    const visited: string[] = [];
    for (const key of ["ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowDown", "End", "Home"]) {
      await page.keyboard.press(key);
      visited.push(await page.locator(".files-row:focus .files-link").textContent().then(String));
    }
    assert.deepEqual(visited, ["Trip", "a.txt", "Trip", "Letters", "b.txt", "b.txt", "a.txt", "Letters"]);
    const [folder, file] = await Promise.all(["Letters", "b.txt"].map((name) => row(page, name).boundingBox()));
    assert.ok(folder && file && folder.x === file.x && folder.y + folder.height < file.y);
    assert.deepEqual(opened.complaints, []);
  });

  test("a grid has fewer columns beside the details of a file", async () => {
    await using opened = await open({ viewport: { width: 1280, height: 800 } });
    const { page } = opened;
    await chooseView(page, "Grid");
    const columns = () => page.locator(".files-rows").evaluate((rows) => Number(getComputedStyle(rows).getPropertyValue("--columns")));
    await soon(async () => assert.equal(await columns(), 6));
    await link(page, "b.txt").click();
    await page.locator(".files-drawer").waitFor();
    await soon(async () => assert.equal(await columns(), 4));
    assert.deepEqual(opened.complaints, []);
  });

  test("the menu is used only by keyboard, and gives the focus back", async () => {
    await using opened = await open();
    const { page } = opened;
    await row(page, "b.txt").focus();
    await page.keyboard.press("Shift+F10");
    const menu = page.getByRole("menu", { name: "b.txt" });
    await menu.waitFor();
    const visited: string[] = [];
    for (const key of ["Home", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "End", "Home", "m"]) {
      await page.keyboard.press(key);
      visited.push(await focusedText(page));
    }
    assert.deepEqual(visited, ["Copy link", "Details", "Copy link", "Delete", "Copy link", "Delete", "Copy link", "Move"]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await page.locator(".files-row:focus").getByRole("link", { name: "b.txt", exact: true }).waitFor();
    await page.keyboard.press("Shift+F10");
    await menu.waitFor();
    await page.keyboard.press("r");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Rename" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".files-row:focus").getByRole("link", { name: "b.txt", exact: true }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  for (const viewport of VIEWPORTS)
    test(`at most two Tab stops are between the start of the content and the first row, and all tools are reached, ${viewport.width} pixels wide`, async () => {
      await using opened = await open({ viewport });
      const { page, day, client } = opened;
      const deep = (await client.call("createFolders", { paths: ["Morning/Forum"], parentId: day })).data.folders[0]?.id ?? "";
      await client.call("moveFiles", { folderIds: [opened.letters], folderId: deep });
      /** Presses Tab from the start of the content until a row has the focus. */
      const countStops = async (): Promise<number> => {
        await page.locator("#main").focus();
        for (let stops = 1; stops <= 20; stops += 1) {
          await page.keyboard.press("Tab");
          if (await page.evaluate("document.activeElement?.matches('.files-row')")) return stops;
        }
        return assert.fail("no row has the focus");
      };
      for (const path of ["/files", `/files/${deep}`]) {
        await page.goto(home() + path);
        await page.locator("[role=grid]").waitFor();
        const stops = await countStops();
        assert.equal(stops, path === "/files" ? 2 : 3, path);
      }
      // Arrow keys reach the folders above, the tools and the columns.
      await page.getByRole("toolbar", { name: "Folder" }).getByRole("link", { name: "Files" }).focus();
      await page.keyboard.press("End");
      await soon(async () => assert.equal(await focusedText(page), "Morning"));
      await page.keyboard.press("ArrowRight");
      await soon(async () => assert.equal(await focusedText(page), "Files"));
      const isWide = viewport.width > 768;
      const focusedLabel = (): Promise<string | null> => page.evaluate("document.activeElement?.getAttribute('aria-label')");
      await page.getByRole("button", { name: isWide ? "New folder" : "Add", exact: true }).focus();
      await page.keyboard.press("Home");
      const isFocused = (label: string) => soon(async () => assert.equal(await focusedLabel(), label));
      await isFocused("Search all files");
      await page.keyboard.type("a");
      for (const key of ["Home", "End", "ArrowLeft", "ArrowRight"]) {
        await page.keyboard.press(key);
        await isFocused("Search all files");
      }
      await page.keyboard.press("Escape");
      await page.keyboard.press("ArrowRight");
      await isFocused("View and order");
      // The list of the search may be on the page for a moment.
      await page.locator("[role=grid][aria-busy=false]").waitFor();
      await page.locator(".files-found").waitFor({ state: "detached" });
      await page.keyboard.press("End");
      await soon(async () => assert.equal((await focusedLabel()) ?? (await focusedText(page)), isWide ? "New folder" : "Add"));
      await page.keyboard.press("Tab");
      await soon(async () => assert.ok(await page.evaluate("document.activeElement?.matches('.files-row')")));
      if (isWide) {
        await page.keyboard.press("ArrowUp");
        await soon(async () => assert.equal(await focusedLabel(), "Select all"));
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowDown");
      }
      await page.locator(".files-row:focus").waitFor();
      await page.keyboard.press("Space");
      await page.getByRole("toolbar", { name: "1 selected" }).waitFor();
      assert.equal(await countStops(), 4);
      await assertAccessible(page, "a deep folder with a selection");
      assert.deepEqual(opened.complaints, []);
    });
});
