import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { launchBrowser, type OpenPage, openPage } from "../../test/support/browser/browser.ts";
import { startServer, type TestServer } from "../../test/support/server.ts";
import { startClamd } from "../../test/support/services/clamd.ts";
import { until } from "../../test/support/until.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import { saveAnimation } from "./animation.ts";
import { renderComponents } from "./components.tsx";
import { HARBOUR_AT_DAWN, takePhotograph } from "./photographs.ts";

const IMAGES = resolve(import.meta.dirname, "../../docs/images");
const FILE_NAME = "Harbour at dawn.jpg";
const MESSAGE = "Here is the photo for the cover. Is it large enough? – Ingrid";
const VIEWPORT = { width: 800, height: 760 };
const SCALE = 1.5;

const HELP = `Makes the pictures and the animation of the README from the running product, in docs/images (about a minute).

  ./scripts/screenshots                      the README's pictures
  ./scripts/screenshots --components FOLDER  every component in every state, on a desktop and a phone, light and dark
`;

const { values } = parseArgs({ options: { components: { type: "string" }, help: { type: "boolean" } } });
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

const browser = await launchBrowser();
try {
  if (values.components === undefined) await saveReadmeImages();
  else await saveComponents(resolve(values.components));
} finally {
  await browser.close();
}

/** Saves the README's images. */
async function saveReadmeImages(): Promise<void> {
  await mkdir(IMAGES, { recursive: true });
  await using clamd = await startClamd();
  const scanner = clamd.unix.kind === "unix" ? `unix:${clamd.unix.path}` : "";
  await using server = await startServer({ env: { FILEHOST_CLAMD: scanner } });
  await using front = await openPath(server, "/");
  await saveScreenshot(front, "front-page"); //
  await using share = await openPath(server, await shareFile(server, await takePhotograph(browser, HARBOUR_AT_DAWN)));
  await saveScreenshot(share, "share-page");
  await saveAnimation(join(IMAGES, "sending.webp"), scanner);
}

/** Saves the page of components, on a desktop and a phone, in both color schemes. */
async function saveComponents(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
  const body = renderComponents({
    language: "en",
    timeZone: "UTC",
    texts: catalogue.en,
    query: "",
    path: "/components",
    formKey: "",
    site: { name: "filehost", url: server.url, hasOwnUrl: true },
  });
  for (const [device, width] of Object.entries({ desktop: 1280, phone: 390 }))
    for (const colorScheme of ["light", "dark"] as const) {
      await using opened = await openPage(browser, { viewport: { width, height: 800 }, colorScheme });
      const { page } = opened;
      await page.route("**/components", (route) => route.fulfill({ body, contentType: "text/html" }));
      await page.goto(`${server.url}/components`, { waitUntil: "networkidle" });
      const path = join(folder, `components-${device}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
      process.stdout.write(`${path}\n`);
    }
}

async function openPath(server: TestServer, path: string): Promise<OpenPage> {
  const opened = await openPage(browser, { viewport: VIEWPORT, deviceScaleFactor: SCALE, colorScheme: "light" });
  await opened.page.goto(server.url + path, { waitUntil: "networkidle" });
  return opened;
}

/** Uploads the file and waits for the scan. Resolves to the path of its handoff link, which shows the message. */
async function shareFile(server: TestServer, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const query = new URLSearchParams({ protect: "true", handoffMessage: MESSAGE });
  const request = { method: "PUT", body: bytes, headers: { Accept: "application/json" } };
  const response = await fetch(`${server.url}/${encodeURIComponent(FILE_NAME)}?${query}`, request);
  const { data } = (await response.json()) as { data: { handoffUrl: string; shortId: string } };
  await until("the file is scanned", async () => {
    const share = await fetch(`${server.url}/api/files/share/${data.shortId}`);
    return ((await share.json()) as { scanStatus: string }).scanStatus === "clean";
  });
  return new URL(data.handoffUrl).pathname;
}

/** Saves the contents of the window as `docs/images/{name}.webp`. */
async function saveScreenshot({ page }: OpenPage, name: string): Promise<void> {
  const png = await page.screenshot();
  await new Bun.Image(png).webp({ quality: 90 }).write(join(IMAGES, `${name}.webp`));
}
