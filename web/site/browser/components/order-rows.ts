import { compareNaturally } from "../../natural-order.ts";

/** Puts rows of one list into the natural order of their labels. Moves them only if their order changes, because a moved row loses the focus. */
export function orderRows(rows: readonly { readonly row: Element; readonly label: string }[]): void {
  const ordered = rows.toSorted((one, other) => compareNaturally(one.label, other.label));
  if (ordered.every((entry, index) => entry === rows[index])) return;
  const focused = document.activeElement;
  ordered.at(0)?.row.parentElement?.append(...ordered.map(({ row }) => row));
  if (focused instanceof HTMLElement && focused !== document.activeElement) focused.focus({ preventScroll: true });
}
