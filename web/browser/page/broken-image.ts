/** Says so where the preview of an image cannot be shown, in place of the browser's sign for a missing image. */
export function explainBrokenImages(): void {
  document.addEventListener("error", ({ target }) => explain(target), true);
  // An error may be earlier than this script.
  for (const image of document.querySelectorAll<HTMLImageElement>("img[data-failed]")) void image.decode().catch(() => explain(image));
}

function explain(image: EventTarget | null): void {
  if (!(image instanceof HTMLImageElement) || image.dataset.failed === undefined) return;
  const text = document.createElement("p");
  text.className = "quiet";
  text.textContent = image.dataset.failed;
  image.replaceWith(text);
}
