import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { longSkipped } from "../../support/long.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { choose, getLink, pendingPaths, readyShares, shownShortId, whenSent } from "../support/pages/sending.ts";
import { startPlainServer, startServerAtPort } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const MB = 1024 ** 2;
const PART = /\/up\/[^/]+\/(\d+)/;
/** A host whose pages are not a secure context: they have no `crypto.subtle`, no clipboard and no locks. */
const PLAIN_HOST = "nas.lan";

/** pages, "What a device remembers" and "How the page's uploads are repeated". */
describeUnless(browserMissing, "interrupted uploads", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    server = await withSender(startServerAtPort(), { hosts: [PLAIN_HOST] });
    ({ browser, folder } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Five parts of 1 MB. */
  async function largeFile(name: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, Buffer.concat(Array.from({ length: 5 }, (_, part) => Buffer.alloc(MB, `${name} ${part}`))));
    return path;
  }

  /** Resolves when a part was stored. */
  const whenPartStored = (page: Page) => page.waitForResponse((response) => PART.test(response.url()) && response.ok());

  async function namesOf(shortId: string): Promise<readonly string[]> {
    const { files } = (await getShare(server, shortId)) as { files?: readonly { readonly name: string }[] };
    return (files ?? []).map(({ name }) => name).toSorted();
  }

  test("an upload waits for a killed server, and continues", async () => {
    const path = await largeFile("killed.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    let isDown = false;
    await page.route(PART, async (route) => {
      if (PART.exec(route.request().url())?.[1] === "4" && !isDown) {
        isDown = true;
        await server.kill();
      }
      await route.continue();
    });
    await page.goto(server.url);
    await page.setInputFiles("#file", path);
    await getLink(page);
    await page.getByText("Connection lost. We’ll continue automatically.").first().waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await server.restart();
    assert.deepEqual(await namesOf(await whenSent(page, 90_000)), ["killed.bin"]);
  });

  test("an upload waits for the network if the browser is offline", async () => {
    const path = await largeFile("offline.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await page.setInputFiles("#file", path);
    const stored = whenPartStored(page);
    await page.route(PART, async (route) => {
      if (PART.exec(route.request().url())?.[1] !== "3") return await route.continue();
      await stored;
      await page.context().setOffline(true);
      await route.abort("internetdisconnected");
    });
    await getLink(page);
    await page.getByText("Connection lost.").first().waitFor();
    await until("the title says that the network is gone", async () => /^\d+\s% – Offline – /.test(await page.title()));
    await page.locator("#sending .word").getByText("Waiting", { exact: true }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.context().setOffline(false);
    assert.deepEqual(await namesOf(await whenSent(page)), ["offline.bin"]);
  });

  test("a paused upload sends nothing until it is resumed", async () => {
    const path = await largeFile("paused.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.route(PART, (route) => (PART.exec(route.request().url())?.[1] === "1" ? route.continue() : undefined));
    await page.goto(server.url);
    await page.setInputFiles("#file", path);
    const stored = whenPartStored(page);
    await getLink(page);
    await stored;
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const sent: (string | undefined)[] = [];
    page.on("request", (request) => PART.test(request.url()) && sent.push(PART.exec(request.url())?.[1]));
    await until("the title says that the upload is paused", async () => /^\d+\s% – Paused – /.test(await page.title()));
    await page.getByRole("button", { name: "Resume" }).click();
    await whenSent(page);
    assert.deepEqual(sent.toSorted(), ["2", "3", "4", "5"]);
  });

  test("several files continue after a reload, and only the missing ones are sent", async () => {
    const large = [await largeFile("first.bin"), await largeFile("second.bin")];
    await using opened = await openPage(browser);
    const { page } = opened;
    page.on("dialog", (dialog) => void dialog.accept());
    await page.route(PART, (route) => (PART.exec(route.request().url())?.[1] === "1" ? route.continue() : undefined));
    await page.goto(server.url);
    await choose(page, "small.txt");
    await page.setInputFiles("#file", large);
    const stored = whenPartStored(page);
    await getLink(page);
    await stored;
    await until("the small file was sent", async () => (await pendingPaths(page)).length === 2);
    const shortId = await shownShortId(page);
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByText("Not finished: 2 files, ").waitFor();
    await page.getByLabel("Choose the same files to continue").setInputFiles(large);
    assert.equal(await whenSent(page), shortId);
    assert.deepEqual(await namesOf(shortId), ["first.bin", "second.bin", "small.txt"]);
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
  });

  for (const [name, isStored] of [
    ["response", true],
    ["request", false],
  ] as const) {
    test(`a file whose bytes are all stored is completed after a reload without it, if the last ${name} was lost`, async () => {
      const path = await largeFile(`stored-${name}.bin`);
      await using opened = await openPage(browser);
      const { page } = opened;
      page.on("dialog", (dialog) => void dialog.accept());
      let isLost = true;
      await page.route("**/multipart/complete", async (route) => {
        if (!isLost) return await route.continue();
        if (isStored) await route.fetch();
        await route.abort();
      });
      await page.goto(server.url);
      await page.setInputFiles("#file", path);
      await getLink(page);
      await page.getByText("Connection lost.").first().waitFor();
      const shortId = await shownShortId(page);
      // The page that is left asks no more.
      await page.evaluate("XMLHttpRequest.prototype.send = () => undefined");
      page.on("request", (request) => {
        if (request.isNavigationRequest()) isLost = false;
      });
      await page.reload();
      await readyShares(page).waitFor();
      assert.deepEqual(await namesOf(shortId), [`stored-${name}.bin`]);
      await soon(async () => assert.deepEqual(await pendingPaths(page), []));
    });
  }

  test("a share whose page was closed before the end of sending was remembered is complete at the next visit", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "a.txt");
    await getLink(page);
    await whenSent(page);
    await page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open("filehost");
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction("shares", "readwrite");
        const store = transaction.objectStore("shares");
        store.getAll().onsuccess = ({ target }) => store.put({ ...target.result[0], isComplete: false });
        transaction.oncomplete = () => {
          opening.result.close();
          resolve();
        };
      };
    })`);
    await page.goto(server.url);
    await readyShares(page).waitFor();
  });

  test("an open tab shows files that another tab sends, and continues when that tab is closed", async () => {
    const path = await largeFile("elsewhere.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    const context = page.context();
    const other = await context.newPage();
    const note = other.locator("#recent li").first();
    await other.goto(server.url);
    await page.route(PART, (route) => (PART.exec(route.request().url())?.[1] === "1" ? route.continue() : route.abort()));
    await page.goto(server.url);
    await page.setInputFiles("#file", path);
    const stored = whenPartStored(page);
    await getLink(page);
    await stored;
    const shortId = await shownShortId(page);
    await soon(async () => assert.equal(await other.locator("#recent").count(), 0));
    // Chromium without windows shows all tabs all the time.
    await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await note.getByText("Being sent in another tab").waitFor();
    await page.close();
    await note.getByText("Not finished: 1 file, ").waitFor();
    const last = await context.newPage();
    await last.goto(server.url);
    await other.getByLabel("Choose the same file to continue").setInputFiles(path);
    assert.equal(await whenSent(other), shortId);
    await last.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await readyShares(last).first().waitFor();
    assert.deepEqual(await namesOf(shortId), ["elsewhere.bin"]);
  });

  test("two tabs that send the same file create two shares", async () => {
    const path = await largeFile("twice.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    const other = await page.context().newPage();
    for (const tab of [page, other]) {
      await tab.goto(server.url);
      await tab.setInputFiles("#file", path);
    }
    await Promise.all([getLink(page), getLink(other)]);
    const shortIds = await Promise.all([whenSent(page), whenSent(other)]);
    assert.notEqual(shortIds[0], shortIds[1]);
    for (const shortId of shortIds) assert.deepEqual(await namesOf(shortId), ["twice.bin"]);
    await page.goto(server.url);
    await page.locator("#recent li").nth(1).waitFor();
  });

  test("parts, digests and resuming work without crypto.subtle", async () => {
    const path = await largeFile("plain.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    page.on("dialog", (dialog) => void dialog.accept());
    const url = server.url.replace("127.0.0.1", PLAIN_HOST);
    await page.route(PART, (route) => (PART.exec(route.request().url())?.[1] === "1" ? route.continue() : undefined));
    await page.goto(url);
    await soon(async () => assert.equal(await page.evaluate("typeof crypto.subtle"), "undefined"));
    await choose(page, "small.txt");
    await page.setInputFiles("#file", path);
    const stored = whenPartStored(page);
    await getLink(page);
    await stored;
    const shortId = await shownShortId(page);
    await until("the small file was sent", async () => (await pendingPaths(page)).length === 1);
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const sent: (string | undefined)[] = [];
    page.on("request", (request) => PART.test(request.url()) && sent.push(PART.exec(request.url())?.[1]));
    await page.getByLabel("Choose the same file to continue").setInputFiles(path);
    assert.equal(await whenSent(page), shortId);
    assert.deepEqual(sent.toSorted(), ["2", "3", "4", "5"]);
    assert.deepEqual(await namesOf(shortId), ["plain.bin", "small.txt"]);
  });

  test("a folder of 10,000 files is sent within the general rate", { skip: longSkipped, timeout: 300_000 }, async () => {
    for (let part = 0; part < 100; part += 1) {
      const inner = join(folder, `many/${part}`);
      await mkdir(inner, { recursive: true });
      await Promise.all(Array.from({ length: 100 }, (_, file) => writeFile(join(inner, `${file}.txt`), `${part} ${file}`)));
    }
    await using limited = await startPlainServer({ FILEHOST_RATE_LIMITS: "on" });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(limited.url);
    await page.setInputFiles("#folder", join(folder, "many"));
    await page.locator("#chosen").getByText("10,000 files, ").waitFor();
    await soon(async () => assert.ok((await page.locator("#chosen li").count()) < 200));
    await getLink(page);
    const shortId = await whenSent(page, 270_000);
    const { count } = await withDatabase(limited, (db) =>
      db
        .selectFrom("files")
        .select((select) => select.fn.countAll<number>().as("count"))
        .where("short_id", "=", shortId)
        .executeTakeFirstOrThrow(),
    );
    assert.equal(count, 10_000);
  });
});
