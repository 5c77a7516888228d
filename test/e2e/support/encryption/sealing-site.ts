import { before } from "node:test";
import type { LaunchOptions } from "../../../support/browser/browser.ts";
import { type BrowsedServer, useBrowsedServer } from "../pages/browsed-server.ts";
import { createSealingSender, type SealingSender } from "./sealed-files.ts";

export interface SealingSite extends BrowsedServer {
  readonly sender: SealingSender;
}

/** The settings with which pages cannot load bytes from another site, and with which the log has every request. */
export const GUARDED = { FILEHOST_CONTENT_URL: "http://content.example.org:9", FILEHOST_LOG: "trace:json" } as const;

/** Starts a browser, a server and a sender of encrypted files for the tests of a suite. Hooks of the suite start and stop them. */
export function useSealingSite(env: Readonly<Record<string, string>> = {}, options: LaunchOptions = {}): SealingSite {
  const site = useBrowsedServer(env, options);
  let sender: SealingSender | undefined;
  before(async () => {
    sender = await createSealingSender(site.server);
  });
  return {
    get browser() {
      return site.browser;
    },
    get server() {
      return site.server;
    },
    get sender() {
      if (sender === undefined) throw new Error("The sender is created before the first test.");
      return sender;
    },
  };
}
