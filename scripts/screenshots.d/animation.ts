import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openPage } from "../../test/support/browser/browser.ts";
import { makeFolder } from "../../test/support/folder.ts";
import { startServer } from "../../test/support/server.ts";
import { until } from "../../test/support/until.ts";
import { TRIP, takePhotograph } from "./photographs.ts";
import { Recording } from "./recording.ts";

const SITE = "http://files.example.org";
const WINDOW = { viewport: { width: 960, height: 720 }, deviceScaleFactor: 1.25, colorScheme: "light" } as const;
/** Bytes per second, so slow that also a busy machine records the progress of the upload. */
const SLOW_UPLOAD = 5e5;
const UNLIMITED = -1;
/** The percentages of the upload that are shown. */
const PROGRESS = [20, 25, 30, 35, 40, 45, 50, 55, 60];

/** Records a folder on its way from the sender to the recipient as an animated WebP of some 15 seconds. Resolves to its length in milliseconds. */
export async function saveAnimation(path: string, scanner: string): Promise<number> {
  await using folder = await makeFolder();
  await using server = await startServer({ env: { FILEHOST_CLAMD: scanner, FILEHOST_URL: SITE } });
  const browser = await launchBrowser({ site: { origin: SITE, port: Number(new URL(server.url).port) } });
  try {
    const trip = join(folder.path, "Trip to the coast");
    await mkdir(trip);
    for (const [name, scene] of Object.entries(TRIP)) await writeFile(join(trip, name), await takePhotograph(browser, scene));
    const recording = new Recording(folder.path);
    const link = await recordSender(browser, recording, trip);
    await recordRecipient(browser, recording, link);
    return await recording.save(path);
  } finally {
    await browser.close();
  }
}

/** Chooses a folder, gets the link and copies it. Resolves to the link once the check is done. */
async function recordSender(browser: Browser, recording: Recording, folder: string): Promise<string> {
  await using opened = await openPage(browser, { ...WINDOW, permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = opened;
  await page.goto(SITE, { waitUntil: "networkidle" });
  await recording.say(page, "Choose files or a folder");
  await recording.hold(page, 900);
  await recording.moveTo(page, page.locator(".send-choices"));
  await page.setInputFiles("#folder", folder);
  await page.locator("#chosen .name").waitFor();
  await recording.hold(page, 1_000);
  await recording.moveTo(page, page.getByRole("button", { name: "Get a link" }));
  await limitUploads(page, SLOW_UPLOAD);
  const leave = await keepPage(page);
  await page.getByRole("button", { name: "Get a link" }).click();
  await page.locator("[data-link]").waitFor();
  await recording.say(page, "The link works at once");
  const link = String(await page.locator("[data-link]").getAttribute("href"));
  await recording.moveTo(page, page.getByRole("button", { name: /^(Copy link|Link copied)$/ }), { click: true });
  for (const percent of PROGRESS) {
    await until(
      `${percent} percent are sent`,
      async () => (await page.evaluate(`(document.querySelector("#bar")?.value ?? 100) >= ${percent}`)) === true,
    );
    await recording.hold(page, 160);
  }
  await limitUploads(page, UNLIMITED);
  leave();
  await page.waitForURL(/\/d\/[^/]+$/);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await recording.say(page, "Every file is checked for malware");
  await recording.hold(page, 1_300);
  const metadata = new URL(link).pathname.replace("/d/", "/api/files/share/");
  await until("the files are checked", async () => {
    const share = (await page.evaluate(`fetch(${JSON.stringify(metadata)}).then((response) => response.json())`)) as { scanStatus: string };
    return share.scanStatus === "clean";
  });
  return link;
}

/** Opens the link as its recipient, and enlarges photos. */
async function recordRecipient(browser: Browser, recording: Recording, link: string): Promise<void> {
  await using opened = await openPage(browser, WINDOW);
  const { page } = opened;
  await until("the thumbnails are made", async () => {
    await page.goto(link, { waitUntil: "networkidle" });
    return (await page.locator("img.thumbnail").count()) === Object.keys(TRIP).length;
  });
  await recording.say(page, "The recipient needs no account");
  await recording.hold(page, 1_600);
  await recording.moveTo(page, page.locator("img.thumbnail").nth(1), { click: true });
  await recording.say(page, "");
  for (const name of ["Bay at noon.jpg", "Cliffs.jpg", "Evening.jpg"]) {
    await page.getByRole("dialog", { name }).locator(".picture img").evaluate("(image) => image.decode()");
    await recording.hold(page, 1_000);
    await page.keyboard.press("ArrowRight");
  }
  await page.keyboard.press("Escape");
  await recording.moveTo(page, page.getByRole("button", { name: /Download all/ }));
  await recording.say(page, "Everything, or only some");
  await recording.hold(page, 1_800);
}

async function limitUploads(page: Page, uploadThroughput: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: UNLIMITED, uploadThroughput });
}

/** Holds the page's way to the share, which it takes once all is sent, until the returned function is called. */
async function keepPage(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/d/*", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}
