/**
 * Returns the focus to the element that had it before a dialog. If that element was removed, the list's current row gets the focus, or the page's
 * content.
 */
export function returnFocus(before: Element | null): void {
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  // The element that opened the dialog may be removed together with it.
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return;
    const row = document.querySelector<HTMLElement>("[role=row][tabindex='0']");
    (row ?? document.getElementById("main"))?.focus({ preventScroll: true });
  });
}
