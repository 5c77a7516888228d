/**
 * Shows the uploader in place of the form that works without JavaScript. Keeps values that were entered before this script was loaded, and files that
 * are chosen in a window that was open meanwhile.
 */
export function replaceForm(root: HTMLElement, show: (files: readonly File[]) => void): void {
  const early = root.querySelector<HTMLInputElement>("#file");
  const before = root.querySelector("form");
  const entered = before ? [...new FormData(before)] : [];
  const isOpen = Boolean(before?.querySelector("details[open]"));
  root.replaceChildren();
  show([...(early?.files ?? [])]);
  for (const [name, value] of entered) if (typeof value === "string") enter(root.querySelector("form")?.elements.namedItem(name), value);
  if (isOpen) root.querySelector("details")?.setAttribute("open", "");
  early?.addEventListener("change", () => {
    const field = root.querySelector<HTMLInputElement>("#file");
    if (!field) return;
    field.files = early.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

function enter(field: unknown, value: string): void {
  if (field instanceof RadioNodeList) {
    field.value = value;
    for (const radio of field)
      if (radio instanceof HTMLInputElement && radio.checked) radio.dispatchEvent(new Event("change", { bubbles: true }));
    return;
  }
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement;
  if (!isField) return;
  if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = true;
  else field.value = value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
