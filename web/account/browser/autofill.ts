import { browserSupportsWebAuthnAutofill, startAuthentication } from "@simplewebauthn/browser";
import { fetchOptions } from "./options.ts";

/** The time after which a new challenge is fetched. A challenge is valid for 5 minutes. */
const RENEW_MS = 4.5 * 60_000;

/** Offers passkeys among the autofill entries of the address field, until the page is closed. */
export function offerInAutofill(use: (credential: object) => void): void {
  let offeredAtMs = Number.NEGATIVE_INFINITY;
  const offer = async (): Promise<void> => {
    if (document.hidden || Date.now() - offeredAtMs < RENEW_MS) return;
    offeredAtMs = Date.now();
    setTimeout(() => void offer(), RENEW_MS);
    if (!(await browserSupportsWebAuthnAutofill())) return;
    try {
      // Starting this authentication ends the previous offer.
      use(await startAuthentication({ optionsJSON: await fetchOptions("sign-in"), useBrowserAutofill: true }));
    } catch {
      // The button or another offer has replaced this offer, or passkeys are not available now, which the button explains.
    }
  };
  document.addEventListener("visibilitychange", () => void offer());
  void offer();
}
