/** Focuses the first of these elements that exists, if the focused element was removed. Waits until the page is rendered. */
export function keepFocus(...selectors: readonly string[]): void {
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const [found] = selectors.flatMap((selector) => document.querySelector<HTMLElement>(selector) ?? []);
    found?.focus({ preventScroll: true });
  });
}
