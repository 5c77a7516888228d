import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../test/support/browser/browser.ts";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { deleteFile, deleteShare, type Filehost, type OpenedShare, readUpload, startFilehost } from "./filehost.ts";
import { randomBytes, writeRandomFile } from "./files.ts";
import { curlUpload, megabytesPerSecond } from "./load.ts";

const LARGE = "browser-upload-2g";
const ENCRYPTED = "browser-upload-encrypted-2g";
const MANY = "browser-1000x10k";
const SMALL_BYTES = 10 * 1024;
const SENDING_TIMEOUT_MS = 600_000;

/** Measures a large file that the front page sends in Chromium, against one `curl -T` of the same file to the same server. */
export const largeBrowserUploads: Experiment = {
  cases: [LARGE],
  mostRuns: 3,
  missing: browserMissing,
  async prepare(bench, stack) {
    const sizeBytes = 2 * bench.bigBytes;
    const source = join(bench.dir, "browser-large");
    await writeRandomFile(source, sizeBytes);
    const { host, browser } = await startWithBrowser(bench, stack, LARGE);
    return [
      {
        label: "in Chromium",
        pid: host.pid,
        async measure() {
          const seconds = await sendFromPage(browser, host, { field: "#file", path: source });
          return [{ case: LARGE, side: "ours", value: megabytesPerSecond(sizeBytes, seconds) }];
        },
      },
      byCurl(bench, host, { source, sizeBytes }),
    ];
  },
};

function byCurl(bench: Bench, host: Filehost, { source, sizeBytes }: { source: string; sizeBytes: number }): Contestant {
  return {
    label: "curl -T",
    async measure() {
      const { seconds, body } = await curlUpload(bench, source, `${host.url}/`, ["Accept: application/json"]);
      await deleteFile(host, readUpload(body));
      return [{ case: LARGE, side: "peer", value: megabytesPerSecond(sizeBytes, seconds) }];
    },
  };
}

/** Measures a large file that the front page encrypts and sends in Chromium, against the same file and page without encryption. */
export const encryptedBrowserUploads: Experiment = {
  cases: [ENCRYPTED],
  mostRuns: 3,
  missing: browserMissing,
  async prepare(bench, stack) {
    const sizeBytes = 2 * bench.bigBytes;
    const source = join(bench.dir, "browser-encrypted");
    await writeRandomFile(source, sizeBytes);
    const { host, browser } = await startWithBrowser(bench, stack, ENCRYPTED);
    const by = (label: string, side: "ours" | "peer", isEncrypted: boolean): Contestant => ({
      label,
      pid: host.pid,
      async measure() {
        const seconds = await sendFromPage(browser, host, { field: "#file", path: source, isEncrypted });
        return [{ case: ENCRYPTED, side, value: megabytesPerSecond(sizeBytes, seconds) }];
      },
    });
    return [by("encrypted in Chromium", "ours", true), by("in Chromium", "peer", false)];
  },
};

/** Measures a folder of small files that the front page sends to one link in Chromium. */
export const manyBrowserUploads: Experiment = {
  cases: [MANY],
  missing: browserMissing,
  async prepare(bench, stack) {
    const count = bench.options.quick ? 100 : 1000;
    const folder = join(bench.dir, "browser-many");
    await mkdir(folder);
    for (let n = 0; n < count; n++) await writeFile(join(folder, `file-${n}`), randomBytes(SMALL_BYTES));
    const { host, browser } = await startWithBrowser(bench, stack, MANY);
    return [
      {
        label: "in Chromium",
        pid: host.pid,
        async measure() {
          const seconds = await sendFromPage(browser, host, { field: "#folder", path: folder });
          return [{ case: MANY, side: "ours", value: count / seconds }];
        },
      },
    ];
  },
};

async function startWithBrowser(bench: Bench, stack: AsyncDisposableStack, name: string): Promise<{ host: Filehost; browser: Browser }> {
  const host = await startFilehost(bench, name);
  stack.defer(() => host.stop());
  const browser = await launchBrowser();
  stack.defer(() => browser.close());
  return { host, browser };
}

/** Sends a file or a folder from the front page, and deletes the share. Resolves to the seconds from the press until the share's page opens. */
async function sendFromPage(
  browser: Browser,
  host: Filehost,
  { field, path, isEncrypted = false }: { readonly field: string; readonly path: string; readonly isEncrypted?: boolean },
): Promise<number> {
  await using opened = await openPage(browser);
  const { page } = opened;
  // The response is read immediately, because the browser drops it when the share's page opens.
  const opening = page.waitForResponse(`${host.url}/api/shares`).then((response) => response.json() as Promise<{ data: OpenedShare }>);
  await page.goto(host.url);
  await page.setInputFiles(field, path);
  if (isEncrypted) {
    await page.locator("#options > summary").click();
    await page.getByLabel("Encrypt end to end").check();
  }
  const send = page.locator("#submit:enabled");
  await send.waitFor();
  const started = performance.now();
  await send.click();
  await page.waitForURL(/\/d\/[^/]+$/, { timeout: SENDING_TIMEOUT_MS, waitUntil: "commit" });
  const seconds = (performance.now() - started) / 1000;
  await deleteShare(host, (await opening).data);
  return seconds;
}
