/** Loads the sender's bar on the page of a share that was sent from this device. Others load only this file. */
const PAGE = /^\/d\/([^/]+)$/;

export async function loadSenderBar(): Promise<void> {
  const shortId = PAGE.exec(location.pathname)?.[1];
  if (shortId === undefined || !(await hasDatabase())) return;
  const { findShare } = await import("../device/shares.ts");
  const share = await findShare(shortId);
  if (share) await (await import("./main.tsx")).showSenderBar(share);
}

/** Whether something was sent from this device. Older browsers cannot tell. */
async function hasDatabase(): Promise<boolean> {
  const databases = await indexedDB.databases?.();
  return databases?.some(({ name }) => name === "filehost") ?? true;
}
