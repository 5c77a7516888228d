import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { pngOf } from "../../support/formats/images.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, listFiles, signedUrl, upload } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { chooseView, confirmDeletion, isViewChosen, pressAdd } from "../support/pages/files.ts";
import { openMore } from "../support/pages/sender-bar.ts";
import { textFile } from "../support/pages/sending.ts";
import { withDatabase } from "../support/servers/state.ts";
import { insertFiles } from "../support/uploads/many-files.ts";

/** pages, "The files of an account". */
describeUnless(browserMissing, "the files of an account in a browser", () => {
  const site = useBrowsedServer();
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;

  async function signUp(): Promise<string> {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    return (await clientOf(site.server).call("signUp", person)).data.sessionToken;
  }
  async function openFor(key: string, options: BrowserContextOptions = {}, path = "/files") {
    const opened = await openPage(site.browser, options);
    await opened.page.context().addCookies([{ name: "session", value: key, url: home() }]);
    await opened.page.goto(home() + path);
    await opened.page.locator("[role=grid], .empty").first().waitFor();
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

  for (const [device, options] of DEVICES)
    test(`are organized in folders, renamed, moved and deleted with undo, on ${device}`, async () => {
      await using opened = await open(["a.txt", "b.txt", "c.txt"], { ...options, colorScheme: "dark" });
      const { page, key } = opened;
      const inspect = async (state: string) => device === "a phone" && (await assertAccessible(page, state));
      await soon(async () => assert.deepEqual(await shownNames(page), ["c.txt", "b.txt", "a.txt"]));

      await pressAdd(page, "New folder");
      await page.getByLabel("Name of the folder").fill("Letters");
      await inspect("a new folder");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Letters", exact: true }).waitFor();

      await pick(page, "a.txt");
      await press(page, "Rename");
      await page.getByText("Existing links keep the old name.").waitFor();
      await page.getByLabel("New name").fill("first.txt");
      await inspect("renaming");
      await press(page, "Save");
      await page.getByRole("link", { name: "first.txt", exact: true }).waitFor();

      await pick(page, "b.txt");
      await page.getByText("2 selected").waitFor();
      await press(page, "Move");
      await page.getByRole("dialog").getByRole("button", { name: "Letters" }).click();
      await inspect("moving");
      await press(page, "Move here");
      await page.getByText("Moved 2 items to “Letters”.").first().waitFor();
      await soon(async () => assert.deepEqual(await shownNames(page), ["Letters", "c.txt"]));
      await page.getByRole("link", { name: "Letters", exact: true }).click();
      await page.getByRole("heading", { name: "Letters" }).waitFor();
      await page.getByRole("link", { name: "first.txt", exact: true }).waitFor();
      await soon(async () => assert.deepEqual((await shownNames(page)).sort(), ["b.txt", "first.txt"]));

      await pick(page, "b.txt");
      await press(page, "Delete");
      await page.getByRole("link", { name: "b.txt", exact: true }).waitFor({ state: "detached" });
      assert.deepEqual(await remaining(key), ["b.txt", "c.txt", "first.txt"]);
      await inspect("undo");
      await page.locator(".toasts-item", { hasText: "Deleted" }).getByRole("button", { name: "Undo" }).click();
      await page.getByRole("link", { name: "b.txt", exact: true }).waitFor();
      await pick(page, "first.txt");
      await press(page, "Delete");
      // Leaving the page makes it final.
      await page.goto(`${home()}/shares`);
      await until("the file is deleted", async () => (await remaining(key)).length === 2);
      assert.deepEqual(opened.complaints, []);
    });

  for (const [device, options] of DEVICES)
    test(`are shared with one link and downloaded as one ZIP, with their folders, on ${device}`, async () => {
      await using opened = await open(["a.txt", "b.txt"], options);
      const { page, key } = opened;
      const folderId = await makeFolder(key, "Trip");
      await upload(site.server, { name: "map.txt", bytes: "map", fields: { folderId } }, { key });
      await page.reload();
      await pick(page, "Trip");
      await pick(page, "a.txt");
      const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Download")]);
      assert.match(download.suggestedFilename(), /^files-[\d-]+\.zip$/);

      await press(page, "Share");
      const dialog = page.getByRole("dialog", { name: "Share 2 items" });
      await dialog.getByText("Existing links do not change.").waitFor();
      await dialog.getByLabel("Title for the recipients").fill("Summer");
      if (device === "a desktop") await assertAccessible(page, "sharing");
      await page.keyboard.press("Enter");
      const link = await page.locator("#link").getAttribute("href");
      if (device === "a desktop") await assertAccessible(page, "shared");
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
      const shortId = new URL(link ?? "").pathname.split("/").at(-1) ?? "";
      const { data: share } = await clientOf(site.server).call("getShare", { shortId });
      assert.deepEqual(
        [share.title, share.files?.map(({ relativePath, name }) => relativePath ?? name).sort()],
        ["Summer", ["Trip/map.txt", "a.txt"]],
      );

      // A single file with links offers the oldest one, and another one.
      await pick(page, "a.txt");
      await press(page, "Share");
      const { files } = await listFiles(site.server, key, { search: "a.txt" });
      await soon(async () => assert.equal(await page.locator("#link").getAttribute("href"), files[0]?.shareUrl));
      await page.getByRole("dialog").getByRole("button", { name: "Create another link" }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator("#link").waitFor({ state: "detached" });
      assert.deepEqual(opened.complaints, []);
    });

  for (const [device, options] of DEVICES)
    test(`are found and downloaded without JavaScript, and the page says that managing them needs it, on ${device}`, async () => {
      const key = await signUp();
      const folderId = await makeFolder(key, "Trip");
      await upload(site.server, { name: "map.txt", bytes: "map", fields: { folderId } }, { key });
      await upload(site.server, { name: "plan.txt", bytes: "plans", fields: { folderId } }, { key });
      await using opened = await openPage(site.browser, { ...options, javaScriptEnabled: false });
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: key, url: home() }]);
      await page.goto(`${home()}/files`);
      await page.getByText("need JavaScript").waitFor();
      await page.getByRole("link", { name: "Trip", exact: true }).click();
      await page.getByRole("heading", { name: "Trip" }).waitFor();
      await soon(async () => assert.deepEqual(await shownNames(page), ["map.txt", "plan.txt"]));
      if (device === "a desktop") {
        await page.getByRole("link", { name: "Added", exact: true }).click();
        await page.waitForURL(/sort=created/);
        await soon(async () => assert.deepEqual(await shownNames(page), ["plan.txt", "map.txt"]));
      }
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download map.txt", exact: true }).click(),
      ]);
      assert.equal(download.suggestedFilename(), "map.txt");
      await page.getByRole("searchbox").fill("plan");
      await press(page, "Search");
      await page.getByText("1 file found.").waitFor();
      await soon(async () => assert.deepEqual(await shownNames(page), ["plan.txt"]));
      await soon(async () => assert.deepEqual([await page.getByRole("checkbox").count(), opened.complaints], [0, []]));
    });

  test("show the file that the URL of its details names", async () => {
    await using opened = await open(["a.txt", "b.txt"]);
    const { page, key } = opened;
    const file = (await listFiles(site.server, key)).files.find(({ name }) => name === "a.txt");
    await page.goto(`${home()}/files/details/${file?.id}`);
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await soon(async () => assert.equal(await page.getByText("need JavaScript").count(), 0));
    await page.getByRole("link", { name: "Files", exact: true }).first().waitFor();
    await soon(async () => assert.deepEqual((await shownNames(page)).sort(), ["a.txt", "b.txt"]));
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "a.txt" }).waitFor({ state: "detached" });
    assert.deepEqual(opened.complaints, []);
  });

  test("are deleted when the undo has expired, and return with the reason if the server refuses", async () => {
    await using opened = await open(["kept.txt", "gone.txt"]);
    const { page, key } = opened;
    const kept = (await listFiles(site.server, key)).files.find(({ name }) => name === "kept.txt");
    await clientOf(site.server, { key }).call("updateShareSettings", { fileId: kept?.id, immutable: true });
    await page.clock.install();
    await page.reload();
    await page.getByRole("checkbox", { name: "Select all" }).click();
    const pressedAt = await page.evaluate<number>("Date.now()");
    await press(page, "Delete");
    await page
      .getByText(/^Deleted 2\sitems\. 2\slinks stop working\.$/)
      .first()
      .waitFor();
    await soon(async () => assert.deepEqual(await shownNames(page), []));
    await page.clock.pauseAt(pressedAt + 9_999);
    await press(page, "Undo");
    await page.clock.resume();
    await page.getByRole("link", { name: "gone.txt", exact: true }).waitFor();
    assert.deepEqual(await remaining(key), ["gone.txt", "kept.txt"]);
    await page.getByRole("checkbox", { name: "Select all" }).click();
    await press(page, "Delete");
    await page.getByRole("link", { name: "gone.txt", exact: true }).waitFor({ state: "detached" });
    await page.clock.fastForward(10_000);
    await page.getByRole("alert").getByText("Not deleted: “kept.txt”.").waitFor();
    await page.getByRole("link", { name: "kept.txt", exact: true }).waitFor();
    assert.deepEqual(await remaining(key), ["kept.txt"]);
  });

  test("stay hidden after their deletion, also in a list that was requested before, and after a reload", async () => {
    await using opened = await open(["gone.txt", "later.txt", "kept.txt"]);
    const { page, key } = opened;
    await page.clock.install();
    await page.reload();
    const nameOf = (name: string) => page.getByRole("link", { name, exact: true });
    await nameOf("gone.txt").waitFor();
    await row(page, "gone.txt").focus();
    await page.keyboard.press("Delete");
    await nameOf("gone.txt").waitFor({ state: "detached" });
    // A list that the server makes before the deletion arrives after it.
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await page.route(
      "**/files/list?*",
      async (route) => {
        const response = await route.fetch();
        asked.resolve();
        await release.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.evaluate(`dispatchEvent(new Event("focus"))`);
    await asked.promise;
    const refreshed = page.waitForResponse((response) => response.url().includes("/files/list?"));
    await page.clock.fastForward(10_000);
    await refreshed;
    await until("the file is deleted", async () => (await remaining(key)).join() === "kept.txt,later.txt");
    const late = page.waitForResponse((response) => response.url().includes("/files/list?"));
    release.resolve();
    await (await late).finished();
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    await soon(async () => assert.deepEqual(await shownNames(page), ["kept.txt", "later.txt"]));
    await row(page, "later.txt").focus();
    await page.keyboard.press("Delete");
    await nameOf("later.txt").waitFor({ state: "detached" });
    await page.reload();
    await page.locator("[role=grid]").waitFor();
    await soon(async () => assert.deepEqual(await shownNames(page), ["kept.txt"]));
    await until("the file is deleted", async () => (await remaining(key)).join() === "kept.txt");
    assert.deepEqual(opened.complaints, []);
  });

  test("are all deleted if they are thousands, and leaving before asks for confirmation", async () => {
    const key = await signUp();
    const { owner } = (await clientOf(site.server, { key }).call("getMe", {})).data;
    await withDatabase(site.server, (db) => insertFiles(db, owner.id, 3_500));
    await using opened = await openFor(key);
    const { page } = opened;
    await page.clock.install();
    await page.reload();
    await page.getByRole("checkbox", { name: "Select all" }).click();
    await page.getByText("3,500 selected").waitFor();
    await press(page, "Delete");
    await confirmDeletion(page);
    await page.getByText("Deleted 3,500 items.").first().waitFor();
    const asked = Promise.withResolvers<string>();
    page.once("dialog", async (dialog) => {
      asked.resolve(dialog.type());
      await dialog.dismiss();
    });
    await page.evaluate("void location.reload()");
    assert.equal(await asked.promise, "beforeunload");
    await page.clock.fastForward(10_000);
    // Rarely, because each look lists the files and so delays their deletion.
    const patience = { deadlineMs: 300_000, everyMs: 500 };
    await until("all are deleted", async () => (await listFiles(site.server, key)).pagination.total === 0, patience);
  });

  test("are chosen and changed only by keyboard", async () => {
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

  for (const [device, options] of DEVICES)
    test(`are listed by the runs of programs, on ${device}`, async () => {
      const key = await signUp();
      for (const [name, runId] of [
        ["old.txt", "build-41"],
        ["log.txt", "build-42"],
        ["report.txt", "build-42"],
      ] as const)
        await upload(site.server, { name, bytes: name, fields: { runId } }, { key });
      await using opened = await openFor(key, options);
      const { page } = opened;
      await page.getByRole("link", { name: "Sent by programs", exact: true }).click();
      await page.getByRole("heading", { name: "Sent by programs", exact: true }).waitFor();
      const runs = page.locator(".files-runs li");
      await soon(async () => assert.deepEqual(await runs.getByRole("link").allTextContents(), ["build-42", "build-41"]));
      await runs.first().getByText("2 files").waitFor();
      await page.getByRole("link", { name: "build-42" }).click();
      await page.getByRole("heading", { name: "Sent by a program: build-42" }).waitFor();
      await soon(async () => assert.deepEqual(await shownNames(page), ["report.txt", "log.txt"]));
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), options.viewport?.width));
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        row(page, "log.txt")
          .getByRole("link", { name: /^Download/ })
          .click(),
      ]);
      assert.equal(download.suggestedFilename(), "log.txt");
      await page.getByRole("link", { name: "log.txt", exact: true }).click();
      await page.waitForURL(/\/d\//);
      await page.goBack();
      await page.getByRole("link", { name: "Sent by programs", exact: true }).click();
      await page.getByRole("link", { name: "build-41" }).click();
      await page.getByRole("link", { name: "old.txt", exact: true }).waitFor();
      assert.deepEqual(opened.complaints, []);
    });

  test("are uploaded into the open folder, and dragged to another", async () => {
    const key = await signUp();
    const folderId = await makeFolder(key, "Inbox");
    await using opened = await openFor(key, {}, `/files/${folderId}`);
    const { page } = opened;
    const batch = Promise.withResolvers<void>();
    await page.route("**/api/files/batch", async (route) => {
      await batch.promise;
      await route.continue();
    });
    await page.setInputFiles("#upload-files", ["one.txt", "two.txt"].map(textFile));
    await page.locator(".files-uploading").waitFor();
    await assertAccessible(page, "uploading");
    batch.resolve();
    await page.getByText("Uploaded 2 files.").first().waitFor();
    await assertAccessible(page, "uploaded");
    await page.getByRole("link", { name: "one.txt", exact: true }).waitFor();
    const { files } = await listFiles(site.server, key, { folderId });
    assert.deepEqual([files.length, new Set(files.map(({ shortId }) => shortId)).size], [2, 1]);
    await row(page, "one.txt").dragTo(page.getByRole("navigation", { name: "Folder" }).getByRole("link", { name: "Files", exact: true }));
    await page.getByText("Moved “one.txt” to Files.").first().waitFor();
    await soon(async () => assert.deepEqual(await shownNames(page), ["two.txt"]));
  });

  test("show one file with its link, settings, downloads and facts", async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ]) {
      await using opened = await open(["notes.txt", "raw.txt"], { viewport });
      const { page, key } = opened;
      await page.getByRole("link", { name: "notes.txt", exact: true }).click();
      const drawer = page.getByRole("dialog", { name: "Details of notes.txt" });
      await drawer.getByRole("heading", { name: "Settings of the link" }).waitFor();
      await page.frameLocator(".files-preview iframe").getByText("notes.txt").waitFor();
      await drawer.getByLabel("Title", { exact: true }).fill("For Monday");
      await drawer.getByLabel("Title", { exact: true }).blur();
      await drawer.getByText("Saved", { exact: true }).waitFor();
      const file = (await listFiles(site.server, key)).files.find(({ name }) => name === "notes.txt");
      const client = clientOf(site.server, { key });
      const share = async () => (await client.call("getFile", { fileId: file?.id ?? "" })).data;
      assert.equal((await share()).share.title, "For Monday");
      await drawer.getByLabel("Require a code").check();
      await drawer.locator("#sender-code", { hasText: /^[A-Z0-9]{6}$/ }).waitFor();
      await openMore(drawer);
      await drawer.getByLabel("Show it on your public page").click();
      await drawer.getByRole("alert").waitFor();
      assert.equal((await share()).visibility, "unlisted");
      await drawer.getByLabel("Download limit").fill("3");
      await drawer.getByLabel("Download limit").blur();
      await until("the limit is saved", async () => (await share()).share.maxDownloads === 3);
      const note = drawer.getByLabel("Note for the private link");
      await note.fill("Only for you");
      await note.blur();
      await until("the note is saved", async () => (await share()).share.handoffMessage === "Only for you");
      const expires = new Date(Date.now() + 30 * 3_600_000);
      expires.setSeconds(0, 0);
      await drawer.getByLabel("Expires", { exact: true }).selectOption({ label: "Another time…" });
      await drawer.getByLabel("Date and time").fill(toLocal(expires));
      await press(page, "Set");
      await until("the date is saved", async () => (await share()).expiresAt === expires.toISOString());
      await drawer.getByLabel("Add a source").fill("raw");
      await press(page, "raw.txt");
      await until("the source is saved", async () => (await share()).madeFrom.length === 1);
      await drawer.getByRole("button", { name: "Remove raw.txt from the sources" }).click();
      await until("the source is removed", async () => (await share()).madeFrom.length === 0);
      await drawer.getByText("No downloads yet").waitFor();
      await assertAccessible(page, "the drawer");
      await drawer.getByRole("button", { name: "Share", exact: true }).click();
      const sheet = page.getByRole("dialog", { name: /^Share “/ });
      await sheet.locator(".qr").waitFor();
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
    }
  });

  test("get more links, which the details list, and a deletion names the links that stop working", async () => {
    await using opened = await open(["photo.txt", "other.txt"]);
    const { page, key } = opened;
    await pick(page, "photo.txt");
    await pick(page, "other.txt");
    await press(page, "Share");
    await page.getByText("Existing links do not change.").waitFor();
    await page.getByLabel("Title for the recipients").fill("Both");
    await press(page, "Get a link");
    await page.getByRole("dialog", { name: "Share 2 items" }).getByText("Copy link", { exact: true }).waitFor();
    await press(page, "Close");
    await row(page, "photo.txt").locator(".files-name .files-word", { hasText: "2 links" }).waitFor();
    await page.getByRole("link", { name: "photo.txt", exact: true }).click();
    const drawer = page.getByRole("dialog", { name: "Details of photo.txt" });
    await drawer.getByRole("heading", { name: "2 links" }).waitFor();
    await assertAccessible(page, "the links of a file");
    await drawer.getByRole("button", { name: "Show its settings" }).click();
    await drawer.getByText("These settings apply to all 2 files of this link.").waitFor();
    await drawer.getByRole("button", { name: "Delete", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Delete “photo.txt”?" });
    await question.getByText("This link stops working:").waitFor();
    await question.getByRole("listitem").filter({ hasText: "photo.txt" }).waitFor();
    await question.getByText("This link loses files:").waitFor();
    await question
      .getByRole("listitem")
      .filter({ hasText: /^Both · 1 of 2.files left$/ })
      .waitFor();
    await assertAccessible(page, "the question before a file with links is deleted");
    await confirmDeletion(page);
    await page.getByText("Deleted “photo.txt”.").first().waitFor();
    await page.reload();
    await until("the file is deleted with all its links", async () => (await remaining(key)).join() === "other.txt");
    assert.equal((await listFiles(site.server, key)).files[0]?.linkCount, 2);
  });

  test("that are not loaded count with their links before all that are selected are deleted", async () => {
    const key = await signUp();
    const client = clientOf(site.server, { key });
    const { owner } = (await client.call("getMe", {})).data;
    const file = await upload(site.server, { name: "A far one.txt", bytes: "x" }, { key });
    await client.call("shareFiles", { fileIds: [file.id], title: "For the printer" });
    await withDatabase(site.server, (db) => insertFiles(db, owner.id, 300));
    await using opened = await openFor(key, {}, "/files?sort=name&order=desc");
    const { page } = opened;
    await page.getByRole("checkbox", { name: "Select all" }).click();
    await page.getByText("301 selected").waitFor();
    await soon(async () => assert.equal(await page.getByRole("link", { name: "A far one.txt", exact: true }).count(), 0));
    await press(page, "Delete");
    const question = page.getByRole("dialog", { name: "Delete 301 items?" });
    await question.getByText(/^These 302.links stop working:$/).waitFor();
    await question.getByText("For the printer").waitFor();
    await question.getByText(/^And 299.more links$/).waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("301 selected").waitFor();
    await press(page, "Delete");
    await confirmDeletion(page);
    await page.getByText("Deleted 301 items.").first().waitFor();
    await press(page, "Undo");
    await page.getByText("Nothing was deleted.").first().waitFor({ state: "attached" });
    assert.equal((await listFiles(site.server, key)).pagination.total, 301);
  });

  test("leave the list when they are opened after another tab has deleted them", async () => {
    await using opened = await open(["map.txt", "plan.txt"]);
    const { page, key } = opened;
    const client = clientOf(site.server, { key });
    const id = await makeFolder(key, "Maps");
    await page.reload();
    const folder = page.getByRole("link", { name: "Maps", exact: true });
    await folder.waitFor();
    await client.call("deleteFolder", { id });
    await folder.click();
    await page.getByRole("alert").waitFor();
    await folder.waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, "/files");
    const map = (await listFiles(site.server, key, { search: "map" })).files[0]?.id ?? assert.fail("no file");
    await client.call("deleteFiles", { fileIds: [map] });
    await page.getByRole("link", { name: "map.txt", exact: true }).click();
    await page.getByRole("link", { name: "map.txt", exact: true }).waitFor({ state: "detached" });
    await soon(async () => assert.equal(await page.locator(".files-drawer").count(), 0));
  });

  test("are counted by their kinds when they are found", async () => {
    await using opened = await open(["map.txt", "my map.txt"]);
    const { page, key } = opened;
    await makeFolder(key, "Maps");
    await page.getByRole("searchbox").fill("map");
    await page.locator(".files-found", { hasText: /^1.folder and 2.files found\. Clear search$/ }).waitFor();
    await page.getByRole("searchbox").fill("nothing like it");
    await page.locator(".empty", { hasText: "Nothing found." }).getByRole("button", { name: "Clear search" }).click();
    await page.getByRole("link", { name: "Maps", exact: true }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("have switches with their effects, and a list of downloads with dates", async () => {
    await using opened = await open(["raw.txt"]);
    const { page, key } = opened;
    const client = clientOf(site.server, { key });
    const id = (await listFiles(site.server, key)).files[0]?.id ?? assert.fail("no file");
    await client.call("updateMe", { username: `user-${id.toLowerCase().replace(/\W/g, "")}` });
    await withDatabase(site.server, (db) => db.updateTable("users").set({ tier: "pro" }).execute());
    const file = async () => (await client.call("getFile", { fileId: id })).data;
    const drawer = page.getByRole("dialog", { name: "Details of raw.txt" });
    const openDrawer = () => page.getByRole("link", { name: "raw.txt", exact: true }).click();
    const toggle = async (label: string, sentence: string, isSaved: (of: Awaited<ReturnType<typeof file>>) => boolean) => {
      const field = drawer.getByLabel(label, { exact: true });
      const description = (await field.getAttribute("aria-describedby")) ?? "";
      await soon(async () => assert.equal(await drawer.locator(`#${description}`).textContent(), sentence));
      await field.click();
      await until(`${label} is saved`, async () => isSaved(await file()));
    };
    await openDrawer();
    await drawer.getByRole("heading", { name: "Settings of the link" }).waitFor();
    await openMore(drawer);
    await toggle("Show it on your public page", "Anyone can find it there.", ({ visibility }) => visibility === "public");
    await toggle("Never expires", "Only for public files.", ({ share }) => share.retention === "forever");
    await toggle("Start the download immediately", "Opening the link downloads the file, without a page.", ({ share }) => share.direct);
    await toggle("Immutable", "Nobody can change or delete it until you turn this off.", ({ immutable }) => immutable);
    await drawer.getByRole("textbox", { name: "Title", exact: true, disabled: true }).waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await signedUrl(site.server, id);
    await openDrawer();
    await drawer
      .locator(".files-events li")
      .filter({ hasText: /\d{4}, \d\d:\d\d .*Started by a program/ })
      .waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("keep the refusal of a setting beside it when the save of the one before ends later", async () => {
    await using opened = await open(["raw.txt"]);
    const { page } = opened;
    await page.getByRole("link", { name: "raw.txt", exact: true }).click();
    const drawer = page.getByRole("dialog", { name: "Details of raw.txt" });
    await drawer.getByRole("heading", { name: "Settings of the link" }).waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/api\/files\/[^/]+\/details$/, (route) => void released.then(() => route.continue()));
    await openMore(drawer);
    await drawer.getByLabel("Require a code").check();
    await drawer.locator("#sender-code", { hasText: /^[A-Z0-9]{6}$/ }).waitFor();
    await drawer.getByLabel("Show it on your public page").click();
    await drawer.getByRole("alert").waitFor();
    release();
    await drawer.getByText("Saved", { exact: true }).waitFor();
    await soon(async () => assert.equal(await drawer.getByRole("alert").count(), 1));
  });

  test("scroll smoothly if there are 10,000, because only visible ones are in the page", async () => {
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
    await soon(async () => assert.ok((await page.locator(".files-row").count()) < 100));
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
    await soon(async () => assert.ok((await page.locator(".files-row").count()) < 100));
    await chooseView(page, "Grid");
    await page.keyboard.press("/");
    await page.keyboard.type("file 9999");
    await page.locator(".files-found", { hasText: "1 file found." }).waitFor();
    await soon(async () => assert.ok((await page.locator(".files-row").count()) < 150));
  });

  test("change in one tab, and are current in another tab that becomes visible again", async () => {
    await using opened = await open(["a.txt"]);
    const { page, key } = opened;
    await upload(site.server, { name: "from elsewhere.txt", bytes: "x" }, { key });
    await page.evaluate(`dispatchEvent(new Event("focus"))`);
    await page.getByRole("link", { name: "from elsewhere.txt", exact: true }).waitFor();
  });

  for (const [device, options] of DEVICES)
    test(`have columns only for what each file has, and a menu with words where there is space, on ${device}`, async () => {
      await using opened = await open(["a.txt"], options);
      const { page } = opened;
      const isWide = device !== "a phone";
      await row(page, "a.txt").waitFor();
      const columns = page.locator(".files-head button").filter({ visible: true });
      await soon(async () => assert.deepEqual(await columns.allTextContents(), isWide ? ["Name", "Size", "Added"] : []));
      await soon(async () => assert.equal(await page.getByText("View and order", { exact: true }).isVisible(), isWide));
    });

  test("keep their view on the device, show thumbnails, have no accessibility violation, and fit 320 pixels", async () => {
    const key = await signUp();
    await upload(site.server, { name: "a.txt", bytes: "a" }, { key });
    await upload(site.server, { name: "photo.png", type: "image/png", bytes: pngOf(80, 60) }, { key });
    await until("the photo has a thumbnail", async () =>
      (await listFiles(site.server, key)).files.some(({ thumbnailUrl }) => thumbnailUrl),
    );
    await using opened = await openFor(key, { viewport: { width: 320, height: 700 }, colorScheme: "dark" });
    const { page } = opened;
    for (const view of ["Table", "Grid"]) {
      await chooseView(page, view);
      await pick(page, "a.txt");
      await assertAccessible(page, view);
      await page.locator(".files-row img").waitFor();
      // Rejects if the image is not loaded.
      await page.evaluate("document.querySelector('.files-row img').decode()");
      await press(page, "Clear selection");
    }
    await page.reload();
    assert.ok(await isViewChosen(page, "Grid"));
  });
});

/** A time as fields have it; the browser has the zone of the tests. */
const toLocal = (time: Date): string => new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
