import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import type { TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { type Account, addAccount, createKey } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { startSession } from "../support/api/callers.ts";
import type { OwnerFixture } from "../support/api/fixtures.ts";
import { PAGE_EXAMPLES } from "../support/pages/page-examples.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest } from "../support/shares/requests.ts";
import { insertFiles } from "../support/uploads/many-files.ts";

const MAX_BYTES = 120 * 1024;
/** Leads to the bytes of a file. */
const NO_PAGE = "GET /files/get/:fileId";
const TABS = 4;

/** What the lists of these pages show. */
const DETAILS = "/files/details/";
const SETTINGS = "/api/files/share-settings";
const LISTED: Readonly<Record<string, string>> = {
  "/files": "file 200.txt",
  "/shares": "file 200.txt",
  "/requests": "Request 49",
  "/settings/keys": "Key 49",
  "/admin/files": "file 200.txt",
  "/admin/users": "@example.org",
  "/admin/audit-log": "created the key",
};

const withoutFragment = (url: string): string => url.split("#", 1)[0] ?? "";

interface Loaded {
  readonly path: string;
  /** Bytes of everything that was loaded, as they were sent. */
  readonly bytes: number;
  readonly apiRequests: readonly string[];
}

/** pages, "Weight". */
describeUnless(browserMissing, "the pages of a signed-in account", () => {
  let server: TestServer;
  let browser: Browser;
  let world: OwnerFixture;
  before(async () => {
    server = await startPlainServer({ FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" });
    const url = "https://127.0.0.1:9/";
    world = {
      server,
      owner: await addAccount(server, { tier: "pro", username: "owner-of-all" }),
      otherAccount: await addAccount(server),
      administrator: await addAccount(server, { isAdministrator: true }),
      remoteUrl: url,
      slowUrl: url,
      hookUrl: url,
    };
    await withDatabase(server, (db) => insertFiles(db, world.owner.userId, 200));
    for (let n = 0; n < 50; n += 1) {
      await createKey(server, world.owner.key, { label: `Key ${n}` });
      await createFileRequest(server, world.owner.key, { title: `Request ${n}`, folderId: null });
    }
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  /** Loads pages one after another in a new tab, without a cache. */
  async function load(account: Account, paths: () => string | undefined): Promise<readonly Loaded[]> {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
    let bytes = 0;
    const requests: { readonly document: string; readonly pathname: string }[] = [];
    devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    // A busy page may begin a request after the next page was asked for, so its document says which page a request belongs to.
    devtools.on("Network.requestWillBeSent", ({ request, documentURL }) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/api/")) requests.push({ document: withoutFragment(documentURL), pathname });
    });
    const loaded: { readonly path: string; readonly bytes: number; readonly document: string }[] = [];
    for (let path = paths(); path !== undefined; path = paths()) {
      bytes = 0;
      await page.goto(homeOf(server) + path, { waitUntil: "networkidle" });
      const listed = LISTED[path];
      if (listed !== undefined) await page.getByText(listed).and(page.locator(":not(option)")).first().waitFor();
      loaded.push({ path, bytes, document: withoutFragment(page.url()) });
    }
    return loaded.map(({ path, bytes, document }) => ({
      path,
      bytes,
      apiRequests: requests.filter((request) => request.document === document).map(({ pathname }) => pathname),
    }));
  }

  for (const by of ["person", "administrator"] as const)
    test(`have less than 120 KB, and have their lists in the first response: for ${by === "person" ? "a person" : "an administrator"}`, async () => {
      const paths: string[] = by === "person" ? ["/"] : [];
      for (const [name, example] of Object.entries(PAGE_EXAMPLES))
        if (name.startsWith("GET ") && name !== NO_PAGE && example.by === by)
          for (const { path } of await example.make(world)) paths.push(path);
      assert.ok(paths.length > 5);
      const account = by === "person" ? world.owner : world.administrator;
      const loaded = (await Promise.all(Array.from({ length: TABS }, () => load(account, () => paths.shift())))).flat();
      // Beside the list, a file that the address names is loaded as after a press on its row, with the settings of its link.
      const isOfShownFile = (path: string, request: string): boolean =>
        path.startsWith(DETAILS) && [`/api/files/${path.slice(DETAILS.length)}/`, SETTINGS].some((begin) => request.startsWith(begin));
      // A notice leads to a share of the person, whose bar reads the settings.
      const isOfSenderBar = (path: string, request: string): boolean => path.startsWith("/notices/") && request === SETTINGS;
      const heavy = loaded.filter(
        ({ path, bytes, apiRequests }) =>
          bytes < 5_000 ||
          bytes > MAX_BYTES ||
          apiRequests.some((request) => !isOfShownFile(path, request) && !isOfSenderBar(path, request)),
      );
      assert.deepEqual(heavy, []);
    });
});
