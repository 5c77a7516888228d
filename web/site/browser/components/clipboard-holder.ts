/** Which button of the page has filled the clipboard last, so that it says "Copied" as long as that is true. */

let held: { readonly source: string; readonly lose: () => void } | undefined;

/**
 * Registers that the clipboard has the text of the element with the ID `source`. `onLost` runs once, as soon as something else is copied on this page,
 * or the person returns from another window, where something else may have been copied.
 */
export function holdClipboard(source: string, onLost: () => void): void {
  held?.lose();
  const listening = new AbortController();
  const lose = (): void => {
    listening.abort();
    if (held?.lose === lose) held = undefined;
    onLost();
  };
  held = { source, lose };
  const { signal } = listening;
  for (const type of ["copy", "cut"]) document.addEventListener(type, lose, { signal });
  addEventListener("focus", lose, { signal });
}

/** Whether the clipboard still has the text of the element with the ID `source`. */
export const isInClipboard = (source: string): boolean => held?.source === source;
