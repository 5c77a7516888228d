import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, listFiles } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { pendingPaths, textFile } from "../support/pages/sending.ts";

const VIOLATIONS = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).slice(0, 3).join(" ")))`;
const MB = 1024 ** 2;
const PARTS = 12;
const PART = /\/up\/[^/]+\/(\d+)/;

/** pages, "The files of an account": uploads into a folder that are interrupted. */
describeUnless(browserMissing, "uploads into a folder", () => {
  const site = useBrowsedServer();
  const home = (): string => `http://localhost:${new URL(site.server.url).port}`;
  let files: string;
  before(async () => {
    files = await mkdtemp(join(tmpdir(), "filehost-folder-uploads-"));
  });
  after(() => rm(files, { recursive: true, force: true }));

  async function signUp(): Promise<string> {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    return (await clientOf(site.server).call("signUp", person)).data.sessionToken;
  }
  const signInAs = (page: Page, key: string) => page.context().addCookies([{ name: "session", value: key, url: home() }]);
  async function largeFile(name: string): Promise<string> {
    const path = join(files, name);
    await writeFile(path, Buffer.concat(Array.from({ length: PARTS }, (_, part) => Buffer.alloc(MB, `${name} ${part}`))));
    return path;
  }
  /** Opens a new folder of a new account. Leaving it is confirmed. */
  async function openFolder() {
    const key = await signUp();
    const folderId = (await clientOf(site.server, { key }).call("createFolder", { name: "Inbox" })).data.id;
    const opened = await openPage(site.browser);
    const { page } = opened;
    page.on("dialog", (dialog) => void dialog.accept());
    await signInAs(page, key);
    await page.goto(`${home()}/files/${folderId}`);
    await page.locator(".empty").waitFor();
    return Object.assign(opened, { key, folderId });
  }
  /** Sends the files until parts 1 and 2 of the large one are stored, and holds the others. */
  async function sendTwoParts(page: Page, paths: readonly string[]): Promise<void> {
    const stored = new Set<string | undefined>();
    const areStored = Promise.withResolvers<void>();
    page.on("response", (response) => {
      if (PART.test(response.url()) && response.ok()) stored.add(PART.exec(response.url())?.[1]);
      if (stored.size === 2) areStored.resolve();
    });
    await page.route(PART, (route) => (Number(PART.exec(route.request().url())?.[1]) <= 2 ? route.continue() : undefined));
    await page.setInputFiles("#upload-files", [...paths]);
    await areStored.promise;
  }
  /** Notes the numbers of the parts that are sent from now on. */
  function noteParts(page: Page): number[] {
    const sent: number[] = [];
    page.on("request", (request) => PART.test(request.url()) && sent.push(Number(PART.exec(request.url())?.[1])));
    return sent;
  }
  const whenUploaded = (page: Page, count = "1 file") => page.getByText(`Uploaded ${count}.`).first().waitFor();
  const unfinished = (page: Page) => page.getByRole("region", { name: "Unfinished uploads" });
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const namesIn = async (key: string, folderId: string) => (await listFiles(site.server, key, { folderId })).files.map(({ name }) => name);
  const reservedBytes = async (key: string) => (await clientOf(site.server, { key }).call("getMe", {})).data.storage.reservedBytes;

  for (const [way, choose] of [
    ["there", (page: Page, path: string) => page.getByLabel("Choose the same file to continue").setInputFiles(path)],
    ["as a new upload", (page: Page, path: string) => page.setInputFiles("#upload-files", path)],
  ] as const)
    test(`continue after a reload when the same file is chosen ${way}, and only the missing parts are sent`, async () => {
      const path = await largeFile("film.bin");
      await using opened = await openFolder();
      const { page, key, folderId } = opened;
      await sendTwoParts(page, [path]);
      await page.reload();
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await unfinished(page).getByText("Not finished: 1 file, 10 MB missing").waitFor();
      const sent = noteParts(page);
      await choose(page, path);
      await whenUploaded(page);
      assert.deepEqual(
        sent.toSorted((one, other) => one - other),
        [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      );
      await page.getByRole("link", { name: "film.bin", exact: true }).waitFor();
      await soon(async () => assert.equal(await page.getByRole("link", { name: "film.bin", exact: true }).count(), 1));
      assert.deepEqual(await namesIn(key, folderId), ["film.bin"]);
      await until("the device forgets the upload", async () => (await pendingPaths(page)).length === 0);
      await page.reload();
      await page.getByRole("link", { name: "film.bin", exact: true }).waitFor();
      await soon(async () => assert.equal(await unfinished(page).count(), 0));
      assert.equal(await reservedBytes(key), 0);
    });

  test("continue from another folder into their own folder, and refuse another file", async () => {
    const path = await largeFile("other.bin");
    await using opened = await openFolder();
    const { page, key, folderId } = opened;
    await sendTwoParts(page, [path]);
    await page.goto(`${home()}/files`);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const field = page.getByLabel("Choose the same file to continue");
    await field.setInputFiles(textFile("other.txt"));
    await page.getByText("That is not the same file.").waitFor();
    await page.evaluate(axe.source);
    await soon(async () => assert.deepEqual(await page.evaluate(VIOLATIONS), []));
    await field.setInputFiles(path);
    await whenUploaded(page);
    assert.deepEqual(await namesIn(key, folderId), ["other.bin"]);
    assert.equal(await reservedBytes(key), 0);
  });

  test("continue with several files under one link, without sending sent files again", async () => {
    const paths = [await largeFile("first.bin"), join(files, "note.txt")];
    await writeFile(join(files, "note.txt"), "A note");
    await using opened = await openFolder();
    const { page, key, folderId } = opened;
    await sendTwoParts(page, paths);
    await until("the small file was sent", async () => (await pendingPaths(page)).length === 1);
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await unfinished(page).waitFor();
    await page.setInputFiles("#upload-files", [...paths]);
    await whenUploaded(page);
    const { files: listed } = await listFiles(site.server, key, { folderId });
    assert.deepEqual(
      [listed.map(({ name }) => name).sort(), new Set(listed.map(({ shortId }) => shortId)).size],
      [["first.bin", "note.txt"], 1],
    );
  });

  test("continue under their link, and other files that are chosen with theirs get a new link", async () => {
    const paths = [await largeFile("begun.bin"), join(files, "secret.txt")];
    await writeFile(join(files, "secret.txt"), "A secret");
    await using opened = await openFolder();
    const { page, key, folderId } = opened;
    await sendTwoParts(page, paths.slice(0, 1));
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await unfinished(page).waitFor();
    const [begun] = (await clientOf(site.server, { key }).call("listShares", {})).data;
    await page.setInputFiles("#upload-files", paths);
    await until("both are stored", async () => (await namesIn(key, folderId)).length === 2 && (await pendingPaths(page)).length === 0);
    const { files: listed } = await listFiles(site.server, key, { folderId });
    assert.deepEqual(
      listed.filter(({ shortId }) => shortId === begun?.shortId).map(({ name }) => name),
      ["begun.bin"],
    );
    assert.equal(new Set(listed.map(({ shortId }) => shortId)).size, 2);
  });

  test("keep stored files if they are cancelled before the server's response, on the page and after a reload", async () => {
    await using opened = await openFolder();
    const { page, key, folderId } = opened;
    /** Sends a small file, whose response is held. */
    const store = async (name: string): Promise<void> => {
      const isStored = Promise.withResolvers<void>();
      await page.route("**/api/files/batch", (route) => void route.fetch().then(() => isStored.resolve(), isStored.reject));
      await page.setInputFiles("#upload-files", textFile(name));
      await isStored.promise;
    };
    await store("one.txt");
    await press(page, "Cancel");
    await until("the device forgets the upload", async () => (await pendingPaths(page)).length === 0);
    await page.getByRole("link", { name: "one.txt", exact: true }).waitFor();

    await page.unrouteAll({ behavior: "ignoreErrors" });
    await store("two.txt");
    await page.reload();
    await unfinished(page).waitFor();
    await press(page, "Cancel the upload");
    await unfinished(page).waitFor({ state: "detached" });
    assert.deepEqual((await namesIn(key, folderId)).toSorted(), ["one.txt", "two.txt"]);
  });

  test("are offered only to their owner, and not to others who sign in on the device", async () => {
    const path = await largeFile("secret.bin");
    await using opened = await openFolder();
    const { page, key } = opened;
    await sendTwoParts(page, [path]);
    await page.goto("about:blank");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await signInAs(page, await signUp());
    for (const place of ["/files", "/"]) {
      await page.goto(home() + place);
      await page.locator("#upload-files, #file").first().waitFor({ state: "attached" });
      await page.waitForLoadState("networkidle");
      await soon(async () => assert.equal(await page.getByText("Not finished").count(), 0));
      await soon(async () => assert.equal(await page.getByText("secret.bin").count(), 0));
    }
    await page.goto(`${home()}/files`);
    await page.setInputFiles("#upload-files", path);
    await whenUploaded(page);
    await signInAs(page, key);
    await page.goto(`${home()}/files`);
    await unfinished(page).getByText("secret.bin").waitFor();
    await press(page, "Cancel the upload");
    await unfinished(page).waitFor({ state: "detached" });
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
    assert.equal(await reservedBytes(key), 0);
  });

  test("are forgotten when their account signs out", async () => {
    await using opened = await openFolder();
    const { page } = opened;
    await sendTwoParts(page, [await largeFile("signed-out.bin")]);
    await page.goto(`${home()}/settings`);
    await press(page, "Sign out");
    await page.waitForURL(`${home()}/`);
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
  });

  test("are forgotten when their share was deleted", async () => {
    await using opened = await openFolder();
    const { page, key } = opened;
    await sendTwoParts(page, [await largeFile("gone.bin")]);
    await page.goto("about:blank");
    const client = clientOf(site.server, { key });
    const [share] = (await client.call("listShares", {})).data;
    await client.call("closeShare", { shortId: share?.shortId ?? "" });
    await page.goto(`${home()}/files`);
    await until("the device forgets the upload", async () => (await pendingPaths(page)).length === 0);
    await soon(async () => assert.equal(await unfinished(page).count(), 0));
  });

  test("are paused, resumed and cancelled, before and after a reload", async () => {
    const path = await largeFile("paused.bin");
    await using opened = await openFolder();
    const { page, key, folderId } = opened;
    await sendTwoParts(page, [path]);
    await press(page, "Pause");
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const sent = noteParts(page);
    await press(page, "Resume");
    await whenUploaded(page);
    assert.deepEqual(
      [...new Set(sent)].sort((one, other) => one - other),
      [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    );

    await sendTwoParts(page, [await largeFile("cancelled.bin")]);
    await press(page, "Cancel");
    await until("nothing is reserved", async () => (await reservedBytes(key)) === 0);
    await until("the device forgets the upload", async () => (await pendingPaths(page)).length === 0);
    await page.unrouteAll({ behavior: "ignoreErrors" });

    const later = await largeFile("later.bin");
    await sendTwoParts(page, [later, join(files, "paused.bin")]);
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await unfinished(page).waitFor();
    await press(page, "Cancel the upload");
    await unfinished(page).waitFor({ state: "detached" });
    assert.equal(await reservedBytes(key), 0);
    assert.deepEqual(await namesIn(key, folderId), ["paused.bin"]);
  });

  test("wait for a cut connection, and continue", async () => {
    await using opened = await openFolder();
    const { page, key, folderId } = opened;
    await sendTwoParts(page, [await largeFile("cut.bin")]);
    await page.context().setOffline(true);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByText("Connection lost.").first().waitFor();
    const sent = noteParts(page);
    await page.context().setOffline(false);
    await whenUploaded(page);
    assert.ok(!sent.includes(1) && !sent.includes(2));
    assert.deepEqual(await namesIn(key, folderId), ["cut.bin"]);
    assert.equal(await reservedBytes(key), 0);
  });
});
