import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, test } from "node:test";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { callTool, connectMcp, ERAS, type Era } from "../support/api/mcp.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";

const FOREIGN = "evil.example";

/** pages, "The page of MCP"; mcp, "Guests" and "Pages of other sites". */
describeUnless(browserMissing, "the page of MCP in a browser", () => {
  const site = useBrowsedServer();
  /** Serves a page of another origin. */
  let other: Server;
  let otherPort: number;
  before(async () => {
    other = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Client</title>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    otherPort = typeof address === "object" && address !== null ? address.port : assert.fail();
  });
  after(() => other?.close());

  test("copies the address, and without JavaScript selects it by one click", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(site.browser, { javaScriptEnabled, permissions: ["clipboard-read", "clipboard-write"] });
      const { page } = opened;
      await page.goto(`${site.server.url}/mcp`);
      const address = page.locator("#address");
      const copy = page.locator('[data-copy="address"]');
      await soon(async () => assert.equal(await copy.isVisible(), javaScriptEnabled));
      if (javaScriptEnabled) {
        await copy.click();
        await copy.getByText("Copied").waitFor();
        await soon(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), await address.textContent()));
      }
      await address.click();
      await soon(async () => assert.equal(await page.evaluate("getSelection().toString()"), await address.textContent()));
    }
  });

  test("unfolds one program at a time by the keyboard, and does not scroll sideways at 320 pixels", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    await page.goto(`${site.server.url}/mcp`);
    for (const id of ["vscode", "codex"]) {
      await page.locator(`#${id} summary`).focus();
      await page.keyboard.press("Enter");
      await page.locator(`#${id}-1`).waitFor({ state: "visible" });
      await soon(async () => assert.equal(await page.locator('details[name="program"][open]').count(), 1));
      await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320));
    }
    assert.deepEqual(opened.complaints, []);
  });

  for (const era of Object.keys(ERAS) as Era[])
    test(`leads a stranger without an account to send a file, by a client with ${era}`, async () => {
      await using opened = await openPage(site.browser);
      const { page } = opened;
      await page.goto(`${site.server.url}/`);
      await page.locator('a[href="/mcp"]').click();
      await page.getByRole("link", { name: "Without an account" }).click();
      const { origin, pathname } = new URL((await page.locator("#address").textContent()) ?? "");
      await using client = await connectMcp({ url: origin.replace("localhost", "127.0.0.1") }, { era, path: pathname });
      const sent = await callTool(client, "upload", { contentBase64: btoa("from a stranger"), fileName: "notes.txt" });
      assert.equal(sent.isError, false, sent.text);
      await page.goto(String(sent.data.shareUrl));
      await page.getByText("notes.txt").first().waitFor();
    });

  test("a client in a page of this machine uses both endpoints, and a client of a foreign site reads why it cannot", async () => {
    const { key } = await addAccount(site.server);
    await using browser = await disposable(await launchBrowser({ hosts: [FOREIGN] }));
    for (const host of ["127.0.0.1", FOREIGN]) {
      await using opened = await openPage(browser.value);
      await opened.page.goto(`http://${host}:${otherPort}/`);
      const initialize = (path: string, headers: Readonly<Record<string, string>>) =>
        opened.page.evaluate(initializeInPage, { url: site.server.url + path, headers });
      const member = await initialize("/mcp", { Authorization: `Bearer ${key}`, "Mcp-Protocol-Version": "2025-11-25" });
      const visitor = await initialize("/mcp/guest", {});
      if (host === FOREIGN) {
        for (const { status, text } of [member, visitor]) assert.match(`${status} ${text}`, /^403 .*CROSS_SITE_REQUEST/);
        continue;
      }
      for (const { status, session } of [member, visitor]) assert.deepEqual([status, session?.length], [200, 43]);
    }
  });
});

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Runs in the page. */
async function initializeInPage({ url, headers }: Sent): Promise<{ status: number; session: string | null; text: string }> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  return { status: response.status, session: response.headers.get("mcp-session-id"), text: await response.text() };
}

const disposable = async <T extends { close(): Promise<void> }>(value: T): Promise<AsyncDisposable & { readonly value: T }> => ({
  value,
  [Symbol.asyncDispose]: () => value.close(),
});
