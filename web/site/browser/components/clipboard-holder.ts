/** Which button of the page has filled the clipboard last, so that it says "Copied" as long as that is true. */

let release: (() => void) | undefined;

/**
 * Registers that the clipboard has the text of a button. `onLost` runs once, as soon as something else is copied on this page, or the person returns
 * from another window, where something else may have been copied.
 */
export function holdClipboard(onLost: () => void): void {
  release?.();
  const listening = new AbortController();
  const lose = (): void => {
    listening.abort();
    if (release === lose) release = undefined;
    onLost();
  };
  release = lose;
  const { signal } = listening;
  for (const type of ["copy", "cut"]) document.addEventListener(type, lose, { signal });
  addEventListener("focus", lose, { signal });
}
