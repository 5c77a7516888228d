/** The share's page below the bar. */
import type { SentShare } from "../../../site/browser/device/shares.ts";

/** The credentials of a share that this device remembers: its code, or the private link of a share with a password. */
type Credentials = Pick<SentShare, "sharePath" | "unlockCode" | "handoffUrl">;

let isKept = false;

/** Keeps what the page shows now: no refresh that has begun replaces it. */
export function keepPage(): void {
  isKept = true;
}

/** Loads the page again and shows it. With the code or the private link of a protected share, its sender sees it unlocked. */
export async function refreshPage(share: Credentials): Promise<void> {
  const html = await (canUnlock(share) ? loadUnlocked(share) : loadPage(share.sharePath)).catch(() => undefined);
  if (html === undefined || isKept) return;
  const focused = document.activeElement;
  document.dispatchEvent(new CustomEvent("filehost:page", { detail: html }));
  // The page gets the focus, as after its forms.
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
}

const ACCEPT_HTML = { Accept: "text/html" };

async function loadPage(sharePath: string): Promise<string> {
  return await (await fetch(sharePath, { headers: ACCEPT_HTML, cache: "no-store" })).text();
}

/** Whether this device has what opens the protected share. */
export const canUnlock = ({ unlockCode, handoffUrl }: Credentials): boolean => unlockCode !== undefined || handoffUrl !== undefined;

async function loadUnlocked({ sharePath, unlockCode, handoffUrl }: Credentials): Promise<string> {
  const handoffToken = handoffUrl === undefined ? "" : (new URL(handoffUrl).pathname.split("/").at(-1) ?? "");
  const body = new URLSearchParams(unlockCode === undefined ? { handoffToken } : { unlockCode });
  const response = await fetch(`${sharePath}/unlock`, { method: "POST", body, headers: ACCEPT_HTML });
  return response.ok ? await response.text() : await loadPage(sharePath);
}

/** Whether the page asks for the code. */
export const isLocked = (): boolean => document.querySelector("main input.code") !== null;

/** Makes the page unusable while its deletion can be undone, or usable again. */
export function setInert(isInert: boolean): void {
  for (const part of document.querySelectorAll<HTMLElement>("#main > *")) part.inert = isInert;
}
