import { browserSupportsWebAuthnAutofill, startAuthentication } from "@simplewebauthn/browser";
import { fetchOptions } from "./options.ts";

/** A challenge works for 5 minutes. */
const RENEW_MS = 4.5 * 60_000;

/** Offers passkeys among the entries that the browser fills into the field for the address, for as long as the page is open. */
export function offerInAutofill(use: (credential: object) => void): void {
  let offeredAtMs = Number.NEGATIVE_INFINITY;
  const offer = async (): Promise<void> => {
    if (document.hidden || Date.now() - offeredAtMs < RENEW_MS) return;
    offeredAtMs = Date.now();
    setTimeout(() => void offer(), RENEW_MS);
    if (!(await browserSupportsWebAuthnAutofill())) return;
    try {
      // Ends the offer before it.
      use(await startAuthentication({ optionsJSON: await fetchOptions("sign-in"), useBrowserAutofill: true }));
    } catch {
      // Replaced by the button or another offer, or not possible now: the button says why.
    }
  };
  document.addEventListener("visibilitychange", () => void offer());
  void offer();
}
