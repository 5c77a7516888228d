import { existsSync } from "node:fs";
import puppeteer, { type Browser } from "puppeteer-core";

const FIREFOX = "/usr/bin/firefox-esr";

/** The reason why tests in Firefox are skipped; undefined if it is installed. */
export const firefoxMissing: string | undefined = existsSync(FIREFOX) ? undefined : "no Firefox: install Debian's package firefox-esr";

/** Starts Debian's Firefox with a fresh profile, over WebDriver BiDi. It saves downloads in the folder without asking. */
export async function launchFirefox(downloadFolder: string): Promise<Browser> {
  return await puppeteer.launch({
    browser: "firefox",
    executablePath: FIREFOX,
    extraPrefsFirefox: { "browser.download.folderList": 2, "browser.download.dir": downloadFolder },
  });
}
