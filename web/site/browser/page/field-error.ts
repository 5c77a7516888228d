/** The sentence below a field that the browser refuses, in place of the browser's bubble. */
import { fieldErrors as texts } from "#texts/site";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

/** Shows what is wrong with a field until it is changed. The first wrong field of a form gets the focus, which reads the sentence to a person. */
export function showFieldError(refused: Field): void {
  // The radio buttons of a group are one question.
  const group = refused.type === "radio" ? refused.closest("fieldset") : null;
  const field = group?.querySelector("input") ?? refused;
  const id = `${field.id || field.name}-error`;
  const message = document.getElementById(id) ?? insertMessage({ field, group, id });
  message.textContent = describe(field);
  if (field.form?.querySelector(":is(input, select, textarea):invalid") === field) field.focus();
}

interface Place {
  readonly field: Field;
  /** The group of radio buttons with the field. */
  readonly group: HTMLFieldSetElement | null;
  readonly id: string;
}

function insertMessage({ field, group, id }: Place): HTMLElement {
  const message = Object.assign(document.createElement("span"), { id, className: "quiet block field-error" });
  (group?.querySelector("legend") ?? field.closest(".code-row, .password-field") ?? field).after(message);
  const described = field.getAttribute("aria-describedby");
  const invalid = field.getAttribute("aria-invalid");
  field.setAttribute("aria-describedby", [id, described].filter(Boolean).join(" "));
  field.setAttribute("aria-invalid", "true");
  const end = (): void => {
    message.remove();
    setOrRemove(field, "aria-describedby", described);
    setOrRemove(field, "aria-invalid", invalid);
  };
  (group ?? field).addEventListener("input", end, { once: true });
  return message;
}

function setOrRemove(field: Field, name: string, value: string | null): void {
  if (value === null) field.removeAttribute(name);
  else field.setAttribute(name, value);
}

function describe(field: Field): string {
  const { validity } = field;
  if (validity.valueMissing) {
    if (field instanceof HTMLSelectElement || field.type === "radio") return texts.notChosen;
    if (field.type === "checkbox") return texts.notChecked;
    if (field.type === "email") return texts.email;
    if (field.type === "url") return texts.url;
    if (field.type === "file") return texts.noFile;
    if (field.type === "password") return texts.noPassword;
    return texts.missing[field.name] ?? texts.missing.other;
  }
  if (validity.typeMismatch) return field.type === "email" ? texts.email : texts.url;
  if (field instanceof HTMLSelectElement) return texts.other;
  if (validity.tooShort) return texts.tooShort(field.minLength);
  if (validity.tooLong) return texts.tooLong(field.maxLength);
  if (field instanceof HTMLTextAreaElement) return texts.other;
  const isTime = field.type === "date" || field.type === "datetime-local";
  if (validity.rangeUnderflow) return isTime ? texts.tooEarly : texts.tooSmall(field.min);
  if (validity.rangeOverflow) return isTime ? texts.tooLate : texts.tooLarge(field.max);
  if (field.type === "number" && (validity.badInput || validity.stepMismatch)) return texts.notWhole;
  return field.title || texts.other;
}
