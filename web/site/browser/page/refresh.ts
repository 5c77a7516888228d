import { delayReady, getMain, getReadyAtMs, showPage } from "./main-element.ts";
import { send } from "./send.ts";
import { whenVisible } from "./when-visible.ts";

const FIRST_DELAY_MS = 2000;
const MAX_DELAY_MS = 15_000;

/** Requests the page again, with its token if it is unlocked. */
export async function refresh(): Promise<void> {
  const main = getMain();
  const form = main?.querySelector("form[data-again]");
  const response = await (form instanceof HTMLFormElement
    ? send(form)
    : fetch(main?.dataset.refreshUrl ?? location.href, { headers: { Accept: "text/html" }, cache: "no-store" }));
  if (response.status === 429 || response.status >= 500) {
    const { retryAfterMs } = await import("../../../../src/transfer/failures.ts");
    throw Object.assign(new Error(`status ${response.status}`), { waitMs: retryAfterMs(response.headers.get("Retry-After")) });
  }
  if (response.redirected && main?.dataset.follow !== undefined) return location.replace(response.url);
  const html = await response.text();
  // The response is ignored if a form has replaced <main> in the meantime.
  if (main === getMain()) showPage(html);
}

/** Returns the time until the next refresh: `pollMs` while a state can change, at most the remaining wait; otherwise infinite. */
function nextDelayMs(pollMs: number): number {
  const { refresh, wait } = getMain()?.dataset ?? {};
  const leftMs = wait === undefined ? Number.POSITIVE_INFINITY : Math.max(1000, getReadyAtMs() - Date.now());
  return Math.min(refresh === undefined ? Number.POSITIVE_INFINITY : pollMs, leftMs);
}

let isRefreshing = false;

/** Refreshes the page until nothing on it can change. */
export async function refreshWhileNeeded(): Promise<void> {
  if (isRefreshing) return;
  isRefreshing = true;
  let delayMs = FIRST_DELAY_MS;
  for (let waitMs = nextDelayMs(delayMs); Number.isFinite(waitMs); waitMs = nextDelayMs(delayMs)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await whenVisible();
    try {
      await refresh();
      delayMs = Math.min(delayMs * 1.4, MAX_DELAY_MS);
    } catch (error) {
      const waitMs = error instanceof Error && "waitMs" in error ? Number(error.waitMs ?? 0) : 0;
      delayMs = Math.max(MAX_DELAY_MS, waitMs);
      delayReady(Date.now() + delayMs);
    }
  }
  isRefreshing = false;
}
