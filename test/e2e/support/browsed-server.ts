import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../support/browser.ts";
import type { TestServer } from "../../support/server.ts";
import { startPlainServer } from "./plain-server.ts";

export interface BrowsedServer {
  readonly browser: Browser;
  readonly server: TestServer;
}

/** Starts a browser and a server for the tests of a suite. Hooks of the suite start and stop them. */
export function useBrowsedServer(env: Readonly<Record<string, string>> = {}): BrowsedServer {
  let browser: Browser | undefined;
  let server: TestServer | undefined;
  before(async () => {
    server = await startPlainServer(env);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });
  return {
    get browser() {
      return started(browser);
    },
    get server() {
      return started(server);
    },
  };
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("The browser and the server start before the first test.");
  return part;
}
