import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { type LaunchOptions, launchBrowser } from "../../../support/browser/browser.ts";
import { makeFolder } from "../../../support/folder.ts";
import type { TestServer } from "../../../support/server.ts";
import { withParts } from "../../../support/with-parts.ts";
import { startPlainServer } from "../servers/plain-server.ts";

export interface BrowsedServer {
  readonly browser: Browser;
  readonly server: TestServer;
}

/** The people of a suite have one address, and sign up more often than an hour permits. */
const MANY_SIGN_UPS = { FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }) };

/** Starts a browser and a server for the tests of a suite. Hooks of the suite start and stop them. */
export function useBrowsedServer(env: Readonly<Record<string, string>> = {}, options: LaunchOptions = {}): BrowsedServer {
  let browser: Browser | undefined;
  let server: TestServer | undefined;
  before(async () => {
    server = await startPlainServer({ ...MANY_SIGN_UPS, ...env });
    browser = await launchBrowser(options);
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

/** A server with a browser that visits it. */
export type ServerWithBrowser<Server extends TestServer = TestServer> = Server & { readonly browser: Browser };

/** Awaits a starting server and starts a browser. The server's disposal closes the browser. */
export async function withBrowser<Server extends TestServer>(
  starting: Promise<Server>,
  options: LaunchOptions = {},
): Promise<ServerWithBrowser<Server>> {
  const server = await starting;
  const browser = await launchBrowser(options);
  return withParts(server, { browser }, browser);
}

/** A server with the browser of a sender, and the path of a folder with the files to send. */
export type ServerWithSender = ServerWithBrowser & { readonly folder: string };

/** Awaits a starting server, starts a browser and makes an empty folder. The server's disposal closes the browser and deletes the folder. */
export async function withSender(starting: Promise<TestServer>, options?: LaunchOptions): Promise<ServerWithSender> {
  const server = await withBrowser(starting, options);
  const folder = await makeFolder();
  return withParts(server, { folder: folder.path }, folder);
}
