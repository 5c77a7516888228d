/** Gives the focus back to what had it before a dialog. If that is gone by then, the list's current row gets it, or the page's content. */
export function returnFocus(before: Element | null): void {
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  // What opened the dialog may be removed together with it.
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return;
    const row = document.querySelector<HTMLElement>("[role=row][tabindex='0']");
    (row ?? document.getElementById("main"))?.focus({ preventScroll: true });
  });
}
