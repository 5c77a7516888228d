import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { choose, chosenNames, GET_LINK, getLink, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** pages, "One link for everything". */
describeUnless(browserMissing, "folders on the front page", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    server = await withSender(startPlainServer());
    ({ browser, folder } = server);
    for (const name of ["Trip to Rome/day 10", "Trip to Rome/day 2"]) {
      await mkdir(join(folder, name), { recursive: true });
      for (let file = 1; file <= 60; file += 1) await writeFile(join(folder, name, `${file}.txt`), `${name} ${file}`);
    }
  });
  after(() => server?.[Symbol.asyncDispose]());

  for (const viewport of [
    { width: 390, height: 700 },
    { width: 1280, height: 800 },
  ])
    test(`a folder is one row that opens, its files are in natural order, and the button stays in sight, ${viewport.width} pixels wide`, async () => {
      await using opened = await openPage(browser, { viewport });
      const { page } = opened;
      await page.goto(server.url);
      await page.setInputFiles("#folder", join(folder, "Trip to Rome"));
      await page.getByText("120 files, ").first().waitFor();
      await soon(async () => assert.deepEqual(await chosenNames(page), ["Trip to Rome"]));
      const row = page.getByRole("button", { name: "Trip to Rome", exact: true });
      await soon(async () => assert.equal(await row.getAttribute("aria-expanded"), "false"));
      const height = page.viewportSize()?.height ?? 0;
      const bottom = async (): Promise<number> => {
        const box = await page.getByRole("button", GET_LINK).boundingBox();
        return box === null ? Number.POSITIVE_INFINITY : box.y + box.height;
      };
      await soon(async () => assert.ok((await bottom()) <= height, "below the folder"));
      await row.click();
      await page.getByText("day 2/1.txt", { exact: true }).waitFor();
      const names = await chosenNames(page);
      assert.deepEqual([names.length, ...names.slice(1, 4)], [51, "day 2/1.txt", "day 2/2.txt", "day 2/3.txt"]);
      await soon(async () => assert.ok((await bottom()) <= height, "below the open folder"));
      await page.getByRole("button", { name: "Show 70 more" }).click();
      await soon(async () => assert.equal((await chosenNames(page)).at(-1), "day 10/60.txt"));
      await page.getByRole("button", { name: "Remove Trip to Rome/day 2/1.txt" }).click();
      await page.getByText("119 files, ").first().waitFor();
      await row.click();
      await soon(async () => assert.deepEqual(await chosenNames(page), ["Trip to Rome"]));
      await choose(page, "alone.txt");
      await soon(async () => assert.deepEqual(await chosenNames(page), ["Trip to Rome", "alone.txt"]));
      await page.getByRole("button", { name: "Remove Trip to Rome", exact: true }).click();
      await soon(async () => assert.deepEqual(await chosenNames(page), ["alone.txt"]));
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), page.viewportSize()?.width));
      assert.deepEqual(opened.complaints, []);
    });

  test("a share of one folder has its name as title unless the sender writes one, and one count of its files", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    for (const written of [undefined, "Our holidays"]) {
      await page.goto(server.url);
      await page.setInputFiles("#folder", join(folder, "Trip to Rome"));
      await page.locator("#options > summary").click();
      const field = page.getByLabel("Title");
      await soon(async () => assert.equal(await field.getAttribute("placeholder"), "Trip to Rome"));
      if (written !== undefined) await field.fill(written);
      const shown = Promise.withResolvers<void>();
      await page.route("**/api/files/batch", async (route) => {
        await shown.promise;
        await route.continue();
      });
      await getLink(page);
      await page.locator("#sending").getByText("0 of 120 files sent", { exact: true }).waitFor();
      await soon(async () => assert.equal(await page.locator("#sending > li").count(), 1));
      shown.resolve();
      assert.equal((await getShare(server, await whenSent(page))).title, written ?? "Trip to Rome");
    }
    await page.goto(server.url);
    await page.locator("#recent .name").getByText("Trip to Rome", { exact: true }).first().waitFor();
    await page.locator("#recent li:has(.tile .icon)", { hasText: "Trip to Rome" }).waitFor();
    await page.setInputFiles("#folder", join(folder, "Trip to Rome"));
    await choose(page, "alone.txt");
    await page.getByText("121 files, ").waitFor();
    await getLink(page);
    assert.equal((await getShare(server, await whenSent(page))).title, null);
    assert.deepEqual(opened.complaints, []);
  });
});
