import type { Terminal } from "../command.ts";
import { toPlain } from "../terminal/text.ts";

/**
 * Opens a page of the payment platform, whose address has been printed, in the browser. It is not on the server's own site, so it is opened only on
 * request. Resolves to a sentence about what happened.
 */
export async function openPaymentPage(address: string, { env }: Pick<Terminal, "env">): Promise<string> {
  const { hasBrowser, openInBrowser } = await import("../../client/sign-in/open-browser.ts");
  const url = new URL(address);
  if (hasBrowser(env) && (await openInBrowser(url, env))) return `Opened the page at ${toPlain(url.host)} in the browser.`;
  return "No browser could be opened. Open the address yourself.";
}
