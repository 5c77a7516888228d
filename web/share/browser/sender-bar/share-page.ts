/** The share's page below the bar. */

/** Loads the page again and shows it. With the code of a protected share, its sender sees it unlocked. */
export async function refreshPage(sharePath: string, unlockCode?: string): Promise<void> {
  const html = await (unlockCode === undefined ? loadPage(sharePath) : loadUnlocked(sharePath, unlockCode)).catch(() => undefined);
  if (html === undefined) return;
  const focused = document.activeElement;
  document.dispatchEvent(new CustomEvent("filehost:page", { detail: html }));
  // The page gets the focus, as after its forms.
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
}

const ACCEPT_HTML = { Accept: "text/html" };

async function loadPage(sharePath: string): Promise<string> {
  return await (await fetch(sharePath, { headers: ACCEPT_HTML, cache: "no-store" })).text();
}

async function loadUnlocked(sharePath: string, unlockCode: string): Promise<string> {
  const body = new URLSearchParams({ unlockCode });
  const response = await fetch(`${sharePath}/unlock`, { method: "POST", body, headers: ACCEPT_HTML });
  return response.ok ? await response.text() : await loadPage(sharePath);
}

/** Whether the page asks for the code. */
export const isLocked = (): boolean => document.querySelector("main input.code") !== null;

/** Makes the page unusable while its deletion can be undone, or usable again. */
export function setInert(isInert: boolean): void {
  for (const part of document.querySelectorAll<HTMLElement>("#main > *")) part.inert = isInert;
}
