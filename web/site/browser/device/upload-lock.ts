/** Tabs of this device know from a lock that another one sends files of a share. Without HTTPS there are no locks. */
const nameOf = (shortId: string): string => `upload ${shortId}`;

/** Tells other tabs that this one sends files of the share, until the signal or the end of the page. */
export async function holdUploadLock(shortId: string, signal: AbortSignal): Promise<void> {
  await navigator.locks?.request(
    nameOf(shortId),
    () => new Promise((resolve) => (signal.aborted ? resolve(undefined) : signal.addEventListener("abort", resolve))),
  );
}

export async function isSentElsewhere(shortId: string): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === nameOf(shortId));
}

/** Resolves when no other tab sends files of the share any more. */
export async function whenNotSent(shortId: string): Promise<void> {
  await navigator.locks?.request(nameOf(shortId), { mode: "shared" }, () => undefined);
}
