import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, listFiles } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { pendingPaths } from "../support/pages/sending.ts";

const MB = 1024 ** 2;

/** pages, "The files of an account": folders that are uploaded keep their structure. folders, "Creating the folders of paths". */
describeUnless(browserMissing, "folders that are uploaded to the files of an account", () => {
  const site = useBrowsedServer();
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;
  let disk: string;
  before(async () => {
    disk = await mkdtemp(join(tmpdir(), "filehost-uploaded-folders-"));
  });
  after(() => rm(disk, { recursive: true, force: true }));

  async function write(path: string, bytes: string | Uint8Array = path): Promise<void> {
    await mkdir(join(disk, path, ".."), { recursive: true });
    await writeFile(join(disk, path), bytes);
  }
  async function open(options: BrowserContextOptions = {}) {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    const key = (await clientOf(site.server).call("signUp", person)).data.sessionToken;
    const opened = await openPage(site.browser, options);
    await opened.page.context().addCookies([{ name: "session", value: key, url: home() }]);
    await opened.page.goto(`${home()}/files`);
    await opened.page.locator("#upload-files").waitFor({ state: "attached" });
    return Object.assign(opened, { key, client: clientOf(site.server, { key }) });
  }
  /** Drops files and folders of the disk on the page, as a person drops them from another window. */
  async function drop(page: Page, names: readonly string[], { x, y } = { x: 200, y: 300 }): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: names.map((name) => join(disk, name)), dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) await session.send("Input.dispatchDragEvent", { type, x, y, data });
  }
  const shownNames = (page: Page): Promise<string[]> => page.locator(".files-link").allTextContents();

  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ])
    test(`1,000 dropped files of four folders are four folders under one link, ${viewport.width} pixels wide`, async () => {
      const folders = ["Spring", "Summer", "Autumn", "Winter"];
      for (const folder of folders) for (let file = 0; file < 250; file += 1) await write(`${folder}/${file}.txt`);
      await using opened = await open({ viewport });
      const { page, key, client } = opened;
      await drop(page, folders);
      await page.getByText("Uploaded 1,000 files.").first().waitFor();
      await page.getByRole("link", { name: "Winter", exact: true }).waitFor();
      await soon(async () => assert.deepEqual((await shownNames(page)).sort(), folders.toSorted()));
      const listed = (await client.call("listFolders", {})).data;
      assert.deepEqual(
        listed.map(({ file_count }) => file_count),
        [250, 250, 250, 250],
      );
      const { files } = await listFiles(site.server, key, { limit: 200 });
      assert.equal(new Set(files.map(({ shortId }) => shortId)).size, 1);
      assert.equal((await listFiles(site.server, key, { folderId: "null" })).pagination.total, 0);
      await page.getByRole("link", { name: "Spring", exact: true }).click();
      await page.getByRole("heading", { name: "Spring" }).waitFor();
      await page
        .getByRole("link", { name: /^\d+\.txt$/ })
        .first()
        .waitFor();
      assert.deepEqual(opened.complaints, []);
    });

  test("a chosen folder joins an existing one of the same name with its inner folders, and titles its link", async () => {
    for (const path of ["Trip/map.txt", "Trip/Day 1/a.txt", "Trip/Day 2/Beach/b.txt"]) await write(path);
    await using opened = await open();
    const { page, client } = opened;
    const inbox = (await client.call("createFolder", { name: "Inbox" })).data;
    const trip = (await client.call("createFolder", { name: "Trip", parentId: inbox.id })).data;
    await page.goto(`${home()}/files/${inbox.id}`);
    await page.getByText("Upload folder").waitFor();
    await assertAccessible(page, "the list before the upload");
    await page.setInputFiles("#upload-folder", join(disk, "Trip"));
    await page.getByText("Uploaded 3 files.").first().waitFor();
    await soon(async () => assert.deepEqual(await shownNames(page), ["Trip"]));
    const folders = (await client.call("listFolders", {})).data;
    const parentOf = (name: string) => folders.find(({ id }) => id === folders.find((one) => one.name === name)?.parent_id)?.name;
    assert.deepEqual(
      folders.map(({ name, file_count }) => [name, parentOf(name), file_count]),
      [
        ["Beach", "Day 2", 1],
        ["Day 1", "Trip", 1],
        ["Day 2", "Trip", 0],
        ["Inbox", undefined, 0],
        ["Trip", "Inbox", 1],
      ],
    );
    assert.equal(folders.find(({ name }) => name === "Trip")?.id, trip.id);
    const [share] = (await client.call("listShares", {})).data;
    assert.equal(share?.title, "Trip");
    // The page says that the files have a link, which the folder's menu copies too, and which sharing the folder leads to.
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    await page.getByText("Anyone with the link can download them.").first().waitFor();
    await page.getByRole("button", { name: "Copy link", exact: true }).click();
    await until("the link is copied", async () => (await copied()) === share?.shareUrl);
    await page.evaluate("navigator.clipboard.writeText('')");
    const chooseInMenu = async (action: string): Promise<void> => {
      await page.getByRole("button", { name: "Actions for Trip" }).click();
      await page.getByRole("menu", { name: "Trip" }).getByRole("menuitem", { name: action, exact: true }).click();
    };
    await chooseInMenu("Copy link");
    await until("the link of the folder is copied", async () => (await copied()) === share?.shareUrl);
    await chooseInMenu("Share");
    const dialog = page.getByRole("dialog", { name: "Share “Trip”" });
    await dialog.waitFor();
    await soon(async () => assert.equal(await page.locator("#link").getAttribute("href"), share?.shareUrl));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await client.call("listShares", {})).data.length, 1);
    await client.call("shareFiles", { folderIds: [trip.id], title: "Second" });
    await chooseInMenu("Delete");
    const question = page.getByRole("dialog", { name: /^Delete “Trip” and 3.files inside\?$/ });
    await question.getByText(/^These 2.links stop working:$/).waitFor();
    await soon(async () => assert.deepEqual(await question.getByRole("listitem").allTextContents(), ["Second", "Trip"]));
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    // The folder that is sent again joins too, and loose files stay in the open folder.
    await write("loose.txt");
    await drop(page, ["Trip", "loose.txt"]);
    await page.getByText("Uploaded 4 files.").first().waitFor();
    await until("the loose file is listed", async () => (await shownNames(page)).join() === "Trip,loose.txt");
    assert.equal((await client.call("listFolders", {})).data.length, 5);
    assert.deepEqual(opened.complaints, []);
  });

  test("a folder that is dropped on a folder of the list gets into it", async () => {
    await write("Photos/one.txt");
    await using opened = await open();
    const { page, client } = opened;
    const inbox = (await client.call("createFolder", { name: "Inbox" })).data;
    await page.reload();
    const { x, y } = (await page.getByRole("link", { name: "Inbox", exact: true }).boundingBox()) ?? assert.fail("the row is not shown");
    await drop(page, ["Photos"], { x: x + 2, y: y + 2 });
    await page.getByText("Uploaded 1 file.").first().waitFor();
    const folders = (await client.call("listFolders", {})).data;
    assert.deepEqual(
      folders.map(({ name, parent_id, file_count }) => [name, parent_id, file_count]),
      [
        ["Inbox", null, 0],
        ["Photos", inbox.id, 1],
      ],
    );
    await soon(async () => assert.equal(await page.locator(".files-row.over").count(), 0));
  });

  test("an interrupted folder is continued after a reload, and its missing file gets into its folder", async () => {
    await write("Film/notes.txt");
    await write("Film/Raw/film.bin", Buffer.concat(Array.from({ length: 6 }, (_, part) => Buffer.alloc(MB, `part ${part}`))));
    await using opened = await open();
    const { page, key, client } = opened;
    page.on("dialog", (dialog) => void dialog.accept());
    await page.route(/\/up\//, () => undefined);
    await page.setInputFiles("#upload-folder", join(disk, "Film"));
    await until("the small file was sent", async () => (await pendingPaths(page)).join() === "Film/Raw/film.bin");
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByText("Not finished: 1 file").waitFor();
    await page.setInputFiles("#upload-folder", join(disk, "Film"));
    await page.getByText("Uploaded 1 file.").first().waitFor();
    const folders = (await client.call("listFolders", {})).data;
    assert.deepEqual(
      folders.map(({ name, file_count }) => [name, file_count]),
      [
        ["Film", 1],
        ["Raw", 1],
      ],
    );
    const { files } = await listFiles(site.server, key);
    assert.deepEqual(files.map(({ name, folderId }) => [name, folders.find(({ id }) => id === folderId)?.name]).sort(), [
      ["film.bin", "Raw"],
      ["notes.txt", "Film"],
    ]);
  });

  test("a folder that is too deep is refused with the reason, and nothing of it is sent", async () => {
    await write(`${Array.from({ length: 33 }, () => "d").join("/")}/file.txt`);
    await using opened = await open();
    const { page, key, client } = opened;
    await drop(page, ["d"]);
    await page.getByRole("alert").getByText("at most 32 levels deep").waitFor();
    assert.deepEqual([(await client.call("listFolders", {})).data, (await listFiles(site.server, key)).files], [[], []]);
    assert.deepEqual((await client.call("listShares", {})).data, []);
  });
});
