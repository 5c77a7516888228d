/** The form for the key of the page, which is shown while no key is known that fits. */
import { addPasswordButtons } from "../../../account/browser/show-password.ts";
import { announce } from "../../../site/browser/components/announce.ts";
import { findKeyField, keepEntered } from "./known-key.ts";

/** Shows the form above the one of the downloads, or removes it. Until a key fits, only the encrypted files are offered. */
export function updateKeyForm(download: HTMLFormElement, isNeeded: boolean, onSubmit: () => void): void {
  const shown = findKeyField()?.form;
  download.toggleAttribute("data-locked", isNeeded);
  if (isNeeded && !shown) download.before(createForm(onSubmit));
  if (isNeeded || !shown) return;
  const hadFocus = shown.contains(document.activeElement);
  shown.remove();
  if (hadFocus) download.querySelector<HTMLElement>("[data-needs-script]")?.focus();
}

function createForm(onSubmit: () => void): DocumentFragment {
  const template = document.querySelector<HTMLTemplateElement>("template[data-key-form]");
  const content = document.importNode(template?.content ?? document.createDocumentFragment(), true);
  const form = content.querySelector("form");
  const field = content.querySelector("input");
  if (!form || !field) return content;
  keepEntered(field);
  addPasswordButtons(form);
  field.addEventListener("input", () => showProblem(""));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onSubmit();
  });
  return content;
}

/** Disables the button of the form while a decryption runs. */
export function disableKeyForm(isDisabled: boolean): void {
  const button = findKeyField()?.form?.querySelector<HTMLButtonElement>("[type=submit]");
  if (button) button.disabled = isDisabled;
}

/** Shows what is wrong with the key below its field; nothing for an empty text. */
export function showProblem(text: string): void {
  const [field, line] = [findKeyField(), document.getElementById("decryption-problem")];
  if (!field || !line) return;
  line.hidden = text === "";
  line.textContent = text;
  if (text === "") field.removeAttribute("aria-invalid");
  else field.setAttribute("aria-invalid", "true");
  announce(text);
}

/** Shows what is wrong with an entered key, which can then be typed again. */
export function refuseEntered(text: string): void {
  showProblem(text);
  findKeyField()?.focus();
  findKeyField()?.select();
}
