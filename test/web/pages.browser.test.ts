import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { assetPath, assets } from "../../web/assets.ts";
import { SERVICE_WORKER_PATH } from "../../web/installed-site.ts";
import { renderMessagePage } from "../../web/message-page.tsx";
import { browserMissing, launchBrowser, openPage } from "../support/browser.ts";
import { allPages, ENGLISH, sharePage, showHomePage, showUploadedPage } from "./pages.ts";

const POLICY =
  "default-src 'none'; style-src 'self'; script-src *:*/assets/; worker-src *:*/assets/ *:*/service-worker.js; manifest-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none', default-src 'self'; connect-src 'self'; img-src 'self' data:";

interface Site extends AsyncDisposable {
  readonly url: string;
  /** Path → page; may be changed while it is served. */
  readonly pages: Map<string, string>;
  /** Bodies of the POSTs so far. */
  readonly posts: string[];
  /** Their `Origin` headers. */
  readonly origins: (string | undefined)[];
  /** The response to a POST. */
  postResponse: { status: number; html: string };
}

describe("a page in a browser", { skip: browserMissing }, () => {
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
  });

  test("does not scroll sideways at 320 pixels, has large targets, and logs no errors", async () => {
    await using site = await startSite(Object.entries(allPages()));
    await using opened = await openPage(browser, { viewport: { width: 320, height: 640 } });
    for (const path of site.pages.keys()) {
      await opened.page.goto(site.url + path);
      assert.equal(await opened.page.evaluate("document.documentElement.scrollWidth"), 320, path);
      const small = await opened.page.evaluate(
        `[...document.querySelectorAll("button, select, summary, .button, .brand, footer a")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 43.9).map((e) => e.outerHTML)`,
      );
      assert.deepEqual(small, [], path);
    }
    assert.deepEqual(opened.complaints, []);
  });

  test("starts a download by keyboard", async () => {
    await using site = await startSite([["share", sharePage()]]);
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    const stops: string[] = [];
    while (stops.length < 10 && stops.at(-1) !== "submit") {
      await opened.page.keyboard.press("Tab");
      stops.push(String(await opened.page.evaluate("document.activeElement.type || document.activeElement.className")));
    }
    assert.deepEqual(stops, ["skip", "brand", "submit"]);
    assert.equal(await opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "solid");
    await Promise.all([
      opened.page.waitForResponse((response) => response.request().method() === "POST"),
      opened.page.keyboard.press("Enter"),
    ]);
    assert.deepEqual(site.posts, ["fileId=aaaa1111bbbb2222"]);
    assert.deepEqual(site.origins, [site.url.slice(0, -1)]);
  });

  test("downloads a file and refreshes a waiting page without JavaScript", async () => {
    await using site = await startSite([
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
    assert.equal(await opened.page.locator("meta[http-equiv=refresh]").count(), 0);
    await opened.page.goto(`${site.url}waiting`);
    assert.equal(await opened.page.locator("meta[http-equiv=refresh]").getAttribute("content"), "15");
    assert.equal(await opened.page.locator("button[type=submit]").isDisabled(), true);
    assert.equal(await opened.page.locator("[data-copy]:visible").count(), 0);
  });

  test("uploads the file before its settings without JavaScript", async () => {
    await using site = await startSite([["", showHomePage()]]);
    site.postResponse = { status: 200, html: showUploadedPage() };
    await using opened = await openPage(browser, { javaScriptEnabled: false });
    await opened.page.goto(site.url);
    await opened.page.selectOption("#ttl", "24h");
    await opened.page.check("[name=once]");
    await opened.page.setInputFiles("#file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("hello there") });
    await opened.page.click("button[type=submit]");
    await opened.page.getByRole("heading", { name: "Your link is ready" }).waitFor();
    assert.match(
      site.posts[0] ?? "",
      /name="file"; filename="a\.txt".*hello there.*name="ttl"\r\n\r\n24h\r\n.*name="once"\r\n\r\ntrue\r\n/s,
    );
  });

  test("updates a waiting page when the file is ready, and announces it", async () => {
    await using site = await startSite([["share", sharePage({ scanStatus: "scanning", scanCoverage: null, sha256: null })]]);
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    assert.equal(await opened.page.locator("button[type=submit]").isDisabled(), true);
    site.pages.set("share", sharePage());
    await opened.page.locator("button[type=submit]:enabled").waitFor();
    await opened.page
      .getByRole("status")
      .getByText("Scanned: no malware found. You can download the file now.")
      .waitFor({ state: "attached" });
    assert.deepEqual(opened.complaints, []);
  });

  test("replaces a waiting page with the message if the file was deleted", async () => {
    await using site = await startSite([["share", sharePage({ uploading: true, scanStatus: "pending", scanCoverage: null })]]);
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    site.pages.delete("share");
    await opened.page.getByRole("heading", { name: "Link not found" }).waitFor();
    assert.match(await opened.page.title(), /Link not found/);
  });

  test("disables a single-use download after a click", async () => {
    await using site = await startSite([["share", sharePage({ downloadsLeft: 1 }, { once: true })]]);
    site.postResponse = { status: 204, html: "" };
    await using opened = await openPage(browser);
    await opened.page.goto(`${site.url}share`);
    await opened.page.click("button[type=submit]");
    await opened.page.locator("button[type=submit]:disabled").waitFor();
    assert.equal(site.posts.length, 1);
  });

  test("shows an upload's result in place with JavaScript, and copies the link", async () => {
    await using site = await startSite([["", showHomePage()]]);
    site.postResponse = { status: 200, html: showUploadedPage() };
    await using opened = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await opened.page.goto(site.url);
    await opened.page.evaluate("window.sameDocument = true");
    await opened.page.setInputFiles("#file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("hello there") });
    await opened.page.click("button[type=submit]");
    await opened.page.getByRole("heading", { name: "Your link is ready" }).waitFor();
    assert.equal(await opened.page.evaluate("window.sameDocument"), true);
    assert.match(site.posts[0] ?? "", /^--[^\r]+\r\n[^\r]*name="file"; filename="a\.txt"/);
    await opened.page.getByRole("button", { name: "Copy link" }).click();
    await opened.page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await opened.page.evaluate("navigator.clipboard.readText()"), "https://files.example.org/d/7kXq9Zab");
    assert.deepEqual(opened.complaints, []);
  });

  test("explains why an upload was too large or refused, and allows another try", async () => {
    await using site = await startSite([["", showHomePage({ limits: { fileBytes: 20, retentionMs: null } })]]);
    site.postResponse = { status: 507, html: renderMessagePage(ENGLISH, { kind: "refused", detail: "The server's disk is full." }) };
    await using opened = await openPage(browser);
    await opened.page.goto(site.url);
    const choose = (bytes: number) =>
      opened.page.setInputFiles("#file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.alloc(bytes, "x") });
    await choose(21);
    await opened.page.getByRole("alert").getByText("“a.txt” is too large: it has 21 bytes, and the limit is 20 bytes.").waitFor();
    await opened.page.click("button[type=submit]");
    assert.deepEqual(site.posts, []);
    await choose(20);
    await opened.page.click("button[type=submit]");
    await opened.page.getByRole("alert").getByText("The server's disk is full.").waitFor();
    assert.equal(site.posts.length, 1);
    site.postResponse = { status: 200, html: showUploadedPage() };
    await opened.page.click("button[type=submit]");
    await opened.page.getByRole("heading", { name: "Your link is ready" }).waitFor();
  });
});

async function startSite(pages: Iterable<readonly [path: string, html: string]>): Promise<Site> {
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const site: Site = {
    url: `http://127.0.0.1:${address.port}/`,
    pages: new Map(pages),
    posts: [],
    origins: [],
    postResponse: { status: 200, html: "" },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const asset = assets.get(path === SERVICE_WORKER_PATH ? assetPath("serviceWorker") : path);
    if (asset !== undefined) return send(response, 200, asset.type, Buffer.from(asset.plain()).toString());
    if (request.method === "POST") {
      site.origins.push(request.headers.origin);
      site.posts.push(await text(request));
      return send(response, site.postResponse.status, "text/html; charset=utf-8", site.postResponse.html);
    }
    const page = site.pages.get(path.slice(1));
    send(response, page === undefined ? 404 : 200, "text/html; charset=utf-8", page ?? renderMessagePage(ENGLISH, { kind: "missing" }));
  }

  return site;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-security-policy": POLICY });
  response.end(body);
}
