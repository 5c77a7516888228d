import { returnFocus } from "./return-focus.ts";

/**
 * Shows a question that opens in a menu (`summary[data-dialog]`, whose attributes have the title and the label of the way back) as a dialog. Its form
 * is in the dialog until it is closed.
 */
export function showQuestion(summary: HTMLElement): void {
  const question = summary.parentElement;
  const form = question?.querySelector("form");
  const submit = form?.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!question || !form || !submit) return;
  const { dialog: title = "", cancel = "" } = summary.dataset;
  const dialog = createElement("dialog", { className: "card" });
  const heading = createElement("h2", { id: "dialog-title", textContent: title });
  const back = createElement("button", { type: "button", className: "button plain", textContent: cancel });
  const choices = createElement("div", { className: "choices" });
  dialog.setAttribute("aria-labelledby", heading.id);
  submit.before(choices);
  choices.append(submit, back);
  form.className = "form";
  dialog.append(heading, form);
  back.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    choices.replaceWith(submit);
    form.className = "ask-body";
    question.append(form);
    dialog.remove();
    returnFocus(question.closest(".menu-opener")?.querySelector("summary") ?? null);
  });
  question.closest(".menu-opener")?.removeAttribute("open");
  document.body.append(dialog);
  dialog.showModal();
}

function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
