import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { pngOf } from "../../support/formats/images.ts";
import type { TestServer } from "../../support/server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { call, getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { postForm } from "../support/pages/pages.ts";
import {
  choose,
  chosenNames,
  getLink,
  pendingPaths,
  READY,
  readyShares,
  shownShortId,
  textFile,
  whenSent,
} from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { sha256Of } from "../support/servers/state.ts";

const MB = 1024 ** 2;
const PART_NUMBER = /\/up\/[^/]+\/(\d+)/;

/** pages, "One link for everything", "What a device remembers" and "How the page's uploads are repeated"; uploads, "Uploads in parts". */
describeUnless(browserMissing, "uploads from the front page", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    server = await withSender(startPlainServer());
    ({ browser, folder } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Five parts of 1 MB, with different bytes. */
  async function largeFile(name: string): Promise<{ readonly path: string; readonly sha256: string }> {
    const bytes = Buffer.concat(["one", "two", "three", "four", "five"].map((text) => Buffer.alloc(MB, `${name} ${text}`)));
    await writeFile(join(folder, name), bytes);
    return { path: join(folder, name), sha256: createHash("sha256").update(bytes).digest("hex") };
  }

  test("the front page needs less than 45 KB before anything is chosen", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.goto(server.url, { waitUntil: "networkidle" });
    assert.ok(bytes > 10_000 && bytes < 45 * 1024, `${bytes} bytes`);
    assert.deepEqual([...hosts], [new URL(server.url).host]);
  });

  test("several files get one link, which two presses copy", async () => {
    await using opened = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "a.txt", "b.txt");
    await choose(page, "عقد 📄.txt");
    await soon(async () => assert.deepEqual(await chosenNames(page), ["a.txt", "b.txt", "عقد 📄.txt"]));
    await page.getByRole("button", { name: "Remove b.txt" }).click();
    await page.getByText("Options").click();
    await page.selectOption("#ttl", "1h");
    await page.fill("[name=title]", "Two texts");
    await getLink(page);
    const shortId = await whenSent(page);
    await soon(async () => assert.equal(new URL(String(await page.evaluate("navigator.clipboard.readText()"))).pathname, `/d/${shortId}`));
    const { title, files, expires_at } = await share(server, shortId);
    assert.equal(title, "Two texts");
    assert.deepEqual(pathsOf(files), ["a.txt", "عقد 📄.txt"]);
    assert.ok(Date.parse(String(expires_at)) < Date.now() + 61 * 60_000);
    assert.deepEqual(opened.complaints, []);
    await page.goto(server.url);
    await page.locator("#recent").getByRole("link", { name: "Two texts" }).waitFor();
    await readyShares(page).waitFor();
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.locator("#recent").getByRole("button", { name: "Copy link Two texts" }).click();
    await page.locator("#announcer").getByText("Link copied").waitFor({ state: "attached" });
    await soon(async () => assert.equal(new URL(String(await page.evaluate("navigator.clipboard.readText()"))).pathname, `/d/${shortId}`));
    await page.getByRole("button", { name: "Remove from this list: Two texts" }).click();
    await page.locator("#recent").waitFor({ state: "detached" });
    await page.reload();
    await page.locator(".send-choices").waitFor();
    await soon(async () => assert.equal(await page.locator("#recent").count(), 0));
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`the form fits a narrow screen ${javaScriptEnabled ? "with" : "without"} JavaScript, even with text of twice the size`, async () => {
      await using opened = await openPage(browser, { javaScriptEnabled, viewport: { width: 320, height: 640 } });
      const { page } = opened;
      await page.goto(server.url);
      await page.getByText("Options").click();
      if (javaScriptEnabled) await choose(page, `${"a-name-without-end-".repeat(12)}.tar.gz`, "عقد 📄.txt");
      for (const size of ["100%", "200%"]) {
        const width = await page.locator("html").evaluate((html, fontSize) => {
          html.style.fontSize = fontSize;
          return html.scrollWidth;
        }, size);
        assert.equal(width, 320, size);
      }
    });
  }

  test("chosen files are in natural order with pictures of photos, and one bar at the top of the page shows their progress", async () => {
    await using opened = await openPage(browser, { viewport: { width: 390, height: 700 } });
    const { page } = opened;
    await page.goto(server.url);
    const photo = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(pngOf(60, 40)) });
    const svg = { name: "b.svg", mimeType: "image/svg+xml", buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') };
    const texts = Array.from({ length: 12 }, (_, index) => textFile(`c${index}.txt`));
    await page.setInputFiles("#file", [{ ...photo("a10.png"), buffer: Buffer.from(pngOf(61, 40)) }, svg, photo("a2.png"), ...texts]);
    await page.locator("#chosen canvas:visible").nth(1).waitFor();
    await soon(async () => assert.deepEqual((await chosenNames(page)).slice(0, 4), ["a2.png", "a10.png", "b.svg", "c0.txt"]));
    await soon(async () => assert.equal(await page.locator("#chosen canvas").count(), 2));
    const isRed = "(([red]) => red > 200)(document.querySelector('#chosen canvas').getContext('2d').getImageData(5, 5, 1, 1).data)";
    await soon(async () => assert.ok(await page.evaluate(isRed)));
    const held = Promise.withResolvers<void>();
    await page.route("**/api/files/batch", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await getLink(page);
    await page.getByRole("heading", READY).waitFor();
    await page.getByRole("progressbar").waitFor();
    await soon(async () => assert.equal(await page.evaluate("scrollY"), 0));
    held.resolve();
    await whenSent(page);
    assert.deepEqual(opened.complaints, []);
  });

  test("the button below a long list stays in sight, and does not move while the page scrolls", async () => {
    for (const width of [320, 1280]) {
      await using opened = await openPage(browser, { viewport: { width, height: 700 } });
      const { page } = opened;
      await page.goto(server.url);
      await choose(
        page,
        ...Array.from({ length: 300 }, (_, index) => (index % 2 ? `a name that needs two lines on a phone ${index}` : `${index}.txt`)),
      );
      const optionsTop = await page.locator(".send-options").evaluate((options) => options.getBoundingClientRect().top);
      assert.ok(optionsTop < 1000, `the options are at ${optionsTop}`);
      await page.getByRole("button", { name: "Show 294 more" }).click();
      const bottom = "Math.round(document.querySelector('#submit').getBoundingClientRect().bottom)";
      const before = Number(await page.evaluate(bottom));
      assert.ok(before > 0 && before <= 700, `${before}`);
      const after = await page.evaluate(`new Promise((resolve) => {
        scrollTo(0, 1000);
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(${bottom})));
      })`);
      assert.equal(after, before);
    }
  });

  test("the button below the options stays in sight, and covers no field that has the focus", async () => {
    for (const viewport of [
      { width: 320, height: 640 },
      { width: 1280, height: 800 },
    ]) {
      await using opened = await openPage(browser, { viewport });
      const { page } = opened;
      await page.goto(server.url);
      await choose(page, "a.txt", "b.txt", "c.txt");
      await page.getByText("Options").click();
      await page.evaluate("scrollTo(0, 0)");
      for (const field of ["share-title", "share-message", "ttl", "max-downloads", "protect", "encrypt"]) {
        await page.keyboard.press("Tab");
        await soon(async () => assert.equal(await page.evaluate("document.activeElement.id || document.activeElement.name"), field));
        // Browsers may scroll to a field with an animation.
        await page.waitForFunction(`(() => {
          const [button, field] = [document.querySelector(".send-go"), document.activeElement].map((element) => element.getBoundingClientRect());
          return field.bottom <= button.top && button.bottom <= innerHeight + 1;
        })()`);
      }
    }
  });

  test("the keyboard alone removes files, changes settings, gets a link and copies it", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.route("**/api/files/batch", () => undefined);
    await page.goto(server.url);
    await choose(page, "one.txt", "two.txt");
    const focused = () =>
      page.evaluate(
        "document.activeElement.id || document.activeElement.className || document.activeElement.name || document.activeElement.localName",
      );
    const tabTo = async (...stops: string[]) => {
      for (const stop of stops) {
        await page.keyboard.press("Tab");
        await soon(async () => assert.equal(await focused(), stop));
      }
    };
    await tabTo("skip", "brand", "account", "file");
    await soon(async () =>
      assert.equal(await page.evaluate("getComputedStyle(document.activeElement.parentElement).outlineStyle"), "solid"),
    );
    await tabTo("folder", "button small", "button small");
    await page.keyboard.press("Enter");
    await soon(async () => assert.deepEqual(await chosenNames(page), ["two.txt"]));
    await soon(async () => assert.match(String(await page.evaluate("document.activeElement.textContent")), /Remove\s+two\.txt/));
    await tabTo("summary");
    await page.keyboard.press("Enter");
    await tabTo("share-title", "share-message", "ttl", "max-downloads", "protect", "encrypt", "submit");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", READY).waitFor();
    await page.getByRole("button", { name: /^(Copy link|Link copied)$/ }).waitFor();
    await soon(async () => assert.match(String(await page.evaluate("document.activeElement.textContent")), /^(Copy link|Link copied)$/));
    await page.keyboard.press("Shift+Tab");
    await soon(async () => assert.equal(await focused(), "link"));
  });

  test("one press copies the link with its code on the page of the share", async () => {
    await using opened = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "a.txt");
    await page.getByText("Options").click();
    await page.getByLabel("Code").check();
    await getLink(page);
    const shortId = await whenSent(page);
    await page.getByText("Only this device can show this again.").waitFor();
    await soon(async () => assert.equal(new URL(String(await page.evaluate("navigator.clipboard.readText()"))).pathname, `/d/${shortId}`));
    await page.getByRole("button", { name: "Copy link and code" }).click();
    await page.getByRole("button", { name: "Link and code copied" }).waitFor();
    const link = (await page.locator("#link").getAttribute("href")) ?? "";
    const code = (await page.locator("#sender-code").textContent()) ?? "";
    await soon(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), `${link}\nCode: ${code}`));
    // The clipboard has more than the link.
    await page.getByRole("button", { name: "Copy link", exact: true }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("a browser that cannot remember a code asks before it is lost", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.addInitScript("Object.defineProperty(window, 'indexedDB', { value: undefined })");
    await page.goto(server.url);
    await choose(page, "a.txt");
    await page.getByText("Options").click();
    await page.getByLabel("Code").check();
    await getLink(page);
    await page.getByText("This is shown only now: save it.").waitFor();
    const asked = Promise.withResolvers<string>();
    page.once("dialog", async (dialog) => {
      await dialog.dismiss();
      asked.resolve(dialog.type());
    });
    await page.getByRole("link", { name: "Continue to the share page" }).click({ noWaitAfter: true });
    assert.equal(await asked.promise, "beforeunload");
    await page.getByRole("button", { name: "Copy link and code" }).click();
    await page.getByRole("link", { name: "Continue to the share page" }).click();
    await whenSent(page);
  });

  test("dropped files and folders keep their structure", async () => {
    await mkdir(join(folder, "trip/days/empty"), { recursive: true });
    for (const path of ["trip/plan.txt", "trip/days/one.txt", "trip/days/two.txt"]) await writeFile(join(folder, path), path);
    await writeFile(join(folder, "alone.txt"), "alone");
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await page.locator(".send-choices").waitFor();
    await drop(page, join(folder, "trip"), join(folder, "alone.txt"));
    await page.getByText("4 files, ").waitFor();
    await getLink(page);
    const { files } = await share(server, await whenSent(page));
    assert.deepEqual(pathsOf(files), ["alone.txt", "trip/days/one.txt", "trip/days/two.txt", "trip/plan.txt"]);
    assert.deepEqual(opened.complaints, []);
  });

  test("a chosen folder keeps its structure", async () => {
    await mkdir(join(folder, "album/inner"), { recursive: true });
    for (const path of ["album/a.txt", "album/inner/b.txt"]) await writeFile(join(folder, path), path);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await page.setInputFiles("#folder", join(folder, "album"));
    await getLink(page);
    const { files } = await share(server, await whenSent(page));
    assert.deepEqual(pathsOf(files), ["album/a.txt", "album/inner/b.txt"]);
  });

  test("a pasted text is sent as a file, and so is a typed one", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await page.locator(".send-choices").waitFor();
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "console.log('<b>');");
      dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
    }`);
    await page.getByLabel("File name").fill("snippet.js");
    await getLink(page);
    const { files } = await share(server, await whenSent(page));
    assert.deepEqual(pathsOf(files), ["snippet.js"]);
    await page.goto(server.url);
    await page.getByRole("button", { name: "Write text" }).click();
    await page.keyboard.type("Hello");
    await getLink(page);
    assert.deepEqual(pathsOf((await share(server, await whenSent(page))).files), ["note.txt"]);
  });

  test("hostile and long names are shown and stored as text", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const names = [
      "<img src=x onerror=document.title='evil'>.txt",
      "\u202egnp.exe",
      "👩‍👩‍👧‍👦 family.txt",
      "שלום עולם.txt",
      `${"é".repeat(125)}.txt`,
      'a"b.txt',
    ];
    await page.goto(server.url);
    await choose(page, ...names);
    await soon(async () => assert.equal(await page.locator("#chosen li").count(), names.length));
    await getLink(page);
    const { files } = await share(server, await whenSent(page));
    assert.equal((files as unknown[]).length, names.length);
    await soon(async () => assert.doesNotMatch(await page.title(), /evil/));
    assert.deepEqual(opened.complaints, []);
  });

  test("files with the same name get different paths, and the same file is chosen only once", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await mkdir(join(folder, "one"), { recursive: true });
    await mkdir(join(folder, "two"), { recursive: true });
    await writeFile(join(folder, "one/same.txt"), "first");
    await writeFile(join(folder, "two/same.txt"), "the second");
    for (const path of ["one/same.txt", "two/same.txt", "one/same.txt"]) await page.setInputFiles("#file", join(folder, path));
    await soon(async () => assert.deepEqual(await chosenNames(page), ["same.txt", "same (2).txt"]));
  });

  test("a file that the server refuses can be sent again, and the others are sent", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const large = await largeFile("refused.bin");
    const refuse = (route: Route) => route.fulfill({ status: 507, contentType: "application/json", body: '{"error":"The disk is full."}' });
    await page.route("**/multipart/init", refuse);
    await page.goto(server.url);
    await choose(page, "good.txt");
    await page.setInputFiles("#file", large.path);
    await getLink(page);
    await page.getByRole("alert").getByText("1 file was not sent. The disk is full.").waitFor();
    await page.getByRole("heading", { name: "Not everything was sent" }).waitFor();
    await soon(async () => assert.equal(await page.getByRole("link", { name: "Continue to the share page" }).count(), 1));
    const shortId = await shownShortId(page);
    assert.deepEqual(pathsOf((await share(server, shortId)).files), ["good.txt"]);
    await page.unroute("**/multipart/init", refuse);
    await page.getByRole("button", { name: "Try again" }).click();
    assert.equal(await whenSent(page), shortId);
    assert.deepEqual(pathsOf((await share(server, shortId)).files), ["good.txt", "refused.bin"]);
  });

  test("an upload without sent bytes leads to no share page, and the keyboard tries again", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const refuse = (route: Route) => route.fulfill({ status: 507, contentType: "application/json", body: '{"error":"The disk is full."}' });
    await page.route("**/api/files/batch", refuse);
    await page.goto(server.url);
    await choose(page, "a.txt", "b.txt");
    await getLink(page);
    await page.getByRole("heading", { name: "Nothing was sent" }).waitFor();
    await page.getByRole("alert").getByText("2 files were not sent. The disk is full.").waitFor();
    await soon(async () => assert.equal(await page.getByText("The disk is full.").count(), 1));
    await soon(async () => assert.equal(await page.getByRole("link", { name: "Continue to the share page" }).count(), 0));
    await page.unroute("**/api/files/batch", refuse);
    await page.getByRole("button", { name: "Try again" }).focus();
    await page.keyboard.press("Enter");
    await whenSent(page);
  });

  test("the list of sent shares asks the server once for each share", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    for (const name of ["one.txt", "two.txt"]) {
      await page.goto(server.url);
      await choose(page, name);
      await getLink(page);
      await whenSent(page);
    }
    const asked: string[] = [];
    await page.goto("about:blank");
    page.on("request", (request) => new URL(request.url()).pathname.startsWith("/api/") && asked.push(request.method()));
    await page.goto(server.url);
    await readyShares(page).nth(1).waitFor();
    assert.deepEqual(asked, ["PATCH", "PATCH"]);
  });

  test("the page waits as long as the server requests when it sends too many files", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    let posts = 0;
    await page.route("**/api/files/batch", (route) => {
      posts += 1;
      return posts === 1 ? route.fulfill({ status: 429, headers: { "Retry-After": "1" }, body: "{}" }) : route.continue();
    });
    await page.goto(server.url);
    await choose(page, "hasty.txt");
    await getLink(page);
    await page.getByText("Too many requests; waiting.").first().waitFor();
    await whenSent(page);
    assert.equal(posts, 2);
  });

  test("a large file is sent in parts over a connection that breaks", async () => {
    const file = await largeFile("breaks.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    let broken = 0;
    await page.route(PART_NUMBER, async (route) => {
      if (partOf(route.request().url()) !== 2 || broken === 2) return await route.continue();
      broken += 1;
      return await route.abort("connectionreset");
    });
    await page.goto(server.url);
    await page.setInputFiles("#file", file.path);
    await page.getByText("Options").click();
    await page.getByLabel("Code").check();
    await getLink(page);
    const path = `/d/${await whenSent(page)}/unlock`;
    assert.equal(broken, 2);
    // The digest of a protected share is shown after unlocking.
    const unlockCode = (await page.locator("#sender-code").textContent()) ?? "";
    await until("the digest is known", async () => (await postForm(server, path, { unlockCode })).html.includes(file.sha256));
  });

  test("a large upload continues after the page was closed and sends only the missing parts", async () => {
    const file = await largeFile("resumes.bin");
    const other = await largeFile("other.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    const hold = (route: Route) => (partOf(route.request().url()) === 1 ? route.continue() : undefined);
    await page.route(PART_NUMBER, hold);
    await page.goto(server.url);
    await page.setInputFiles("#file", file.path);
    const arrived = page.waitForResponse((response) => partOf(response.url()) === 1);
    await getLink(page);
    assert.equal((await arrived).status(), 200);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(server.url);
    await page.unroute(PART_NUMBER, hold);
    const sent: (number | undefined)[] = [];
    page.on("request", (request) => PART_NUMBER.test(request.url()) && sent.push(partOf(request.url())));
    await page.locator("#recent").getByText("Not finished: 1 file, ").waitFor();
    await page.getByLabel("Choose the same file to continue").setInputFiles(other.path);
    await page.getByRole("alert").getByText("That is not the same file.").waitFor();
    await page.getByLabel("Choose the same file to continue").setInputFiles(file.path);
    const shortId = await whenSent(page);
    assert.deepEqual(sent.toSorted(), [2, 3, 4, 5]);
    assert.equal(await sha256Of(server, shortId), file.sha256);
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
  });

  test("several files get one link without JavaScript, with the settings after the file field", async () => {
    await using opened = await openPage(browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "plain.txt", "two.txt", "three.txt");
    await page.getByText("Options").click();
    await page.selectOption("#ttl", "1h");
    await page.getByLabel("Code").check();
    await getLink(page);
    await page.getByRole("heading", READY).waitFor();
    await page.getByText("3 files").waitFor();
    const unlockCode = (await page.locator("[id^=unlock-code-]").textContent()) ?? "";
    const deletionUrl = (await page.locator("[id^=deletion-url-]").textContent()) ?? "";
    const shortId = await shownShortId(page);
    const { unlockRequired, expires_at } = await share(server, shortId);
    assert.equal(unlockRequired, true);
    assert.ok(Date.parse(String(expires_at)) < Date.now() + 61 * 60_000);
    const { html } = await postForm(server, `/d/${shortId}/unlock`, { unlockCode });
    for (const text of ["plain", "two", "three"]) assert.ok(html.includes(text), text);
    await page.goto(deletionUrl);
    await page.getByRole("button").click();
    await until("the share is gone", async () => (await call(server, "GET", `/api/files/share/${shortId}`)).status === 404);
  });
});

const partOf = (url: string): number | undefined => {
  const [, number] = PART_NUMBER.exec(url) ?? [];
  return number === undefined ? undefined : Number(number);
};

async function share(server: TestServer, shortId: string): Promise<Readonly<Record<string, unknown>>> {
  const share = await getShare(server, shortId);
  return share;
}

/** The paths of a shipment's files, sorted. */
const pathsOf = (files: unknown): readonly string[] =>
  (files as { readonly name: string; readonly relativePath: string | null }[])
    .map(({ name, relativePath }) => relativePath ?? name)
    .toSorted();

/** Drops files and folders of the disk on the page. */
async function drop(page: Page, ...paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
}
