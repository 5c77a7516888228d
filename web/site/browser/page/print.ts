/** Makes the buttons with `data-print`, now and later, print the page. */
export function addPrintButtons(): void {
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button[data-print]")) print();
  });
}
