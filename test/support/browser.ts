import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

/** Why browser tests cannot run here; false where they can. Made for `skip` of `node:test`. */
export const browserMissing: string | false = existsSync(CHROMIUM) ? false : `no ${CHROMIUM}: install Debian's package chromium`;

/** Starts Debian's Chromium with a fresh profile that goes when it is closed. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

/** A page as nobody has used it, and what its scripts complain of. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
