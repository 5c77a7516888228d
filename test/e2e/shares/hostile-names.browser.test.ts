import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import type { TestServer } from "../../support/server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { choose, getLink, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { addFile, openShipment } from "../support/uploads/sent-shipments.ts";

/** A name that tries to be markup, to run a script or to mislead → what a page shows. */
const NAMES: Readonly<Record<string, string>> = {
  "<img src=x onerror=alert(1)>.txt": "<img src=x onerror=alert(1)>.txt",
  '"><svg onload=alert(1)>.txt': '"><svg onload=alert(1)>.txt',
  "photo\u202egpj.txt": "photogpj.txt",
  "\u2066invoice\u2069\u200b.txt": "invoice.txt",
  "صورة الميناء عند الغروب.txt": "صورة الميناء عند الغروب.txt",
  "👩‍👩‍👧 holiday 🌅.txt": "👩‍👩‍👧 holiday 🌅.txt",
  [`${"é".repeat(125)}x.txt`]: `${"é".repeat(77)}…${"é".repeat(37)}x.txt`,
};
const TITLE = `"><img src=x onerror=alert(1)>\u202egpj`;

/** pages, "The sender's bar"; previews, "Previews of shipments". */
describeUnless(browserMissing, "hostile names in a browser", () => {
  let browser: Browser;
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
  });

  /** The message boxes that scripts have opened, and the hosts that the page has asked. */
  function watch(page: Page) {
    const boxes: string[] = [];
    const hosts = new Set<string>();
    page.on("dialog", (box) => {
      boxes.push(box.message());
      void box.dismiss();
    });
    page.context().on("request", (request) => hosts.add(new URL(request.url()).host));
    return () => assert.deepEqual([boxes, [...hosts].every((host) => host.endsWith(`:${new URL(server.url).port}`))], [[], true]);
  }

  test("are text in the dialog of previews, where the extension is visible at the end", async () => {
    const shipment = await openShipment(server);
    for (const name of Object.keys(NAMES)) await addFile(server, shipment, name, "text");
    await using opened = await openPage(browser, { viewport: { width: 390, height: 800 } });
    const { page } = opened;
    const assertNothingRan = watch(page);
    await page.goto(server.url + shipment.sharePath);
    await page.locator("[data-ready] [data-preview]").first().click();
    const shown: string[] = [];
    const count = Object.keys(NAMES).length;
    for (let number = 1; number <= count; number += 1) {
      await page.getByText(`${number} of ${count}`).waitFor();
      const heading = page.locator("dialog h2");
      const text = (await heading.textContent()) ?? "";
      shown.push(text);
      await soon(async () => assert.equal(await heading.getAttribute("aria-label"), text));
      await soon(async () => assert.equal(await heading.locator(":not(bdi)").count(), 0));
      const [name, extension] = await Promise.all(["h2", ".ext"].map((part) => page.locator(`dialog ${part}`).boundingBox()));
      assert.ok(name && extension && extension.x >= name.x && extension.x + extension.width <= name.x + name.width + 1, text);
      await page.keyboard.press("ArrowRight");
    }
    assert.deepEqual(shown.toSorted(), Object.values(NAMES).toSorted());
    assertNothingRan();
    assert.deepEqual(opened.complaints, []);
  });

  test("and hostile titles are text beside the sender's bar, in its settings and on the front page", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const assertNothingRan = watch(page);
    await page.goto(server.url);
    await choose(page, ...Object.keys(NAMES));
    await getLink(page);
    await whenSent(page);
    const bar = page.getByRole("region", { name: "Your share" });
    await bar.getByRole("button", { name: "Edit", exact: true }).click();
    const field = page.locator("#edit-title");
    await field.fill(TITLE);
    await field.blur();
    await page.getByRole("heading", { level: 1, name: '"><img src=x onerror=alert(1)>gpj' }).waitFor();
    await soon(async () => assert.equal(await page.title(), '"><img src=x onerror=alert(1)>gpj – filehost'));
    await soon(async () =>
      assert.deepEqual((await page.locator("#entries .name").allTextContents()).toSorted(), Object.values(NAMES).toSorted()),
    );
    await page.reload();
    await bar.getByText("You sent this.").waitFor();
    await soon(async () => assert.equal(await page.locator("img[src=x], svg[onload]").count(), 0));
    await page.goto(server.url);
    await page.getByText('"><img src=x onerror=alert(1)>').first().waitFor();
    await soon(async () => assert.equal(await page.locator("img[src=x], svg[onload]").count(), 0));
    assertNothingRan();
    assert.deepEqual(opened.complaints, []);
  });
});
