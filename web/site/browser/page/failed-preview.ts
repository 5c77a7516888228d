/** Shows a sentence in place of a preview image that failed to load, instead of the browser's symbol. */
export function explainFailedImages(): void {
  document.addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLImageElement) explainFailure(target);
    },
    true,
  );
  // The error may have occurred before this script ran.
  for (const image of document.querySelectorAll<HTMLImageElement>("img[data-failed]"))
    void image.decode().catch(() => explainFailure(image));
}

/** Replaces a failed preview with a sentence. Other elements are unchanged. */
export function explainFailure(element: HTMLElement): void {
  if (element.dataset.failed === undefined) return;
  const text = document.createElement("p");
  text.className = "quiet";
  text.textContent = element.dataset.failed;
  (element.closest(".picture") ?? element).replaceWith(text);
}
