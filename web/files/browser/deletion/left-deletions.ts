/**
 * Deletions that became final because the page was left. The server gets them after the request for the next page of the tab, whose list therefore
 * still has their entries.
 */
const KEY = "files-left-deletions";

/** Remembers entries that are being deleted, for the next page of this tab. */
export function rememberLeftDeletions(ids: readonly string[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...readLeftDeletions(), ...ids]));
  } catch {
    // Without storage, the next page shows them until it loads its list again.
  }
}

/** Returns the entries that the page before in this tab was deleting, once. */
export function takeLeftDeletions(): readonly string[] {
  const ids = readLeftDeletions();
  if (ids.length > 0) sessionStorage.removeItem(KEY);
  return ids;
}

function readLeftDeletions(): readonly string[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as readonly string[];
  } catch {
    return [];
  }
}
