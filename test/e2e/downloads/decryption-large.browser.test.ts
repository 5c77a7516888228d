import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { chooseSavedFile } from "../support/encryption/saved-files.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";

/** More than the page decrypts in memory. */
const SIZE_MB = 300;
const SLICE_MB = 20;
/**
 * What the page may need beside what it needed before: buffers, and garbage that is not collected yet. Less than the file; for 900 MB it was 190 MB.
 */
const MAX_GROWTH_MB = 250;

/** encryption, "On the page". */
describeUnless(browserMissing ?? longSkipped, "the page of a large encrypted file", () => {
  let server: TestServer;
  let device: ClientDevice;
  let browser: Browser;
  let link: string;
  let digests: readonly string[];
  before(async () => {
    server = await startPlainServer();
    device = await makeDevice({ FILEHOST_SERVER: server.url });
    browser = await launchBrowser();
    digests = await makeFile(join(device.path, "film.bin"));
    const { code, stdout, stderr } = await device.run(["up", "film.bin", "--encrypt"]);
    assert.equal(code, 0, stderr);
    link = stdout.trim();
  });
  after(async () => {
    await browser?.close();
    await device?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Returns the SHA-256 of each slice. */
  async function makeFile(path: string): Promise<readonly string[]> {
    await using file = await open(path, "w");
    const slices = Array.from({ length: SIZE_MB / SLICE_MB }, (_, index) => someBytes(SLICE_MB * MB, index));
    for (const slice of slices) await file.write(slice);
    return slices.map((slice) => createHash("sha256").update(slice).digest("hex"));
  }

  const button = (page: Page) => page.getByRole("button", { name: "Decrypt and download" });

  /** The highest memory, in MB, that the processes of pages and their workers have ever occupied. */
  async function peakMb(): Promise<number> {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    const peaks = processInfo
      .filter(({ type }) => type === "renderer")
      .map(async ({ id }) => {
        const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${id}/status`, "utf8")) ?? [];
        return Number(kilobytes) / 1024;
      });
    return Math.max(...(await Promise.all(peaks)));
  }

  test("decrypts it into a file, in constant memory", async () => {
    await using opened = await openPage(browser);
    const { page, complaints } = opened;
    page.setDefaultTimeout(180_000);
    await chooseSavedFile(page);
    await page.goto(link);
    await button(page).waitFor();
    const before = await peakMb();
    await button(page).click();
    await page.getByText("Decrypted. Your browser saves the file.").first().waitFor();
    const growth = (await peakMb()) - before;
    assert.ok(growth < MAX_GROWTH_MB, `the page needed ${Math.round(growth)} MB more than ${Math.round(before)} MB`);
    const saved = await page.evaluate(async (sliceBytes) => {
      const file = await (await (await navigator.storage.getDirectory()).getFileHandle("saved")).getFile();
      const found: string[] = [];
      for (let from = 0; from < file.size; from += sliceBytes) {
        const digest = await crypto.subtle.digest("SHA-256", await file.slice(from, from + sliceBytes).arrayBuffer());
        found.push([...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
      }
      return found;
    }, SLICE_MB * MB);
    assert.deepEqual([saved, complaints], [digests, []]);
  });
});
