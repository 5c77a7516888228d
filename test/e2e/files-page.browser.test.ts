import assert from "node:assert/strict";
import { describe, test } from "node:test";
import axe from "axe-core";
import { sql } from "kysely";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Db } from "../../src/db/database.ts";
import { browserMissing, openPage } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { clientOf, listFiles, upload } from "./support/api.ts";
import { useBrowsedServer } from "./support/browsed-server.ts";
import { textFile } from "./support/sending.ts";
import { withDatabase } from "./support/state.ts";

const VIOLATIONS = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).slice(0, 3).join(" ")))`;

/** Inserts files without bytes. */
async function insertFiles(db: Db, ownerId: string, count: number): Promise<void> {
  const numbers = sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  await sql`${numbers} INSERT INTO shares (short_id, kind, owner_id, name, created_at)
    SELECT 'many' || i, 'file', ${ownerId}, 'x', i FROM n`.execute(db);
  await sql`${numbers} INSERT INTO files (id, short_id, owner_id, quota_owner, name, name_key, name_order, size_bytes, content_type, blob_key,
      blob_state, scan_status, created_at)
    SELECT 'many' || i, 'many' || i, ${ownerId}, ${ownerId}, 'file ' || i || '.txt', 'file ' || i || '.txt', 'file ' || length(i) || i || '.txt', i,
      'text/plain', 'many' || i, 'stored', 'clean', i FROM n`.execute(db);
}

/** pages, "The files of an account". */
describe("the files of an account in a browser", { skip: browserMissing }, () => {
  const site = useBrowsedServer({ FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }) });
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;

  async function signUp(): Promise<string> {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    return (await clientOf(site.server).call("signUp", person)).data.sessionToken;
  }
  async function openFor(key: string, options: BrowserContextOptions = {}, path = "/files") {
    const opened = await openPage(site.browser, options);
    await opened.page.context().addCookies([{ name: "session", value: key, url: home() }]);
    await opened.page.goto(home() + path);
    await opened.page.locator("[role=grid], .files-empty").first().waitFor();
    return opened;
  }
  /** Opens the list as a new account with these files. */
  async function open(names: readonly string[], options: BrowserContextOptions = {}) {
    const key = await signUp();
    for (const name of names) await upload(site.server, { name, bytes: name }, { key });
    return { ...(await openFor(key, options)), key };
  }
  const makeFolder = async (key: string, name: string): Promise<string> =>
    (await clientOf(site.server, { key }).call("createFolder", { name })).data.id;
  const shownNames = (page: Page): Promise<string[]> => page.locator(".files-link").allTextContents();
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const row = (page: Page, name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  const pick = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).click();
  const remaining = async (key: string) => (await listFiles(site.server, key)).files.map(({ name }) => name).sort();

  for (const [device, options] of [
    ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
    ["a desktop", { viewport: { width: 1280, height: 800 } }],
  ] as const)
    test(`are organized in folders, renamed, moved and deleted with undo, on ${device}`, async () => {
      await using opened = await open(["a.txt", "b.txt", "c.txt"], options);
      const { page, key } = opened;
      assert.deepEqual(await shownNames(page), ["c.txt", "b.txt", "a.txt"]);

      await press(page, "New folder");
      await page.getByLabel("Name of the folder").fill("Letters");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Letters", exact: true }).waitFor();

      await pick(page, "a.txt");
      await press(page, "Rename");
      await page.getByLabel("New name").fill("first.txt");
      await press(page, "Save");
      await page.getByRole("link", { name: "first.txt", exact: true }).waitFor();

      await pick(page, "b.txt");
      await page.getByText("2 selected").waitFor();
      await press(page, "Move");
      await page.getByRole("dialog").getByRole("button", { name: "Letters" }).click();
      await press(page, "Move here");
      await page.getByText("Moved 2 items.").first().waitFor();
      assert.deepEqual(await shownNames(page), ["Letters", "c.txt"]);
      await page.getByRole("link", { name: "Letters", exact: true }).click();
      await page.getByRole("heading", { name: "Letters" }).waitFor();
      await page.getByRole("link", { name: "first.txt", exact: true }).waitFor();
      assert.deepEqual((await shownNames(page)).sort(), ["b.txt", "first.txt"]);

      await pick(page, "b.txt");
      await press(page, "Delete");
      await page.getByRole("link", { name: "b.txt", exact: true }).waitFor({ state: "detached" });
      assert.deepEqual(await remaining(key), ["b.txt", "c.txt", "first.txt"]);
      await press(page, "Undo");
      await page.getByRole("link", { name: "b.txt", exact: true }).waitFor();
      await pick(page, "first.txt");
      await press(page, "Delete");
      // Leaving the page makes it final.
      await page.goto(`${home()}/shares`);
      await until("the file is deleted", async () => (await remaining(key)).length === 2);
      assert.deepEqual(opened.complaints, []);
    });

  test("are deleted when the undo has expired, and come back with the reason if the server refuses", async () => {
    await using opened = await open(["kept.txt", "gone.txt"]);
    const { page, key } = opened;
    const kept = (await listFiles(site.server, key)).files.find(({ name }) => name === "kept.txt");
    await clientOf(site.server, { key }).call("updateShareSettings", { fileId: kept?.id, immutable: true });
    await page.clock.install();
    await page.reload();
    await page.getByRole("checkbox", { name: "Select all" }).click();
    await press(page, "Delete");
    await page.getByText("Deleted 2 items.").first().waitFor();
    assert.deepEqual(await shownNames(page), []);
    await page.clock.fastForward(10_000);
    await page.getByRole("alert").getByText("Not deleted: 1 item.").waitFor();
    await page.getByRole("link", { name: "kept.txt", exact: true }).waitFor();
    assert.deepEqual(await remaining(key), ["kept.txt"]);
  });

  test("are chosen and changed by keyboard alone", async () => {
    await using opened = await open(["a.txt", "b.txt", "c.txt", "d.txt"]);
    const { page, key } = opened;
    const isFocused = (name: string) => page.locator(".files-row:focus").getByRole("link", { name, exact: true }).waitFor();
    await row(page, "d.txt").focus();
    await page.keyboard.press("ArrowDown");
    await isFocused("c.txt");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("2 selected").waitFor({ state: "detached" });
    await page.keyboard.press("Control+a");
    await page.getByText("4 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Home");
    await isFocused("d.txt");
    await page.keyboard.press("F2");
    await page.getByRole("dialog", { name: "Rename" }).waitFor();
    await page.keyboard.type("delta");
    await page.keyboard.press("Enter");
    await isFocused("delta.txt");
    await page.keyboard.press("End");
    await isFocused("a.txt");
    await page.keyboard.press("Delete");
    await page.getByRole("link", { name: "a.txt", exact: true }).waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.keyboard.type("DELTA");
    await page.locator(".files-found", { hasText: "1 file found." }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".files-found", { hasText: "1 file found." }).waitFor({ state: "detached" });
    await page.goto("about:blank");
    await until("the file is deleted", async () => (await remaining(key)).join() === "b.txt,c.txt,delta.txt");
  });

  test("are uploaded into the open folder, and dragged to another", async () => {
    const key = await signUp();
    const folderId = await makeFolder(key, "Inbox");
    await using opened = await openFor(key, {}, `/files/${folderId}`);
    const { page } = opened;
    await page.setInputFiles("#upload-files", ["one.txt", "two.txt"].map(textFile));
    await page.getByText("Uploaded 2 files.").first().waitFor();
    await page.getByRole("link", { name: "one.txt", exact: true }).waitFor();
    const { files } = await listFiles(site.server, key, { folderId });
    assert.deepEqual([files.length, new Set(files.map(({ shortId }) => shortId)).size], [2, 1]);
    await row(page, "one.txt").dragTo(page.getByRole("navigation", { name: "Folder" }).getByRole("link", { name: "Files", exact: true }));
    await page.getByText("Moved 1 item.").first().waitFor();
    assert.deepEqual(await shownNames(page), ["two.txt"]);
  });

  test("show one file with its link, settings, downloads and facts", async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ]) {
      await using opened = await open(["notes.txt"], { viewport });
      const { page, key } = opened;
      await page.getByRole("link", { name: "notes.txt", exact: true }).click();
      const drawer = page.getByRole("dialog", { name: "Details of notes.txt" });
      await drawer.getByRole("heading", { name: "Settings of the link" }).waitFor();
      await page.frameLocator(".files-preview iframe").getByText("notes.txt").waitFor();
      await drawer.getByLabel("Title", { exact: true }).fill("For Monday");
      await drawer.getByLabel("Title", { exact: true }).blur();
      await drawer.getByText("Saved").waitFor();
      const [file] = (await listFiles(site.server, key)).files;
      const client = clientOf(site.server, { key });
      const share = async () => (await client.call("getFile", { fileId: file?.id ?? "" })).data;
      assert.equal((await share()).share.title, "For Monday");
      await drawer.getByLabel("Require a code").check();
      await drawer.getByText(/^Code [A-Z0-9]{6}$/).waitFor();
      await drawer.getByLabel("Show it on your public page").click();
      await drawer.getByRole("alert").waitFor();
      assert.equal((await share()).visibility, "unlisted");
      await drawer.getByLabel("Download limit").fill("3");
      await drawer.getByLabel("Download limit").blur();
      await until("the limit is saved", async () => (await share()).share.maxDownloads === 3);
      await drawer.getByText("No downloads yet").waitFor();
      await page.evaluate(axe.source);
      assert.deepEqual(await page.evaluate(VIOLATIONS), []);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width);
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
    }
  });

  test("stay smooth when there are 10,000: only what is in view is in the page", async () => {
    const key = await signUp();
    const { owner } = (await clientOf(site.server, { key }).call("getMe", {})).data;
    await withDatabase(site.server, (db) => insertFiles(db, owner.id, 10_000));
    await using opened = await openFor(key, {}, "/files?sort=name");
    const { page } = opened;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await row(page, "file 1.txt").focus();
    await page.keyboard.press("End");
    await page.locator(".files-row:focus").getByRole("link", { name: "file 10000.txt", exact: true }).waitFor();
    assert.ok((await page.locator(".files-row").count()) < 100);
    assert.ok(requests.length < 5, `${requests.length} requests`);
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, -200_000);
    await page
      .getByRole("link", { name: /^file 5\d{3}\.txt$/ })
      .first()
      .waitFor();
    await page.keyboard.press("Control+a");
    await page.getByText("10,000 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Home");
    await page.locator(".files-row:focus").getByRole("link", { name: "file 1.txt", exact: true }).waitFor();
    assert.ok((await page.locator(".files-row").count()) < 100);
    await press(page, "Grid");
    await page.keyboard.press("/");
    await page.keyboard.type("file 9999");
    await page.locator(".files-found", { hasText: "1 file found." }).waitFor();
    assert.ok((await page.locator(".files-row").count()) < 150);
  });

  test("change in one tab, and are up to date in another that is looked at again", async () => {
    await using opened = await open(["a.txt"]);
    const { page, key } = opened;
    await upload(site.server, { name: "from elsewhere.txt", bytes: "x" }, { key });
    await page.evaluate(`dispatchEvent(new Event("focus"))`);
    await page.getByRole("link", { name: "from elsewhere.txt", exact: true }).waitFor();
  });

  test("keep their view on the device, have no violation of accessibility, and fit 320 pixels", async () => {
    await using opened = await open(["a.txt", "b.txt"], { viewport: { width: 320, height: 700 }, colorScheme: "dark" });
    const { page } = opened;
    for (const view of ["Table", "Grid"]) {
      await press(page, view);
      await pick(page, "a.txt");
      await page.evaluate(axe.source);
      assert.deepEqual(await page.evaluate(VIOLATIONS), [], view);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320, view);
      await press(page, "Clear selection");
    }
    await page.reload();
    assert.equal(await page.getByRole("button", { name: "Grid", exact: true }).getAttribute("aria-pressed"), "true");
  });

  test("need less than 120 KB, with the first list in the page", async () => {
    const key = await signUp();
    await upload(site.server, { name: "a.txt", bytes: "x" }, { key });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: key, url: home() }]);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(`${home()}/files`, { waitUntil: "networkidle" });
    await page.getByRole("grid").waitFor();
    assert.ok(bytes > 10_000 && bytes < 120 * 1024, `${bytes} bytes`);
    assert.deepEqual(
      requests.filter((path) => path.startsWith("/api/")),
      [],
    );
  });
});
