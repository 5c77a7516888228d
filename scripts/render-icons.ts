/** Renders web/site/icons/icon.svg as the icons of the installed site, with Chromium. Run it after a change of the icon. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { launchBrowser, openPage } from "../test/support/browser/browser.ts";

const web = resolve(import.meta.dirname, "../web");
const svg = readFileSync(join(web, "site/icons/icon.svg"), "utf8");
/** The icon without round corners, because systems cut their own shape. */
const square = svg.replace(/ rx="\d+"/, "");
const ICONS = [
  { name: "icon-192", pixels: 192, svg },
  { name: "icon-512", pixels: 512, svg },
  { name: "maskable-512", pixels: 512, svg: square },
  { name: "touch-180", pixels: 180, svg: square },
];

const browser = await launchBrowser();
try {
  for (const { name, pixels, svg } of ICONS) {
    await using opened = await openPage(browser, { viewport: { width: pixels, height: pixels } });
    await opened.page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`);
    await opened.page.screenshot({ path: join(web, "site/icons", `${name}.png`), omitBackground: true });
  }
} finally {
  await browser.close();
}
