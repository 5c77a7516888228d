/** Resolves when the page is in the foreground. */
export function whenVisible(): Promise<unknown> {
  return new Promise((resolve) => {
    if (!document.hidden) return resolve(undefined);
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}
