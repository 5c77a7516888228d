/** Says so where the preview of an image cannot be shown, in place of the browser's sign for a missing image. */
export function explainFailedImages(): void {
  document.addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLImageElement) explainFailure(target);
    },
    true,
  );
  // An error may be earlier than this script.
  for (const image of document.querySelectorAll<HTMLImageElement>("img[data-failed]"))
    void image.decode().catch(() => explainFailure(image));
}

/** Replaces a preview that cannot be shown with a sentence; other elements stay. */
export function explainFailure(element: HTMLElement): void {
  if (element.dataset.failed === undefined) return;
  const text = document.createElement("p");
  text.className = "quiet";
  text.textContent = element.dataset.failed;
  element.replaceWith(text);
}
