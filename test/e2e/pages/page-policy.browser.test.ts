import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as forward, type Server } from "node:http";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { reservePorts } from "../../support/network/free-ports.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { signedUrl, upload } from "../support/api/api.ts";
import { uploadProtected } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

type TestServer = Awaited<ReturnType<typeof startPlainServer>>;

/** pages, "Scripts come from the assets alone": what the Content-Security-Policy of a page allows, under each name of the site. */
describeUnless(browserMissing, "scripts of pages", () => {
  let browser: Browser;
  let server: TestServer;
  let proxy: Server;
  const names: { readonly name: string; readonly url: string }[] = [];
  before(async () => {
    const [port = 0, proxyPort = 0] = await reservePorts(2);
    proxy = await startProxy(proxyPort, port);
    server = await startPlainServer({ FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_URL: `http://localhost:${proxyPort}` });
    names.push(
      { name: "its configured address, through a proxy that changes Host", url: `http://localhost:${proxyPort}` },
      { name: "localhost", url: `http://localhost:${port}` },
      { name: "its IP address", url: `http://127.0.0.1:${port}` },
    );
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
    proxy.closeAllConnections();
    proxy.close();
  });

  for (const index of [0, 1, 2]) {
    test(`of this site work at URL ${index + 1} of 3, and those from uploads and other hosts are refused`, async () => {
      const { name, url } = names[index] ?? assert.fail();
      const bytes = "document.documentElement.dataset.evil = 'yes';";
      const script = await upload(server, { name: "evil.js", type: "text/javascript", bytes });
      const { pathname, search } = new URL(await signedUrl(server, script.id));
      assert.equal(await (await fetch(server.url + pathname + search)).text(), bytes);
      const share = await uploadProtected(server, { name: "plan.txt" });
      await using opened = await openPage(browser);
      const { page } = opened;

      await page.goto(url);
      await page.setInputFiles("#file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("bytes") });
      await page.getByText("Options").click();
      await page.getByLabel("Code").check();
      await page.getByRole("button", { name: "Get a link" }).click();
      // The page goes to its share by itself, which would end the next navigation.
      await page.waitForURL(/\/d\//);
      await page.getByRole("button", { name: "Copy link", exact: true }).waitFor();
      assert.deepEqual(opened.complaints, [], name);
      for (const path of ["/", share.sharePath, "/d/nowhere1", new URL(share.handoffUrl).pathname]) {
        await page.goto(url + path);
        const other = names[(index + 1) % names.length] ?? assert.fail();
        const asset = await page.locator("script[src]").first().getAttribute("src");
        for (const source of [pathname + search, `${other.url}${asset}`, `${other.url}/assets/%2e%2e${pathname}${search}`]) {
          await soon(async () => assert.equal(await tryScript(page, source), "refused", `${name} ${path} ${source}`));
        }
        await soon(async () => assert.equal(await tryScript(page, String(asset)), "loaded", `${name} ${path}`));
        await soon(async () => assert.equal(await page.locator("html").getAttribute("data-evil"), null));
      }
    });
  }
});

/** Whether the page's policy allows a script element of that source. */
async function tryScript(page: Page, source: string): Promise<unknown> {
  return await page.evaluate(`new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", () => resolve("refused"), { once: true });
    const script = document.createElement("script");
    script.addEventListener("load", () => resolve("loaded"));
    script.src = ${JSON.stringify(source)};
    document.head.append(script);
  })`);
}

/** Forwards requests like nginx without `proxy_set_header Host`: the server receives its own address as the host. */
async function startProxy(port: number, targetPort: number): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: `127.0.0.1:${targetPort}` };
    const target = forward({ host: "127.0.0.1", port: targetPort, method: incoming.method, path: incoming.url, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    target.on("error", () => outgoing.destroy());
    incoming.pipe(target);
  });
  proxy.listen(port, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}
