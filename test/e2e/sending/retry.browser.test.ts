import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { choose, getLink, pendingPaths, whenSent } from "../support/pages/sending.ts";
import { startServerAtPort } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";

const MB = 1024 ** 2;
const INIT = /\/multipart\/init$/;
const BATCH = /\/api\/files\/batch$/;
const PART = /\/up\/[^/]+\/1\?/;

/** pages, "How the page's uploads are repeated": how the front page retries failed requests. */
describeUnless(browserMissing, "uploads with retries", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    // Playwright repeats requests without `Sec-Fetch-Site`, so the server must know their origin from its URL.
    server = await withSender(startServerAtPort());
    ({ browser, folder } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Chooses a file of five parts. */
  async function chooseLarge(page: Page, name: string): Promise<void> {
    await writeFile(join(folder, name), Buffer.alloc(5 * MB, name));
    await page.setInputFiles("#file", join(folder, name));
  }

  /** Passes the request to the server and loses the response. */
  async function loseResponse(route: Route): Promise<void> {
    assert.equal((await route.fetch()).status(), 200);
    await route.abort("connectionreset");
  }

  test("an init whose response is lost is repeated with its Idempotency-Key and leaves one session", async () => {
    const { sessions, files } = await countStoredState(server);
    await using opened = await openPage(browser);
    const { page } = opened;
    const keys: (string | undefined)[] = [];
    await page.route(INIT, async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      await (keys.length === 1 ? loseResponse(route) : route.continue());
    });
    await page.goto(server.url);
    await chooseLarge(page, "lost.bin");
    await getLink(page);
    await whenSent(page);
    assert.equal(keys.length, 2);
    assert.match(keys[0] ?? "", /^[0-9a-f]{32}$/);
    assert.equal(keys[1], keys[0]);
    const after = await countStoredState(server);
    assert.deepEqual([after.sessions - sessions, after.files - files], [1, 1]);
  });

  test("an init whose response is lost by closing the page is repeated for the same file", async () => {
    const { sessions, files } = await countStoredState(server);
    await using opened = await openPage(browser);
    const { page } = opened;
    page.on("dialog", (dialog) => void dialog.accept());
    const lost = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      assert.equal((await route.fetch()).status(), 200);
      lost.resolve();
    };
    await page.route(INIT, hold);
    await page.goto(server.url);
    await chooseLarge(page, "closed.bin");
    await getLink(page);
    await lost.promise;
    await page.goto(server.url);
    await page.unroute(INIT, hold);
    await page.getByLabel("Choose the same file to continue").setInputFiles(join(folder, "closed.bin"));
    await whenSent(page);
    const after = await countStoredState(server);
    assert.deepEqual([after.sessions - sessions, after.files - files], [1, 1]);
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
  });

  test("a small upload whose response is lost is repeated and creates one file", async () => {
    const { files } = await countStoredState(server);
    await using opened = await openPage(browser);
    const { page } = opened;
    let posts = 0;
    await page.route(BATCH, async (route) => {
      posts += 1;
      return await (posts === 1 ? loseResponse(route) : route.continue());
    });
    await page.goto(server.url);
    await choose(page, "small.txt");
    await getLink(page);
    await page.getByText("Connection lost. We’ll continue automatically.").first().waitFor();
    await whenSent(page);
    assert.equal((await countStoredState(server)).files - files, 1);
  });

  test("a part is retried as often as a busy server requests, and the page says that the server is busy", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    let refusals = 0;
    const isWaitSeen = Promise.withResolvers<void>();
    await page.route(PART, async (route) => {
      refusals += 1;
      if (refusals > 10) await isWaitSeen.promise;
      await (refusals > 10 ? route.continue() : route.fulfill({ status: 503, headers: { "Retry-After": "0" }, body: "{}" }));
    });
    await page.goto(server.url);
    await chooseLarge(page, "busy.bin");
    await getLink(page);
    await page.getByText("Server is busy; waiting.").first().waitFor();
    await soon(async () => assert.equal(await page.getByText("Connection lost").count(), 0));
    isWaitSeen.resolve();
    await whenSent(page);
    assert.equal(refusals, 11);
  });

  for (const [kind, toHeader] of [
    ["seconds", () => "60"],
    ["a date", (nowMs: number) => new Date(nowMs + 60_000).toUTCString()],
  ] as const) {
    test(`the page waits as long as a Retry-After in ${kind} requests`, async () => {
      await using opened = await openPage(browser);
      const { page } = opened;
      const nowMs = Date.UTC(2026, 0, 1);
      await page.clock.install({ time: nowMs });
      let asked = 0;
      await page.route(PART, async (route) => {
        asked += 1;
        const pageNowMs = Number(await page.evaluate("Date.now()"));
        const headers = { "Retry-After": toHeader(pageNowMs) };
        await (asked > 1 ? route.continue() : route.fulfill({ status: 429, headers, body: "{}" }));
      });
      let otherParts = 0;
      page.on("requestfinished", (request) => {
        if (request.method() === "PUT" && !PART.test(request.url())) otherParts += 1;
      });
      await page.goto(server.url);
      await chooseLarge(page, `waits-${kind}.bin`);
      await page.clock.pauseAt(nowMs + 3_600_000);
      await getLink(page);
      await page.getByText("Too many requests; waiting.").first().waitFor();
      // Otherwise they would seem to have lost their line while the clock jumps.
      await until("the other parts are sent", () => otherParts === 4);
      await page.clock.runFor(58_000);
      await soon(async () => assert.equal(await page.getByText("Too many requests; waiting.").first().isVisible(), true));
      assert.equal(asked, 1);
      await page.clock.runFor(3_000);
      await page.clock.resume();
      await whenSent(page);
    });
  }

  test("a permanent error is shown immediately, in the server's words or general ones", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const responses: { status: number; headers?: Record<string, string>; body: string; says: string }[] = [
      { status: 507, body: "<html>", says: "The server is out of space. Try again later, or tell the administrator." },
      { status: 507, body: JSON.stringify({ error: "The server's disk is full." }), says: "The server's disk is full." },
      { status: 429, headers: { "Retry-After": "3600" }, body: "", says: "Too many requests came from your network. Try again later." },
      { status: 503, headers: { "Retry-After": "3600" }, body: "", says: "The server is busy. Try again in a few minutes." },
    ];
    let posts = 0;
    await page.route(BATCH, async (route) => {
      const { status, headers, body } = responses[posts] ?? assert.fail();
      posts += 1;
      return await route.fulfill({ status, headers, body });
    });
    await page.goto(server.url);
    await choose(page, "refused.txt");
    await getLink(page);
    for (const [index, { says }] of responses.entries()) {
      if (index > 0) await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("alert").getByText(says).waitFor();
    }
    assert.equal(posts, responses.length);
  });

  test("the page waits for a full server that sends Retry-After, and shows that it waits", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    let posts = 0;
    await page.route(BATCH, async (route) => {
      posts += 1;
      return await (posts > 1 ? route.continue() : route.fulfill({ status: 507, headers: { "Retry-After": "1" }, body: "{}" }));
    });
    await page.goto(server.url);
    await choose(page, "space.txt");
    await getLink(page);
    await page.getByText("Server is out of space; waiting.").first().waitFor();
    await whenSent(page);
  });
});
