/** Messages between tabs of this device about deletions of shares that were undone. */
const open = (): BroadcastChannel => new BroadcastChannel("filehost undone");

export function announceUndone(shortId: string): void {
  const channel = open();
  channel.postMessage(shortId);
  channel.close();
}

/** Calls the listener when another tab undoes the deletion. Returns a function that removes the listener. */
export function onUndone(shortId: string, listener: () => void): () => void {
  const channel = open();
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === shortId) listener();
  };
  return () => channel.close();
}
