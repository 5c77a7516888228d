import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser, Page, Request } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { reservePort } from "../../support/network/free-ports.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { signedUrl, upload } from "../support/api/api.ts";
import { setScanning, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const CODE = "Code";

/** sharing, "Protection"; pages, "What is left after a download". */
describeUnless(browserMissing, "pages of shares in a browser", () => {
  let browser: Browser;
  let server: ServerWith<"owner">;
  before(async () => {
    // `FILEHOST_CONTENT_URL` contains the port, so it must be known before the start.
    const port = await reservePort();
    server = await withAccounts(
      startPlainServer({
        FILEHOST_LISTEN: `127.0.0.1:${port}`,
        FILEHOST_URL: `http://127.0.0.1:${port}`,
        FILEHOST_CONTENT_URL: `http://localhost:${port}`,
      }),
      { owner: {} },
    );
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
  });

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with JavaScript, in place" : "without JavaScript";

    test(`${how}: a wrong code is refused, the right code unlocks, and the file downloads`, async () => {
      const share = await uploadProtected(server, { name: "plan.txt" });
      await using opened = await openPage(browser, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      await page.getByLabel(CODE).fill("000-000");
      await page.getByRole("button", { name: "Unlock" }).click();
      await page.locator("#unlock-problem").getByText("Wrong code").waitFor();
      await soon(async () =>
        assert.equal(await page.getByLabel(CODE).evaluate((field) => field === field.ownerDocument.activeElement), true),
      );
      await page.getByLabel(CODE).fill(` ${share.unlockCode.toLowerCase()}`);
      await page.getByRole("button", { name: "Unlock" }).click();
      assert.equal(await downloadBy(page, "Download plan.txt"), "the bytes");
      assert.equal(new URL(page.url()).pathname, javaScriptEnabled ? share.sharePath : `${share.sharePath}/unlock`);
      assert.deepEqual(await page.context().cookies(), []);
      if (javaScriptEnabled) await page.getByRole("status").getByText("Your download is starting.").waitFor({ state: "attached" });
    });

    test(`${how}: a shipment downloads file by file and as one archive`, async () => {
      const share = await uploadShipment(server, {
        key: server.owner.key,
        paths: ["a.txt", "docs/b.txt", "docs/c.txt"],
        fields: { protect: "true" },
      });
      await using opened = await openPage(browser, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      await soon(async () => assert.equal(await page.getByRole("button", { name: /^Download/ }).count(), 0));
      await page.getByLabel(CODE).fill(share.unlockCode ?? "");
      await page.getByLabel(CODE).press("Enter");
      assert.equal(await downloadBy(page, "Download b.txt"), "bytes of docs/b.txt");
      const zip = await downloadBy(page, /^Download all/);
      for (const text of ["PK", "a.txt", "docs/b.txt", "bytes of docs/c.txt"]) assert.ok(zip.includes(text), text);
    });
  }

  test("a private link downloads, and its token is sent to no other host", async () => {
    const share = await uploadProtected(server, { name: "deal.txt", fields: { handoffMessage: "Hi,\nhere it is." } });
    await using opened = await openPage(browser);
    const { page } = opened;
    const requests: Request[] = [];
    page.on("request", (request) => requests.push(request));
    await page.goto(share.handoffUrl);
    const message = page.getByRole("blockquote");
    await soon(async () => assert.equal(await message.textContent(), "Hi,\nhere it is."));
    await soon(async () =>
      assert.match(await message.evaluate("getComputedStyle(document.querySelector('blockquote')).whiteSpace"), /pre-wrap/),
    );
    assert.equal(await downloadBy(page, "Download deal.txt"), "the bytes");
    const elsewhere = requests.filter((request) => request.url().startsWith("http://localhost:"));
    assert.ok(elsewhere.length > 0);
    const token = new URL(share.handoffUrl).pathname.slice("/h/".length);
    for (const request of elsewhere) {
      assert.ok(!request.url().includes(token));
      assert.ok(!Object.values(await request.allHeaders()).some((value) => value.includes(token)));
    }
    assert.deepEqual(opened.complaints, []);
  });

  test("a locked page that reloads during a scan keeps the typed text and the focus", async () => {
    const share = await uploadProtected(server);
    await setScanning(server, share.shortId, true);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await page.getByText("Scanning the file").waitFor();
    await page.getByLabel(CODE).pressSequentially(share.unlockCode.slice(0, 3));
    await setScanning(server, share.shortId, false);
    await page.locator("#main .state").waitFor({ state: "detached" });
    await page.keyboard.type(share.unlockCode.slice(3));
    await soon(async () => assert.equal(await page.getByLabel(CODE).inputValue(), share.unlockCode));
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Download note.txt" }).waitFor();
  });

  /** pages, "A protected share does not show what it contains". */
  test("a wrong code stays selected in its field, with the error below the field", async () => {
    const share = await uploadProtected(server);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await page.getByRole("heading", { name: "Protected file", exact: true }).waitFor();
    const wrong = share.unlockCode.startsWith("A") ? "BBBBBB" : "AAAAAA";
    await page.getByLabel(CODE).fill(wrong);
    await page.keyboard.press("Enter");
    const problem = page.locator("#unlock-code + .field-error");
    await problem.getByText("Wrong code. Check it and try again.").waitFor();
    await soon(async () => assert.equal(await page.getByLabel(CODE).inputValue(), wrong));
    await page.keyboard.type(share.unlockCode);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "note.txt" }).waitFor();
  });

  /** pages, "The page of a share". */
  test("a button says that its download has started, then what it does, with the same width", async () => {
    const share = await upload(server, { bytes: "the bytes" });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.clock.install();
    await page.goto(server.url + share.sharePath);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const button = page.locator("form.download button[type=submit]");
    await button.waitFor();
    const width = (await button.boundingBox())?.width;
    assert.ok(width);
    assert.equal(await downloadBy(page, "Download note.txt"), "the bytes");
    await page.getByRole("button", { name: "Download started", exact: true }).waitFor();
    await soon(async () => assert.equal((await button.boundingBox())?.width, width));
    await page.clock.runFor(10_000);
    await page.getByRole("button", { name: "Download note.txt", exact: true }).waitFor();
    await soon(async () => assert.equal(await button.isEnabled(), true));
  });

  test("an unlocked page that reloads during a scan stays unlocked and offers the download after it", async () => {
    const share = await uploadProtected(server);
    await setScanning(server, share.shortId, true);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await page.getByLabel(CODE).fill(share.unlockCode);
    await page.getByRole("button", { name: "Unlock" }).click();
    const button = page.getByRole("button", { name: "Download note.txt" });
    await button.waitFor();
    await soon(async () => assert.equal(await button.isDisabled(), true));
    await soon(async () => assert.equal(await page.getByRole("button", { name: "Refresh" }).isVisible(), false));
    const asked = page.waitForResponse((response) => response.url().endsWith("/unlock"));
    await asked;
    await soon(async () => assert.equal(await button.isDisabled(), true));
    await setScanning(server, share.shortId, false);
    await until("the download is offered", () => button.isEnabled());
    assert.equal(await downloadBy(page, "Download note.txt"), "the bytes");
  });

  test("an unlocked page without JavaScript is refreshed by a button and stays unlocked", async () => {
    const share = await uploadProtected(server);
    await setScanning(server, share.shortId, true);
    await using opened = await openPage(browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await page.getByLabel(CODE).fill(share.unlockCode);
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("button", { name: "Refresh" }).waitFor();
    await soon(async () => assert.equal(await page.locator("meta[http-equiv=refresh]").count(), 0));
    await setScanning(server, share.shortId, false);
    await page.getByRole("button", { name: "Refresh" }).click();
    assert.equal(await downloadBy(page, "Download note.txt"), "the bytes");
  });

  test("the page of a private link offers the download automatically after the scan", async () => {
    const share = await uploadProtected(server);
    await setScanning(server, share.shortId, true);
    await using opened = await openPage(browser);
    await opened.page.goto(share.handoffUrl);
    const button = opened.page.getByRole("button", { name: "Download note.txt" });
    await soon(async () => assert.equal(await button.isDisabled(), true));
    await setScanning(server, share.shortId, false);
    await until("the download is offered", () => button.isEnabled());
    assert.equal(await downloadBy(opened.page, "Download note.txt"), "the bytes");
  });

  for (const isProtected of [false, true]) {
    test(`${isProtected ? "an unlocked page" : "the page"} shows after each download the number of remaining ones`, async () => {
      const fields = { maxDownloads: "2" };
      const share = isProtected ? await uploadProtected(server, { fields }) : await upload(server, { bytes: "the bytes", fields });
      const code = "unlockCode" in share ? String(share.unlockCode) : undefined;
      await using opened = await openPage(browser);
      const { page } = opened;
      await page.goto(server.url + share.sharePath);
      await page.getByText("2 downloads left.", { exact: true }).waitFor();
      if (code !== undefined) {
        await page.getByLabel(CODE).fill(code);
        await page.getByRole("button", { name: "Unlock" }).click();
      }
      assert.equal(await downloadBy(page, "Download note.txt"), "the bytes");
      await page.locator("#main").getByText("1 download left.", { exact: true }).waitFor();
      const button = page.getByRole("button", { name: "Download note.txt" });
      await soon(async () => assert.equal(await button.isEnabled(), true));
      assert.equal(await downloadBy(page, "Download note.txt"), "the bytes");
      await page.getByText("Your download has started. No downloads left.", { exact: true }).first().waitFor();
      await soon(async () =>
        assert.equal(await page.locator("#main").getByText("Your download has started.").filter({ visible: true }).count(), 1),
      );
      await soon(async () => assert.equal(await button.isDisabled(), true));
      await soon(async () => assert.equal(await page.getByRole("heading", { name: "note.txt" }).count(), 1));
    });
  }

  test("a download from a shipment changes only the count of its file", async () => {
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"], fields: { maxDownloads: "3" } });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    assert.equal(await downloadBy(page, "Download b.txt"), "bytes of b.txt");
    await page.getByText("2 downloads left").waitFor();
    await soon(async () => assert.equal(await page.getByText("3 downloads left").count(), 1));
  });

  test("going back to a page updates the number of downloads left", async () => {
    const share = await upload(server, { bytes: "the bytes", fields: { maxDownloads: "3" } });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    await page.getByText("3 downloads left.").waitFor();
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }))");
    await signedUrl(server, share.id);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await page.locator("#main").getByText("2 downloads left.").waitFor();
  });

  test("a page that polls a busy server waits as long as Retry-After says", async () => {
    const share = await upload(server, { bytes: "the bytes" });
    await setScanning(server, share.shortId, true);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.clock.install();
    await page.goto(server.url + share.sharePath);
    await page.getByText("Scanning the file").waitFor();
    let asked = 0;
    await page.route(server.url + share.sharePath, async (route) => {
      asked += 1;
      await (asked > 1 ? route.continue() : route.fulfill({ status: 503, headers: { "Retry-After": "300" }, body: "" }));
    });
    await setScanning(server, share.shortId, false);
    const refused = page.waitForResponse((response) => response.status() === 503);
    await until("the server is asked", async () => {
      await page.clock.runFor(1000);
      return asked === 1;
    });
    await refused;
    for (let seconds = 0; seconds < 280; seconds += 10) {
      await page.clock.runFor(10_000);
      // A request that a timer has started is sent before the response to this one.
      await page.evaluate("fetch(document.querySelector('script').src).then((response) => response.status)");
      assert.equal(asked, 1, `after ${seconds} s`);
    }
    await until("the download is offered", async () => {
      await page.clock.runFor(10_000);
      return await page.getByRole("button", { name: "Download note.txt" }).isEnabled();
    });
    assert.equal(asked, 2);
  });

  test("the focus stays in the page's content after a download by keyboard, and the count is announced", async () => {
    const share = await upload(server, { bytes: "the bytes", fields: { maxDownloads: "3" } });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    const button = page.getByRole("button", { name: "Download note.txt" });
    for (const left of ["2 downloads left.", "1 download left."]) {
      await button.focus();
      await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
      await page.locator("#announcer").getByText(left, { exact: true }).waitFor({ state: "attached" });
      await soon(async () => assert.equal(await page.evaluate("document.getElementById('main').contains(document.activeElement)"), true));
      await page.keyboard.press("Tab");
      await soon(async () => assert.equal(await button.evaluate((element) => element === document.activeElement), true));
    }
  });

  test("the keyboard alone unlocks and downloads", async () => {
    const share = await uploadProtected(server);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url + share.sharePath);
    const focused = () => page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName");
    for (const stop of ["skip", "brand", "account", "unlock-code"]) {
      await page.keyboard.press("Tab");
      await soon(async () => assert.equal(await focused(), stop));
    }
    await soon(async () => assert.equal(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "solid"));
    await page.keyboard.type(share.unlockCode);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Download note.txt" }).waitFor();
    await soon(async () => assert.equal(await focused(), "main"));
    await page.keyboard.press("Tab");
    await soon(async () => assert.equal(await page.evaluate("document.activeElement.tagName"), "IFRAME"));
    await page.keyboard.press("Tab");
    await soon(async () => assert.match(await page.evaluate("document.activeElement.textContent"), /Download/));
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    assert.equal(await readFile(await download.path(), "utf8"), "the bytes");
  });

  test("all controls have names and a minimum size, there is one heading, ids are unique, and nothing scrolls sideways", async () => {
    const long = `${"a-name-without-end-".repeat(9)}.txt`;
    const files = await uploadShipment(server, {
      key: server.owner.key,
      paths: ["a.txt", `${"deep-folder/".repeat(8)}${long}`],
      fields: { maxDownloads: "3" },
    });
    const locked = await uploadProtected(server, { name: long, fields: { handoffMessage: "https://example.org/".padEnd(400, "x") } });
    await using opened = await openPage(browser, { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    for (const url of [server.url + files.sharePath, server.url + locked.sharePath, locked.handoffUrl]) {
      await page.goto(url);
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320, url));
      await soon(async () => assert.equal(await page.locator("h1").count(), 1));
      await soon(async () => assert.deepEqual(await page.evaluate(NAMELESS), [], url));
      await soon(async () => assert.deepEqual(await page.evaluate(TWICE), [], url));
      await soon(async () => assert.deepEqual(await page.evaluate(DANGLING), [], url));
      await soon(async () => assert.deepEqual(await page.evaluate(SMALL), [], url));
    }
    assert.deepEqual(opened.complaints, []);
  });
});

const NAMELESS = `[...document.querySelectorAll("button, a, input:not([type=hidden])")].filter((e) => !(e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)`;
const TWICE = `[...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, index, all) => all.indexOf(id) !== index)`;
const DANGLING = `[...document.querySelectorAll("[aria-describedby], [for]")].flatMap((e) => (e.getAttribute("aria-describedby") ?? e.htmlFor).split(" ")).filter((id) => !document.getElementById(id))`;
const SMALL = `[...document.querySelectorAll("button, summary, .code")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 43.9).map((e) => e.outerHTML)`;

async function downloadBy(page: Page, name: string | RegExp): Promise<string> {
  const button = page.getByRole("button", { name });
  await button.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return await readFile(await download.path(), "utf8");
}
