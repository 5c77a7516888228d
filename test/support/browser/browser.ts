import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/**
 * The path of the headless shell or of Chromium. The shell has the same engine without windows, and needs a quarter of the processor time for each
 * context.
 */
const CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));

/** The reason why browser tests are skipped; undefined if Chromium is installed. */
export const browserMissing: string | undefined =
  CHROMIUM === undefined ? "no Chromium: install Debian's package chromium-headless-shell" : undefined;

export interface LaunchOptions {
  /** Names that the browser resolves to 127.0.0.1. Unlike `localhost`, they are not trustworthy without TLS. */
  readonly hosts?: readonly string[];
  /** An origin at port 80 that the browser finds at a port of 127.0.0.1 and trusts as if it had TLS. */
  readonly site?: { readonly origin: string; readonly port: number };
}

/** Starts Debian's Chromium with a fresh profile, which is deleted when the browser closes. */
export async function launchBrowser({ hosts = [], site }: LaunchOptions = {}): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`);
  if (site) rules.push(`MAP ${new URL(site.origin).hostname} 127.0.0.1:${site.port}`);
  return await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      `--host-resolver-rules=${rules.join(",")}`,
      ...(site ? [`--unsafely-treat-insecure-origin-as-secure=${site.origin}`] : []),
    ],
  });
}

/** The message in the console of a context without service workers when a page registers one. */
const BLOCKED_WORKER = "Service Worker registration blocked by Playwright";

/** The message of Chromium when a field of a new page was focused before the page's autofocus, as by a quick person. */
const QUICK_HAND = "Autofocus processing was blocked because a document already has a focused element.";

/**
 * A page in a new context, with the messages and errors of its console. It prefers reduced motion, because an animation occupies a processor without
 * a graphics processor. It has no service worker unless the options allow one, because requests of a page with one cannot be intercepted.
 */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ reducedMotion: "reduce", serviceWorkers: "block", ...options });
  const page = await context.newPage();
  // Less than the time-out of a test, so that a failure says what was missing.
  page.setDefaultTimeout(100_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (![BLOCKED_WORKER, QUICK_HAND].includes(message.text())) complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
