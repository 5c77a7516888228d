/** Disables the button of each form that saves changes, until one of its fields has another value than the server sent. */
export function watchUnchangedForms(main: HTMLElement): void {
  for (const form of main.querySelectorAll<HTMLFormElement>("form[data-unchanged]")) {
    const update = (): void => {
      const fields = [...form.querySelectorAll("input")];
      const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
      if (button) button.disabled = !fields.some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked);
    };
    form.addEventListener("input", update);
    // The browser may have restored what was typed.
    update();
  }
}
