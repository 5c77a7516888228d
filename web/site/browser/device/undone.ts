/** Tabs of this device tell each other that the deletion of a share was undone. */
const open = (): BroadcastChannel => new BroadcastChannel("filehost undone");

export function tellUndone(shortId: string): void {
  const channel = open();
  channel.postMessage(shortId);
  channel.close();
}

/** Calls the listener when another tab tells it. Returns what ends that. */
export function onUndone(shortId: string, listener: () => void): () => void {
  const channel = open();
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === shortId) listener();
  };
  return () => channel.close();
}
