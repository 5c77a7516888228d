import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { listSlugs, renderDocsPage } from "../../web/docs/docs-page.tsx";
import { toDocsView } from "../../web/docs/reference.ts";
import { scriptPath } from "../../web/site/assets.ts";
import { browserMissing, launchBrowser, openPage } from "../support/browser/browser.ts";
import { sampled } from "../support/long.ts";
import { soon } from "../support/soon.ts";
import { describeUnless } from "../support/suite.ts";
import { allPages, ENGLISH, folderOf, sharePage, showHomePage, showUploadedPage } from "./pages.ts";
import { servePages } from "./serve-pages.ts";

describeUnless(browserMissing, "a page in a browser", () => {
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
  });

  test("does not scroll sideways at 320 pixels, has large targets, and logs no errors", async () => {
    // One state in four is looked at here, and all in `./scripts/test --long`.
    await using site = await servePages(sampled(Object.entries(allPages()), 4, 2));
    await using opened = await openPage(browser, { viewport: { width: 320, height: 640 } });
    // Only these pages are served: on a busy machine, one may be open long enough to ask for its list or its state again.
    await opened.page.route("**/*", (route) => (route.request().resourceType() === "fetch" ? undefined : route.continue()));
    const tooSmall: string[] = [];
    for (const path of site.pages.keys()) {
      await opened.page.goto(site.url + path);
      await soon(async () => assert.equal(await opened.page.evaluate("document.documentElement.scrollWidth"), 320, path));
      const small = (await opened.page.evaluate(
        `[...document.querySelectorAll("button, select, summary, .button, .brand, footer a")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 43.9).map((e) => e.outerHTML)`,
      )) as string[];
      tooSmall.push(...small.map((html) => `${path}: ${html}`));
    }
    assert.deepEqual(tooSmall, []);
    assert.deepEqual(opened.complaints, []);
  });

  for (const [width, size] of [
    [1280, 40],
    [390, 44],
  ] as const) {
    test(`has square buttons of ${size} pixels in the rows and tiles of a list at ${width} pixels`, async () => {
      const { files = "", mixedFiles = "", grid = "" } = allPages();
      await using site = await servePages(Object.entries({ files, mixedFiles, grid }));
      const isPhone = width < 480;
      await using opened = await openPage(browser, { viewport: { width, height: 800 }, isMobile: isPhone, hasTouch: isPhone });
      for (const path of site.pages.keys()) {
        await opened.page.goto(site.url + path);
        const sizes = await opened.page.evaluate(
          `[...new Set([...document.querySelectorAll(".get")].map((e) => e.getBoundingClientRect()).map(({ width, height }) => width + " × " + height))]`,
        );
        assert.deepEqual(sizes, [`${size} × ${size}`], path);
      }
    });
  }

  test("shows the command for a terminal, except on phones", async () => {
    await using site = await servePages([["", showHomePage()]]);
    const isShown = async (isPhone: boolean): Promise<boolean> => {
      const viewport = { width: isPhone ? 390 : 1280, height: 800 };
      await using opened = await openPage(browser, { viewport, isMobile: isPhone, hasTouch: isPhone });
      await opened.page.goto(site.url);
      return await opened.page.getByRole("heading", { name: "From a terminal" }).isVisible();
    };
    assert.deepEqual([await isShown(false), await isShown(true)], [true, false]);
  });

  test("breaks no word of a list at 320 pixels with text twice as large", async () => {
    await using site = await servePages([
      [
        "files",
        sharePage(
          {},
          { files: folderOf(12).map((file) => ({ ...file, name: "Map.pdf", relativePath: null, contentType: "application/pdf" })) },
        ),
      ],
    ]);
    await using opened = await openPage(browser, { viewport: { width: 320, height: 640 } });
    await opened.page.goto(`${site.url}files`);
    await opened.page.evaluate(`document.documentElement.style.fontSize = "200%"`);
    // A broken word has more than one rectangle.
    const broken = await opened.page.evaluate(`[...document.querySelectorAll(".shipment .button:not(.small), .choice .go, .entries .name")]
      .filter((e) => e.checkVisibility())
      .flatMap((e) => [...e.querySelectorAll("*")].flatMap(({ childNodes }) => [...childNodes]).filter((node) => node.nodeType === Node.TEXT_NODE && !node.parentElement.closest(".unseen")))
      .flatMap((node) => [...node.data.matchAll(/\\w+/g)].filter(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        return range.getClientRects().length > 1;
      }).map(([word]) => word))`);
    assert.deepEqual(broken, []);
    await soon(async () => assert.equal(await opened.page.evaluate("document.documentElement.scrollWidth"), 320));
  });

  test("breaks no status code of the documentation", async () => {
    const view = toDocsView({
      siteUrl: "https://files.example.org",
      apiUrl: "https://files.example.org/api",
      contentUrl: "https://files.example.org",
    });
    await using site = await servePages(listSlugs(view).map((slug, index) => [`docs-${index}`, renderDocsPage(ENGLISH, view, slug)]));
    await using opened = await openPage(browser, { viewport: { width: 320, height: 640 } });
    for (const path of site.pages.keys()) {
      await opened.page.goto(site.url + path);
      const broken = await opened.page.evaluate(`[...document.querySelectorAll(".status > :first-child")].filter((e) => {
        const range = document.createRange();
        range.selectNodeContents(e);
        return range.getClientRects().length > 1;
      }).map((e) => e.textContent)`);
      assert.deepEqual(broken, [], path);
    }
  });

  test("starts a download by keyboard", async () => {
    await using site = await servePages([["share", sharePage()]]);
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    const stops: string[] = [];
    while (stops.length < 10 && stops.at(-1) !== "submit") {
      await opened.page.keyboard.press("Tab");
      stops.push(String(await opened.page.evaluate("document.activeElement.type || document.activeElement.className")));
    }
    assert.deepEqual(stops, ["skip", "brand", "account", "submit"]);
    await soon(async () => assert.equal(await opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "solid"));
    await Promise.all([
      opened.page.waitForResponse((response) => response.request().method() === "POST"),
      opened.page.keyboard.press("Enter"),
    ]);
    assert.deepEqual(site.posts, ["fileId=aaaa1111bbbb2222"]);
    assert.deepEqual(site.origins, [site.url.slice(0, -1)]);
  });

  test("downloads a file and refreshes a waiting page without JavaScript", async () => {
    await using site = await servePages([
      ["share", sharePage()],
      ["waiting", sharePage({ scanStatus: "pending", scanCoverage: null })],
    ]);
    await using opened = await openPage(browser, { javaScriptEnabled: false });
    await opened.page.goto(`${site.url}share`);
    await Promise.all([
      opened.page.waitForResponse((response) => response.request().method() === "POST"),
      opened.page.click("button[type=submit]"),
    ]);
    assert.deepEqual(site.posts, ["fileId=aaaa1111bbbb2222"]);
    await soon(async () => assert.equal(await opened.page.locator("meta[http-equiv=refresh]").count(), 0));
    await opened.page.goto(`${site.url}waiting`);
    await soon(async () => assert.equal(await opened.page.locator("meta[http-equiv=refresh]").getAttribute("content"), "15"));
    await soon(async () => assert.equal(await opened.page.locator("button[type=submit]").isDisabled(), true));
    await soon(async () => assert.equal(await opened.page.locator("[data-copy]:visible").count(), 0));
  });

  test("uploads the file before its settings without JavaScript", async () => {
    await using site = await servePages([["", showHomePage()]]);
    site.postResponse = { status: 200, html: showUploadedPage() };
    await using opened = await openPage(browser, { javaScriptEnabled: false });
    await opened.page.goto(site.url);
    await opened.page.getByText("Options").click();
    await opened.page.selectOption("#ttl", "24h");
    await opened.page.fill("[name=maxDownloads]", "2");
    await opened.page.setInputFiles("#file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("hello there") });
    await opened.page.click("button[type=submit]");
    await opened.page.getByRole("heading", { name: "Your link is ready" }).waitFor();
    assert.match(
      site.posts[0] ?? "",
      /name="file"; filename="a\.txt".*hello there.*name="ttl"\r\n\r\n24h\r\n.*name="maxDownloads"\r\n\r\n2\r\n/s,
    );
  });

  test("keeps the entered values from before its script was loaded, also files whose window was open meanwhile", async () => {
    await using site = await servePages([["", showHomePage()]]);
    await using opened = await openPage(browser);
    const { page } = opened;
    const script = Promise.withResolvers<void>();
    await page.route(`**${scriptPath("send", "en")}`, async (route) => {
      await script.promise;
      await route.continue();
    });
    await page.goto(site.url, { waitUntil: "commit" });
    await page.getByText("Options").click();
    await page.selectOption("#ttl", "24h");
    await page.getByLabel("Message").fill("Here it is.");
    await page.getByLabel("Code").check();
    await page.setInputFiles("#file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await page.evaluate("void (window.early = document.querySelector('#file'))");
    script.resolve();
    await page.locator("#folder").waitFor({ state: "attached" });
    const entered = () =>
      page.evaluate(
        "Object.fromEntries([...new FormData(document.querySelector('#upload'))].filter(([, value]) => typeof value === 'string' && value))",
      );
    await soon(async () => assert.equal(await page.locator("#ttl").isVisible(), true));
    await soon(async () => assert.deepEqual(await entered(), { ttl: "24h", message: "Here it is.", protect: "true" }));
    await page.evaluate(
      `(() => {
        const chosen = new DataTransfer();
        chosen.items.add(new File(["b"], "b.txt"));
        window.early.files = chosen.files;
        window.early.dispatchEvent(new Event("change"));
      })()`,
    );
    await page.locator("#chosen").getByText("b.txt", { exact: true }).waitFor();
    await soon(async () => assert.deepEqual(await page.locator("#chosen .name").allTextContents(), ["a.txt", "b.txt"]));
    assert.deepEqual(opened.complaints, []);
  });

  test("updates a waiting page when the file is ready, and announces it", async () => {
    await using site = await servePages([["share", sharePage({ scanStatus: "scanning", scanCoverage: null, sha256: null })]]);
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    await soon(async () => assert.equal(await opened.page.locator("button[type=submit]").isDisabled(), true));
    site.pages.set("share", sharePage());
    await opened.page.locator("button[type=submit]:enabled").waitFor();
    await opened.page
      .getByRole("status")
      .getByText("Scanned: no malware found. You can download the file now.")
      .waitFor({ state: "attached" });
    assert.deepEqual(opened.complaints, []);
  });

  test("replaces a waiting page with the message if the file was deleted", async () => {
    await using site = await servePages([["share", sharePage({ uploading: true, scanStatus: "pending", scanCoverage: null })]]);
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    site.pages.delete("share");
    await opened.page.getByRole("heading", { name: "Link not found" }).waitFor();
    await soon(async () => assert.match(await opened.page.title(), /Link not found/));
  });

  test("disables a single-use download after a click", async () => {
    await using site = await servePages([["share", sharePage({ downloadsLeft: 1 }, { once: true })]]);
    site.postResponse = { status: 204, html: "" };
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    await opened.page.click("button[type=submit]");
    await opened.page.locator("button[type=submit]:disabled").waitFor();
    assert.equal(site.posts.length, 1);
  });

  test("explains that a file is too large before anything is sent", async () => {
    await using site = await servePages([
      ["", showHomePage({ limits: { fileBytes: 20, retention: { longestMs: 90 * 86_400_000, isKept: true } } })],
    ]);
    await using opened = await openPage(browser);
    await opened.page.goto(site.url);
    const file = (bytes: number) => ({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.alloc(bytes, "x") });
    await opened.page.setInputFiles("#file", file(21));
    await opened.page.getByRole("alert").getByText("“a.txt” is larger than 20 bytes.").waitFor();
    await soon(async () => assert.equal(await opened.page.getByRole("button", { name: "Get a link" }).count(), 0));
    await opened.page.setInputFiles("#file", file(20));
    await soon(async () => assert.equal(await opened.page.getByRole("button", { name: "Get a link" }).isEnabled(), true));
    await soon(async () => assert.equal(await opened.page.getByRole("alert").count(), 0));
    assert.deepEqual(site.posts, []);
  });
});
