/** Shows a sentence below each field that the browser refuses, in place of the browser's bubble. */
export function explainInvalidFields(): void {
  document.addEventListener(
    "invalid",
    (event) => {
      // The browser's bubble is in the language of the browser, and vanishes.
      event.preventDefault();
      const { target } = event;
      void import("./field-error.ts").then(({ isField, showFieldError }) => isField(target) && showFieldError(target));
    },
    // The event does not bubble.
    { capture: true },
  );
}
