import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../support/browser.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { call, getShare } from "./support/api.ts";
import { postForm } from "./support/pages.ts";
import { startPlainServer } from "./support/plain-server.ts";

const MB = 1024 ** 2;
const PART_NUMBER = /\/up\/[^/]+\/(\d+)/;
const READY = "Your link is ready";

/** pages, "How the page's uploads are repeated"; uploads, "Uploads in parts": the front page. */
describe("uploads from the front page", { skip: browserMissing }, () => {
  let browser: Browser;
  let server: TestServer;
  let folder: string;
  before(async () => {
    server = await startPlainServer();
    browser = await launchBrowser();
    folder = await mkdtemp(join(tmpdir(), "filehost-chosen-"));
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Three parts of the default 16 MB, with different bytes. */
  async function largeFile(name: string): Promise<{ readonly path: string; readonly sha256: string }> {
    const bytes = Buffer.concat(["one", "two", "three"].map((text, index) => Buffer.alloc(index === 2 ? MB : 16 * MB, `${name} ${text}`)));
    await writeFile(join(folder, name), bytes);
    return { path: join(folder, name), sha256: createHash("sha256").update(bytes).digest("hex") };
  }

  test("one of several chosen files can be removed, and the others get links that are copied together", async () => {
    await using opened = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "a.txt", "b.txt");
    await choose(page, "عقد 📄.txt");
    assert.deepEqual(await page.locator("#chosen .name").allTextContents(), ["a.txt", "b.txt", "عقد 📄.txt"]);
    await page.getByRole("button", { name: "Remove b.txt" }).click();
    await page.selectOption("#ttl", "1h");
    await page.getByRole("button", { name: "Upload 2 files" }).click();
    await page.getByRole("heading", { name: "2 links are ready", level: 1 }).waitFor();
    assert.equal(await page.locator("h1").count(), 1);
    await page.getByRole("status").getByText("Uploaded. 2 links are ready.").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Copy all" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const links = String(await page.evaluate("navigator.clipboard.readText()")).split("\n");
    const shares = await Promise.all(links.map((link) => share(server, new URL(link).pathname.slice("/d/".length))));
    assert.deepEqual(
      shares.map(({ name }) => name),
      ["a.txt", "عقد 📄.txt"],
    );
    for (const { expires_at } of shares) assert.ok(Date.parse(String(expires_at)) < Date.now() + 61 * 60_000);
    assert.deepEqual(opened.complaints, []);
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`the form fits a narrow screen ${javaScriptEnabled ? "with" : "without"} JavaScript, even with text of twice the size`, async () => {
      await using opened = await openPage(browser, { javaScriptEnabled, viewport: { width: 320, height: 640 } });
      const { page } = opened;
      await page.goto(server.url);
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

  test("the keyboard alone removes files, changes settings, uploads and reaches the link", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "one.txt", "two.txt");
    const focused = () => page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.name");
    const tabTo = async (...stops: string[]) => {
      for (const stop of stops) {
        await page.keyboard.press("Tab");
        assert.equal(await focused(), stop);
      }
    };
    await tabTo("skip", "brand", "file");
    assert.equal(await page.evaluate("getComputedStyle(document.getElementById('drop')).outlineStyle"), "solid");
    await tabTo("button small");
    await page.keyboard.press("Enter");
    assert.deepEqual(await page.locator("#chosen .name").allTextContents(), ["two.txt"]);
    assert.match(String(await page.evaluate("document.activeElement.textContent")), /Remove\s+two\.txt/);
    await tabTo("ttl", "once", "protect", "submit");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: READY }).waitFor();
    assert.equal(await focused(), "main");
    await page.keyboard.press("Tab");
    assert.match(String(await focused()), /^link-/);
  });

  test("dropped files are chosen", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File(["dropped"], "dropped.txt"));
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    }`);
    assert.deepEqual(await page.locator("#chosen .name").allTextContents(), ["dropped.txt"]);
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    await page.getByRole("heading", { name: READY }).waitFor();
  });

  test("a refused file stays in the form to be sent again, and the links of the others are shown", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "good.txt", "bad.txt");
    const refuse = (route: Route) =>
      route.request().postData()?.includes("bad.txt")
        ? route.fulfill({ status: 507, contentType: "text/html", body: "<p data-message>The disk is full.</p>" })
        : route.continue();
    await page.route(`${server.url}/`, refuse);
    await page.getByRole("button", { name: "Upload 2 files" }).click();
    await page.getByRole("alert").getByText("“bad.txt”: The disk is full.").waitFor();
    assert.deepEqual(await page.locator("#chosen .name").allTextContents(), ["bad.txt"]);
    await page.getByRole("heading", { name: "Your link is ready", level: 2 }).waitFor();
    await page.getByRole("button", { name: "Copy link" }).waitFor();
    await page.unroute(`${server.url}/`, refuse);
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    await page.getByRole("heading", { name: "2 links are ready", level: 1 }).waitFor();
  });

  test("the page waits as long as the server asks when it sends too many files", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    let posts = 0;
    await page.route(`${server.url}/`, (route) => {
      if (route.request().method() !== "POST") return route.continue();
      posts += 1;
      return posts === 1 ? route.fulfill({ status: 429, headers: { "Retry-After": "1" }, body: "{}" }) : route.continue();
    });
    await page.goto(server.url);
    await choose(page, "hasty.txt");
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    await page.getByText("Too many requests; waiting.").first().waitFor();
    await page.getByRole("heading", { name: READY }).waitFor();
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
    await page.check("[name=once]");
    await page.check("[name=protect]");
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    await page.getByRole("heading", { name: READY }).waitFor({ timeout: 60_000 });
    assert.equal(broken, 2);
    await page.getByText("one download only").waitFor();
    // The digest of a protected share is shown after unlocking.
    const unlockCode = (await page.locator("[id^=unlock-code-]").textContent()) ?? "";
    const path = `/d/${await shownShortId(page)}/unlock`;
    await until("the digest is known", async () => (await postForm(server, path, { unlockCode })).html.includes(file.sha256));
  });

  test("a large upload continues after the page was closed and sends only the missing parts", async () => {
    const file = await largeFile("resumes.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    const hold = (route: Route) => (partOf(route.request().url()) === 1 ? route.continue() : undefined);
    await page.route(PART_NUMBER, hold);
    await page.goto(server.url);
    await page.setInputFiles("#file", file.path);
    const arrived = page.waitForResponse((response) => partOf(response.url()) === 1);
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    assert.equal((await arrived).status(), 200);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(server.url);
    await page.unroute(PART_NUMBER, hold);
    const sent: (number | undefined)[] = [];
    page.on("request", (request) => PART_NUMBER.test(request.url()) && sent.push(partOf(request.url())));
    await page.setInputFiles("#file", file.path);
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    await page.getByRole("heading", { name: READY }).waitFor({ timeout: 60_000 });
    assert.deepEqual(sent.toSorted(), [2, 3]);
    assert.equal(await sha256Of(server, page), file.sha256);
    assert.equal(await page.evaluate("localStorage.length"), 0);
  });

  test("a cancelled upload is aborted on the server and can be started again", async () => {
    const file = await largeFile("cancelled.bin");
    await using opened = await openPage(browser);
    const { page } = opened;
    const hold = () => undefined;
    await page.route(PART_NUMBER, hold);
    await page.goto(server.url);
    await page.setInputFiles("#file", file.path);
    const initResponse = page.waitForResponse((response) => response.url().endsWith("/multipart/init"));
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    const { uploadId } = (await (await initResponse).json()) as { uploadId: string };
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Upload and get a link" }).waitFor();
    await until("the session is gone", async () => (await call(server, "GET", `/api/files/multipart/${uploadId}`)).status === 404);
    await page.unroute(PART_NUMBER, hold);
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    await page.getByRole("heading", { name: READY }).waitFor({ timeout: 60_000 });
  });

  test("the settings after the file field apply without JavaScript too", async () => {
    await using opened = await openPage(browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(server.url);
    await choose(page, "plain.txt");
    await page.selectOption("#ttl", "1h");
    await page.check("[name=protect]");
    await page.getByRole("button", { name: "Upload and get a link" }).click();
    await page.getByRole("heading", { name: READY }).waitFor();
    assert.equal(await page.locator("[id^=unlock-code-]").count(), 1);
    const { unlockRequired, expires_at } = await share(server, await shownShortId(page));
    assert.equal(unlockRequired, true);
    assert.ok(Date.parse(String(expires_at)) < Date.now() + 61 * 60_000);
  });
});

const partOf = (url: string): number | undefined => {
  const [, number] = PART_NUMBER.exec(url) ?? [];
  return number === undefined ? undefined : Number(number);
};

const choose = (page: Page, ...names: string[]): Promise<void> =>
  page.setInputFiles(
    "#file",
    names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`bytes of ${name}`) })),
  );

async function share(server: TestServer, shortId: string): Promise<Readonly<Record<string, unknown>>> {
  const share = await getShare(server, shortId);
  return share;
}

async function shownShortId(page: Page): Promise<string> {
  const href = await page.locator("[data-link]").getAttribute("href");
  return new URL(href ?? "").pathname.slice("/d/".length);
}

/** The digest that the server computed, once its pass over the parts has ended. */
async function sha256Of(server: TestServer, page: Page): Promise<unknown> {
  const shortId = await shownShortId(page);
  return await until("the digest is known", async () => (await share(server, shortId)).sha256);
}
