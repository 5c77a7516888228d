import type { Terminal } from "../command.ts";
import { toPlain } from "../terminal/text.ts";

/**
 * Opens a page of the payment platform in the browser, whose address has been printed. It is not the server's own site, so it is only opened when it is
 * asked for. Resolves to a sentence about what happened.
 */
export async function openPaymentPage(address: string, { env }: Pick<Terminal, "env">): Promise<string> {
  const { hasBrowser, openInBrowser } = await import("../../client/sign-in/open-browser.ts");
  const url = new URL(address);
  if (hasBrowser(env) && (await openInBrowser(url, env))) return `Opened the page at ${toPlain(url.host)} in the browser.`;
  return "No browser could be opened. Open the address yourself.";
}
