import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { reservePort } from "../../support/network/free-ports.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { getLink, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const KB = 1024;
const MB = 1024 * KB;
const SLOW_LINE = { offline: false, latency: 150, downloadThroughput: 2 * MB, uploadThroughput: 2 * MB };
const SENT_IN_PARTS = { count: 1, sizeBytes: 17 * MB };
const SENT_TOGETHER = { count: 100, sizeBytes: 30 * KB };
const SENDING_TIMEOUT_MS = 100_000;

/** pages, "One link for everything" and "How the page's uploads are repeated". */
describeUnless(browserMissing, "uploads over bad connections", () => {
  let browser: Browser;
  let server: ServerWithSender;
  let proxy: FaultyProxy;
  let folder: string;
  before(async () => {
    const listen = `127.0.0.1:${await reservePort()}`;
    proxy = await startFaultyProxy(`http://${listen}`);
    server = await withSender(startPlainServer({ FILEHOST_LISTEN: listen, FILEHOST_URL: proxy.url }));
    ({ browser, folder } = server);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
  });

  /** Random files: one that is sent in parts, and small ones that are sent together. Resolves to their digests by name. */
  async function makeFiles(): Promise<ReadonlyMap<string, string>> {
    const digests = new Map<string, string>();
    for (const [kind, { count, sizeBytes }] of Object.entries({ parts: SENT_IN_PARTS, together: SENT_TOGETHER })) {
      for (let number = 0; number < count; number++) {
        const bytes = randomBytes(sizeBytes);
        await writeFile(join(folder, `${kind}-${number}.bin`), bytes);
        digests.set(`${kind}-${number}.bin`, createHash("sha256").update(bytes).digest("hex"));
      }
    }
    return digests;
  }

  /** Sends new files to one link; asserts that each arrived once, with its bytes. */
  async function assertAllArrive(page: Page): Promise<void> {
    const digests = await makeFiles();
    await page.goto(proxy.url);
    await page.setInputFiles(
      "#file",
      [...digests.keys()].map((name) => join(folder, name)),
    );
    await getLink(page);
    const { files } = await getShare(server, await whenSent(page, SENDING_TIMEOUT_MS));
    const arrived = await Promise.all((files ?? []).map(async ({ id, name }) => [name, await downloadDigest(server, id)] as const));
    assert.deepEqual(arrived.toSorted(), [...digests].toSorted());
  }

  test("all files arrive complete over a slow connection", async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", SLOW_LINE);
    await assertAllArrive(page);
    assert.deepEqual(opened.complaints, []);
  });

  test("all files arrive complete over a connection that breaks every third request in its body or before its response", async () => {
    const lost = { bodies: 0, responses: 0 };
    let requests = 0;
    proxy.decide = ({ method }) => {
      if (method === "GET") return undefined;
      requests += 1;
      if (requests % 6 === 2) {
        lost.bodies += 1;
        return { cutBodyAfterBytes: 100 * KB };
      }
      if (requests % 6 === 5) {
        lost.responses += 1;
        return { cutAfterBytes: 0 };
      }
      return undefined;
    };
    await using opened = await openPage(browser);
    await assertAllArrive(opened.page);
    assert.ok(lost.bodies > 0 && lost.responses > 0, JSON.stringify(lost));
  });

  test("a small file arrives once although its response is lost and two more requests break", async () => {
    let batches = 0;
    proxy.decide = ({ url }) => {
      if (!url.endsWith("/files/batch")) return undefined;
      batches += 1;
      return batches === 1 ? { cutAfterBytes: 0 } : batches <= 3 ? { cutBodyAfterBytes: 100 } : undefined;
    };
    await using opened = await openPage(browser);
    const { page } = opened;
    await writeFile(join(folder, "small.bin"), randomBytes(30 * KB));
    await page.goto(proxy.url);
    await page.setInputFiles("#file", join(folder, "small.bin"));
    await getLink(page);
    const { files } = await getShare(server, await whenSent(page, SENDING_TIMEOUT_MS));
    assert.deepEqual(
      files?.map(({ name }) => name),
      ["small.bin"],
    );
    assert.ok(batches > 3);
  });

  test("a request whose response never comes is sent again", async () => {
    const silent = { part: false, batch: false };
    proxy.decide = ({ method, url }) => {
      const kind = method === "PUT" ? "part" : url.endsWith("/files/batch") ? "batch" : undefined;
      if (kind === undefined || silent[kind]) return undefined;
      silent[kind] = true;
      return { neverResponds: true };
    };
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.clock.install();
    const arriving = assertAllArrive(page);
    await until("both requests wait", () => silent.part && silent.batch, { deadlineMs: SENDING_TIMEOUT_MS });
    const hurry = setInterval(() => void page.clock.fastForward(40_000).catch(() => undefined), 1000);
    await arriving.finally(() => clearInterval(hurry));
  });
});
