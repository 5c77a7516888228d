import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { upload } from "../support/api/api.ts";
import { setScanning, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { type SponsoringServer, startSponsoring } from "../support/servers/sponsored-server.ts";

const TITLE = "From this server’s sponsor";
/** Links to a closed port, and tries everything that the sandbox must prevent. */
const HTML = `<p style="color: rgb(1, 2, 3)">Buy ropes: <a href="http://127.0.0.1:9/ropes">look</a></p>
<p style="height: 900px">${"A-word-without-end-".repeat(40)}</p>
<script>parent.document.title = "taken"; top.location = "http://127.0.0.1:9/"; fetch("/api/me");</script>
<form action="/" method="post"><button>Send</button></form>`;

const HELD_BACK = /<button class="button" type="submit" disabled[^>]*>.*You can download in <span data-seconds>3\sseconds</s;

/** model, "Share metadata" (`sponsoredDelivery`). */
describeUnless(browserMissing, "sponsors and the wait in a browser", () => {
  let browser: Browser;
  let server: SponsoringServer & ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startSponsoring(HTML, { FILEHOST_DOWNLOAD_WAIT: "3" }), { owner: {} });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  test("the page counts down with JavaScript, announces only the end of the wait, and then offers the download", async () => {
    const share = await upload(server, { name: "plan.txt", bytes: "the bytes" });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.addInitScript(`
      window.said = []; window.shown = [];
      new MutationObserver(() => {
        const said = document.getElementById("announcer")?.textContent;
        if (said && window.said.at(-1) !== said) window.said.push(said);
        const shown = document.querySelector("[data-seconds]")?.textContent;
        if (shown && window.shown.at(-1) !== shown) window.shown.push(shown);
      }).observe(document, { childList: true, subtree: true, characterData: true });`);
    assert.match(await htmlAt(page, server.url + share.sharePath), HELD_BACK);
    await page.locator("button[type=submit]:enabled").waitFor();
    assert.equal(page.url(), server.url + share.sharePath);
    const shown = (await page.evaluate("window.shown")) as string[];
    assert.ok(shown.length > 1 && shown[0] === "3\u00a0seconds", JSON.stringify(shown));
    const said = "Not scanned for malware. You can download the file now.";
    await page.getByRole("status").getByText(said).waitFor({ state: "attached" });
    await soon(async () => assert.deepEqual(await page.evaluate("window.said"), [said]));
    assert.equal(await downloadBy(page, "Download plan.txt"), "the bytes");
  });

  test("a share page and a private link reload themselves without JavaScript when the wait has passed", async () => {
    const open = await upload(server, { name: "plan.txt", bytes: "the bytes" });
    const secret = await uploadProtected(server, { name: "plan.txt", fields: { handoffMessage: "For you." } });
    for (const url of [server.url + open.sharePath, secret.handoffUrl.replace(/^.*(?=\/h\/)/, server.url)]) {
      await using opened = await openPage(browser, { javaScriptEnabled: false });
      const { page } = opened;
      assert.match(await htmlAt(page, url), HELD_BACK);
      await page.locator("button[type=submit]:enabled").waitFor();
      assert.equal(new URL(page.url()).pathname, new URL(url).pathname);
      await soon(async () => assert.equal(await page.locator("blockquote").count(), url.includes("/h/") ? 1 : 0));
      assert.equal(await downloadBy(page, "Download plan.txt"), "the bytes");
    }
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`the wait includes the time before unlocking, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "docs/b.txt"], fields: { protect: "true" } });
      await using opened = await openPage(browser, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      await soon(async () => assert.equal(await page.getByText("You can download in").count(), 0));
      const readyToken = await page.locator("form.unlock [name=ready]").getAttribute("value");
      await page.getByLabel("Code").fill(share.unlockCode ?? "");
      await page.getByRole("button", { name: "Unlock" }).click();
      const all = page.getByRole("button", { name: /^Download all/ });
      await all.waitFor();
      await soon(async () => assert.equal(await page.locator("form.shipment [name=ready]").getAttribute("value"), readyToken));
      if (!javaScriptEnabled) {
        const again = page.getByRole("button", { name: "Refresh" });
        while (await all.isDisabled()) await again.click();
      }
      await page.locator("[data-all]:enabled").waitFor();
      await soon(async () => assert.equal(await page.locator("form.shipment button:disabled").count(), 0));
      const zip = await downloadBy(page, /^Download all/);
      for (const text of ["PK", "a.txt", "docs/b.txt"]) assert.ok(zip.includes(text), text);
    });
  }

  test("the wait continues while a file is scanned", async () => {
    const share = await upload(server, { name: "plan.txt", bytes: "the bytes" });
    await setScanning(server, share.shortId, true);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await page.getByText("Scanning the file").waitFor();
    const asked = () => page.waitForResponse((response) => response.url().includes(`${share.sharePath}?ready=`));
    await asked();
    await asked();
    await soon(async () => assert.equal(await page.getByText("You can download in").count(), 0));
    await setScanning(server, share.shortId, false);
    await page.locator("button[type=submit]:enabled").waitFor();
    await soon(async () => assert.equal(await page.evaluate("document.querySelector('[data-seconds]')"), null));
  });

  test("the sponsor's document cannot run scripts, send forms or navigate the page, and its links open a new tab", async () => {
    const share = await upload(server, { name: "plan.txt", bytes: "the bytes" });
    await using opened = await openPage(browser);
    const { page } = opened;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(server.url + share.sharePath);
    const sponsor = page.getByRole("complementary", { name: TITLE }).frameLocator(`iframe[title="${TITLE}"]`);
    const link = sponsor.getByRole("link", { name: "look" });
    await link.waitFor();
    await soon(async () => assert.match(await page.title(), /^plan\.txt/));
    assert.ok(
      opened.complaints.some((text) => text.startsWith("Blocked script execution")),
      JSON.stringify(opened.complaints),
    );
    await sponsor.getByRole("button", { name: "Send" }).press("Enter");
    const [popup] = await Promise.all([page.context().waitForEvent("page"), link.press("Enter")]);
    await popup.close();
    assert.equal(page.url(), server.url + share.sharePath);
    assert.deepEqual(
      asked.filter((path) => path === "/" || path.startsWith("/api")),
      [],
    );
    assert.ok(
      opened.complaints.some((text) => text.startsWith("Blocked form submission")),
      JSON.stringify(opened.complaints),
    );
    const complaints = opened.complaints.filter((text) => !/^Blocked (?:script execution|form submission)/.test(text));
    assert.deepEqual(complaints, []);
  });

  for (const [colorScheme, surface] of [
    ["light", [255, 255, 255]],
    ["dark", [27, 31, 30]],
  ] as const) {
    test(`${colorScheme}: nothing scrolls sideways on a phone, and the frame has the page's colors`, async () => {
      const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"] });
      await using opened = await openPage(browser, { viewport: { width: 320, height: 640 }, colorScheme });
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      const frame = page.frames().find((one) => one.url().endsWith("/assets/sponsor.html"));
      assert.ok(frame);
      await frame.getByText("Buy ropes").waitFor();
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320));
      const element = page.locator("iframe");
      await element.scrollIntoViewIfNeeded();
      const box = await element.boundingBox();
      assert.ok(box && box.width === 288 && box.height === 160, JSON.stringify(box));
      // On a loaded machine Chromium may have no picture of the page to capture yet.
      const screenshot = await until("the frame is captured", () => element.screenshot());
      assert.deepEqual(await pixelAt(browser, screenshot, { x: 270, y: 30 }), surface);
    });
  }
});

/** Red, green and blue of one pixel of a screenshot. */
async function pixelAt(browser: Browser, png: Buffer, { x, y }: { x: number; y: number }): Promise<unknown> {
  const page = await browser.newPage();
  try {
    return await page.evaluate(`(async () => {
      const blob = await (await fetch("data:image/png;base64,${png.toString("base64")}")).blob();
      const canvas = new OffscreenCanvas(1, 1).getContext("2d");
      canvas.drawImage(await createImageBitmap(blob), -${x}, -${y});
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    })()`);
  } finally {
    await page.close();
  }
}

/** The HTML of the response, before any script changes it. */
async function htmlAt(page: Page, url: string): Promise<string> {
  return (await (await page.goto(url))?.text()) ?? "";
}

async function downloadBy(page: Page, name: string | RegExp): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
  return await readFile(await download.path(), "utf8");
}
