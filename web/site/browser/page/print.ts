/** Makes all current and future buttons with `data-print` print the page. */
export function addPrintButtons(): void {
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button[data-print]")) print();
  });
}
