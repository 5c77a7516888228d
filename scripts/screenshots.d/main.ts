import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { launchBrowser, type OpenPage, openPage } from "../../test/support/browser.ts";
import { startClamd } from "../../test/support/clamd.ts";
import { startServer } from "../../test/support/server.ts";
import { until } from "../../test/support/until.ts";

const IMAGES = resolve(import.meta.dirname, "../../docs/images");
const SITE_URL = "https://files.example.org";
const FILE_NAME = "Harbour at dawn.jpg";
const MESSAGE = "Here is the photo for the cover. Is it large enough? – Ingrid";
const VIEWPORT = { width: 800, height: 1000 };
const SCALE = 1.5;
const MARGIN_PX = 16;

/** Makes a stand-in for a photograph of some megabytes: noise over a sky, the same in each run. */
const PHOTOGRAPH = `<body style="margin: 0"><svg width="3000" height="2000">
  <filter id="noise"><feTurbulence type="fractalNoise" baseFrequency="0.8" seed="7" /></filter>
  <rect width="100%" height="100%" fill="#e8a87c" />
  <rect width="100%" height="100%" filter="url(#noise)" opacity="0.8" />
</svg></body>`;

await mkdir(IMAGES, { recursive: true });
await using clamd = await startClamd();
const scanner = clamd.unix.kind === "unix" ? `unix:${clamd.unix.path}` : "";
await using server = await startServer({ env: { FILEHOST_URL: SITE_URL, FILEHOST_CLAMD: scanner } });
const browser = await launchBrowser();
try {
  await using front = await openPath("/");
  const form = await front.page.locator("#upload").boundingBox();
  const height = form ? form.y + form.height + MARGIN_PX : VIEWPORT.height;
  await saveScreenshot(front, "front-page", height);
  await using share = await openPath(await shareFile(await takePhotograph()));
  await saveScreenshot(share, "share-page", height);
} finally {
  await browser.close();
}

async function openPath(path: string): Promise<OpenPage> {
  const opened = await openPage(browser, { viewport: VIEWPORT, deviceScaleFactor: SCALE, colorScheme: "light" });
  await opened.page.goto(server.url + path, { waitUntil: "networkidle" });
  return opened;
}

async function takePhotograph(): Promise<Uint8Array<ArrayBuffer>> {
  await using opened = await openPage(browser, { viewport: { width: 3000, height: 2000 } });
  await opened.page.setContent(PHOTOGRAPH);
  return new Uint8Array(await opened.page.screenshot({ type: "jpeg", quality: 98 }));
}

/** Uploads the file and waits for the scan. Resolves to the path of its handoff link, which shows the message. */
async function shareFile(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const query = new URLSearchParams({ protect: "true", handoffMessage: MESSAGE, maxDownloads: "3" });
  const request = { method: "PUT", body: bytes, headers: { Accept: "application/json" } };
  const response = await fetch(`${server.url}/${encodeURIComponent(FILE_NAME)}?${query}`, request);
  const { data } = (await response.json()) as { data: { handoffUrl: string; shortId: string } };
  await until("the file is scanned", async () => {
    const share = await fetch(`${server.url}/api/files/share/${data.shortId}`);
    return ((await share.json()) as { scanStatus: string }).scanStatus === "clean";
  });
  return new URL(data.handoffUrl).pathname;
}

/** Saves the upper part of the page, `heightPx` high, as `docs/images/{name}.webp`. */
async function saveScreenshot({ page }: OpenPage, name: string, heightPx: number): Promise<void> {
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: VIEWPORT.width, height: heightPx } });
  await new Bun.Image(png).webp({ lossless: true }).write(join(IMAGES, `${name}.webp`));
}
