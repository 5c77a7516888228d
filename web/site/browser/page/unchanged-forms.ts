/** Disables the button of each form that saves changes, until one of its fields has another value than the server sent. */
export function watchUnchangedForms(main: HTMLElement): void {
  for (const form of main.querySelectorAll<HTMLFormElement>("form[data-unchanged]")) {
    const update = (): void => {
      const fields = [...form.elements];
      const button = fields.find((field) => field instanceof HTMLButtonElement && field.type === "submit");
      if (button instanceof HTMLButtonElement) button.disabled = !fields.some(isChanged);
    };
    form.addEventListener("input", update);
    // The browser may have restored what was typed.
    update();
  }
}

function isChanged(field: Element): boolean {
  if (field instanceof HTMLSelectElement) return [...field.options].some(({ selected, defaultSelected }) => selected !== defaultSelected);
  if (field instanceof HTMLInputElement) return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  return field instanceof HTMLTextAreaElement && field.value !== field.defaultValue;
}
