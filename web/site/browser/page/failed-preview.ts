/** Replaces a failed preview with a sentence. Other elements are unchanged. */
export function explainFailure(element: HTMLElement): void {
  if (element.dataset.failed === undefined) return;
  const text = document.createElement("p");
  text.className = "quiet";
  text.textContent = element.dataset.failed;
  (element.closest(".picture") ?? element).replaceWith(text);
}
