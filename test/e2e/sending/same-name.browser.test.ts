import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFile, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { chosenNames, getLink, pendingPaths, shownShortId, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const MB = 1024 ** 2;
const PART = /\/up\/[^/]+\/(\d+)/;

/** pages, "One link for everything" and "How the page's uploads are repeated". */
describeUnless(browserMissing, "the files of an upload", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    server = await withSender(startPlainServer());
    ({ browser, folder } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Makes files of the same name, size and time in folders of these names. */
  async function makeTwins(sizeBytes: number, ...names: string[]): Promise<readonly { readonly path: string; readonly sha256: string }[]> {
    return await Promise.all(
      names.map(async (name) => {
        const inside = join(folder, name);
        await mkdir(inside, { recursive: true });
        const path = join(inside, "fw.bin");
        const bytes = Buffer.alloc(sizeBytes, "fw");
        bytes.write(name, sizeBytes - 64);
        await writeFile(path, bytes);
        await utimes(path, 1_700_000_000, 1_700_000_000);
        return { path, sha256: createHash("sha256").update(bytes).digest("hex") };
      }),
    );
  }

  async function digestsOf(shortId: string): Promise<readonly string[]> {
    const { files } = await getShare(server, shortId);
    return (await Promise.all((files ?? []).map(({ id }) => downloadDigest(server, id)))).toSorted();
  }

  for (const sizeBytes of [1000, 5 * MB])
    test(`of ${sizeBytes} bytes with the same name, size and time are distinguished by their bytes`, async () => {
      const [one, other] = await makeTwins(sizeBytes, `a${sizeBytes}`, `b${sizeBytes}`);
      assert.ok(one && other);
      await using opened = await openPage(browser);
      const { page } = opened;
      await page.goto(server.url);
      for (const path of [one.path, other.path, one.path, other.path]) {
        await page.setInputFiles("#file", path);
        await until("the file was compared", async () => (await chosenNames(page)).length >= (path === one.path ? 1 : 2) || undefined);
      }
      await soon(async () => assert.deepEqual(await chosenNames(page), ["fw.bin", "fw (2).bin"]));
      await getLink(page);
      assert.deepEqual(await digestsOf(await whenSent(page)), [one.sha256, other.sha256].toSorted());
    });

  test("with the same name, size and time in two folders both arrive after a reload during the upload", async () => {
    const twins = await makeTwins(5 * MB, "tree/one", "tree/other");
    await using opened = await openPage(browser);
    const { page } = opened;
    page.on("dialog", (dialog) => void dialog.accept());
    await page.route(PART, (route) => (PART.exec(route.request().url())?.[1] === "1" ? route.continue() : undefined));
    await page.goto(server.url);
    await page.setInputFiles("#folder", join(folder, "tree"));
    const stored = page.waitForResponse((response) => PART.test(response.url()) && response.ok());
    await getLink(page);
    await stored;
    const shortId = await shownShortId(page);
    await until("both files are remembered", async () => (await pendingPaths(page)).length === 2);
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByText("Not finished: 2 files, ").waitFor();
    await page.getByLabel("Choose the same folder to continue").setInputFiles(join(folder, "tree"));
    assert.equal(await whenSent(page), shortId);
    assert.deepEqual(await digestsOf(shortId), twins.map(({ sha256 }) => sha256).toSorted());
  });

  for (const [what, change] of [
    ["appended to", (path: string) => appendFile(path, "more")],
    ["made shorter", (path: string) => writeFile(path, "short")],
    ["removed", (path: string) => rm(path)],
  ] as const)
    test(`that are ${what} during the upload are reported as changed, not as a lost connection`, async () => {
      const [file] = await makeTwins(5 * MB, what);
      assert.ok(file);
      await using opened = await openPage(browser);
      const { page } = opened;
      // Several parts are sent at the same time.
      let changing: Promise<unknown> | undefined;
      await page.route(PART, async (route) => {
        changing ??= change(file.path);
        await changing;
        await route.continue();
      });
      await page.goto(server.url);
      await page.setInputFiles("#file", file.path);
      await getLink(page);
      await page.getByText("The file has changed or cannot be read. Choose it again.").first().waitFor();
    });
});
