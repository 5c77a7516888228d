/** Returns the name of the lock of a share. By the lock, tabs of this device know that another one sends files of the share. Locks need HTTPS. */
const nameOf = (shortId: string): string => `upload ${shortId}`;

/** Takes the lock of the share, until the signal aborts or the page ends. */
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
