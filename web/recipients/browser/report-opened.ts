/**
 * Reports that a recipient has opened their private link, once the page is seen: browsers render pages in advance (recipients, "What the sender
 * sees").
 */
export function reportOpened(path: string): void {
  const report = (): void => {
    if (document.visibilityState !== "visible") return;
    document.removeEventListener("visibilitychange", report);
    void fetch(path, { method: "POST", keepalive: true }).catch(() => undefined);
  };
  document.addEventListener("visibilitychange", report);
  report();
}
