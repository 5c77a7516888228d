import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

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
