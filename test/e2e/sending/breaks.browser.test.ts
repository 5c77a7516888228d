import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { getLink, shownShortId, whenSent } from "../support/pages/sending.ts";
import { startServerAtPort } from "../support/servers/plain-server.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const MB = 1024 ** 2;
const PARTS = 12;
const SLOW_LINE = { offline: false, latency: 20, downloadThroughput: 2 * MB, uploadThroughput: 2 * MB };
/** Two parts, and a percent for rounding. */
const MAX_LOST_PERCENT = (2 / PARTS) * 100 + 1;
const PART = /\/up\/[^/]+\/(\d+)/;

interface SlowFile {
  readonly path: string;
  readonly sha256: string;
  readonly shortId: string;
  /** The percentages that the page has shown. */
  readonly percents: number[];
}

/** pages, "What a break loses" and "What a device remembers". */
describeUnless(browserMissing, "uploads that break on a slow connection", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    server = await withSender(startServerAtPort());
    ({ browser, folder } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Sends a random file until a third of it is stored. */
  async function sendThird(page: Page, name: string): Promise<SlowFile> {
    const bytes = randomBytes(PARTS * MB);
    const path = join(folder, name);
    await writeFile(path, bytes);
    const percents = await recordProgress(page);
    await page.goto(server.url);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", SLOW_LINE);
    await page.setInputFiles("#file", path);
    await getLink(page);
    // The scripts that send come over the same line.
    await page
      .locator("[data-link]")
      .waitFor()
      .catch(async (cause: unknown) => assert.fail(`${await page.locator("main").textContent()}\n${cause}`));
    const shortId = await shownShortId(page);
    await until("a third is stored", async () => Number((await getShare(server, shortId)).receivedBytes) >= (PARTS / 3) * MB);
    return { path, sha256: createHash("sha256").update(bytes).digest("hex"), shortId, percents };
  }

  /** Waits until the file was sent; asserts its bytes, and that the progress did not go back by more than two parts. */
  async function assertArrives(page: Page, { sha256, shortId, percents }: SlowFile): Promise<void> {
    assert.equal(await whenSent(page), shortId);
    assert.ok((percents.at(-1) ?? 0) > 50, percents.join());
    for (const [index, percent] of percents.entries()) {
      assert.ok(percent >= (percents[index - 1] ?? 0) - MAX_LOST_PERCENT, percents.join());
    }
    const { files } = await getShare(server, shortId);
    assert.equal(await downloadDigest(server, files?.[0]?.id ?? ""), sha256);
  }

  test("a pause loses at most two parts", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const file = await sendThird(page, "paused.bin");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await assertArrives(page, file);
    assert.deepEqual(opened.complaints, []);
  });

  test("a killed server loses at most two parts", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const file = await sendThird(page, "killed.bin");
    await server.kill();
    await page.getByText("Connection lost. We’ll continue automatically.").first().waitFor();
    await server.restart();
    await assertArrives(page, file);
  });

  test("a reload loses at most two parts, and the page shows the missing bytes", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    page.on("dialog", (dialog) => void dialog.accept());
    const file = await sendThird(page, "reloaded.bin");
    await page.reload();
    file.percents.length = 0;
    const note = page.locator("#recent").getByText(/^Not finished: 1\sfile, /);
    await note.waitFor();
    const missing = await note.textContent();
    const sent = new Set<string | undefined>();
    page.on("request", (request) => PART.test(request.url()) && sent.add(PART.exec(request.url())?.[1]));
    await page.getByLabel("Choose the same file to continue").setInputFiles(file.path);
    await assertArrives(page, file);
    // The server may have stored parts that were on their way at the reload after the page has asked for the missing ones.
    const possible = [0, 1, 2, 3, 4].map(
      (onTheirWay) => `Not finished: 1\u00a0file, ${formatSize((sent.size + onTheirWay) * MB, "en")} missing`,
    );
    assert.ok(possible.includes(missing ?? ""), `${missing}; ${sent.size} parts were sent`);
    assert.ok(sent.size <= (PARTS * 2) / 3, `${sent.size} parts`);
    const resumedAt = file.percents.find((percent) => percent > 0);
    assert.ok((resumedAt ?? 0) >= 100 - (sent.size / PARTS) * 100 - 1, `${resumedAt} %`);
  });
});

/** Records each percentage that the page shows, also after a reload. */
async function recordProgress(page: Page): Promise<number[]> {
  const percents: number[] = [];
  await page.exposeFunction("recordPercent", (percent: number) => void percents.push(percent));
  await page.addInitScript(`new MutationObserver((records) => {
    for (const { target } of records) if (target.id === "bar") recordPercent(target.value);
  }).observe(document, { subtree: true, attributeFilter: ["value"] });`);
  return percents;
}
