/**
 * The page of a share whose sender encrypted files: decrypts them with the key in the link's fragment, or with what is entered. Neither leaves this
 * device: the field has no name, so no form sends it, and no request contains the fragment.
 */
import { encryption as texts } from "#texts/encryption.ts";
import { readFragmentKey, toFragment } from "../../../src/transfer/encryption/fragment-key.ts";
import { announce, getMain, showPage } from "../page/main.ts";
import { refresh } from "../page/refresh.ts";
import { Refused, saveDecrypted, TooLarge } from "./save-decrypted.ts";

/** Read once: a script that changes the list may replace the URL. */
const linkKey = readFragmentKey(location.hash);
/** Of the link only its key: whoever made the link chose the rest, which must not get into a command that people copy. */
const fragment = linkKey === undefined ? "" : `#${toFragment(linkKey)}`;
/** What was entered remains when <main> is replaced. */
let entered = "";

/** Adds what encrypted files need to the page that is shown, which has none of it. */
export function improveDecryption(): void {
  const main = getMain();
  const buttons = [...(main?.querySelectorAll<HTMLButtonElement>("button[data-encrypted]") ?? [])];
  const form = buttons[0]?.form;
  if (!main || !form || form.querySelector("[data-decryption]")) return;
  const isOneFile = form.classList.contains("download");
  form.prepend(createPanel(isOneFile));
  for (const button of buttons) {
    if (isOneFile) {
      button.after(createPlainButton(button));
      replaceLabel(button, texts.decrypt);
    }
    button.dataset.decrypt = "";
  }
  if (linkKey !== undefined) keepFragment(main);
}

document.addEventListener("submit", (event) => {
  const { submitter, target } = event;
  if (!(submitter instanceof HTMLButtonElement) || submitter.dataset.decrypt === undefined || !(target instanceof HTMLFormElement)) return;
  event.preventDefault();
  void decrypt(target, submitter);
});

function createPanel(isOneFile: boolean): HTMLElement {
  const panel = document.createElement("div");
  panel.className = "field";
  panel.dataset.decryption = "";
  if (linkKey === undefined) {
    const [label, hint, input] = [document.createElement("label"), createParagraph(texts.keyHint), document.createElement("input")];
    label.htmlFor = "decryption-key";
    label.textContent = texts.key;
    hint.id = "decryption-hint";
    Object.assign(input, { id: "decryption-key", type: "password", autocomplete: "off", spellcheck: false, value: entered });
    input.setAttribute("aria-describedby", "decryption-hint decryption-status");
    input.addEventListener("input", () => {
      entered = input.value;
    });
    // Otherwise the first button of the form, which may be another.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      input.form?.querySelector<HTMLButtonElement>("button[data-decrypt]:enabled")?.click();
    });
    panel.append(label, hint, input);
  }
  const status = document.createElement("p");
  status.id = "decryption-status";
  status.hidden = true;
  panel.append(status);
  if (!isOneFile) panel.append(createParagraph(texts.all), createCommand());
  return panel;
}

function createPlainButton(button: HTMLButtonElement): HTMLButtonElement {
  const plain = document.createElement("button");
  plain.type = "submit";
  plain.className = "button plain";
  plain.textContent = texts.downloadEncrypted;
  plain.disabled = button.disabled;
  return plain;
}

/** Replaces the visible text, and keeps the icon and the name of the file. */
function replaceLabel(button: HTMLButtonElement, text: string): void {
  const label = [...button.childNodes].find(({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim());
  if (label) label.textContent = text;
}

function createParagraph(text: string): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.className = "quiet";
  paragraph.textContent = text;
  return paragraph;
}

/** The command that does the same in a terminal, with a button that copies it. */
function createCommand(): HTMLElement {
  const [box, code, button] = [document.createElement("div"), document.createElement("code"), document.createElement("button")];
  box.className = "copyable";
  Object.assign(code, { id: "decryption-command", textContent: command(), tabIndex: 0 });
  Object.assign(button, { className: "button small", type: "button", textContent: texts.copy });
  button.dataset.copy = code.id;
  box.append(code, button);
  return box;
}

/** In quotes, which the link itself cannot end. */
const command = (): string => `filehost down '${`${location.origin}${location.pathname}`.replaceAll("'", "%27")}${fragment}'`;

/** The links to the other languages keep the key; the command has it. The QR code, which the server drew, would lack it. */
function keepFragment(main: HTMLElement): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".foot a[hreflang]")) link.hash = fragment;
  const terminal = main.querySelector("#terminal");
  if (terminal) terminal.textContent = command();
  main.querySelector("[data-qr]")?.remove();
}

let isRunning = false;

async function decrypt(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const status = form.querySelector<HTMLElement>("#decryption-status");
  const field = form.querySelector<HTMLInputElement>("#decryption-key");
  const key = linkKey ?? field?.value ?? "";
  if (!status || isRunning) return;
  if (key === "") {
    field?.focus();
    say(status, texts.keyMissing, "problem");
    return;
  }
  isRunning = true;
  button.disabled = true;
  try {
    const progress = createProgress(status);
    await saveDecrypted({
      form,
      fileId: button.value || String(new FormData(form).get("fileId")),
      name: button.dataset.name ?? "",
      sizeBytes: Number(button.dataset.encrypted),
      key,
      onLoaded: (share) => progress(texts.loading, share),
      onDecrypted: (share) => progress(texts.decrypting, share),
    });
    say(status, texts.saved);
    if (form.dataset.download === "limited") await refresh().catch(() => undefined);
  } catch (error) {
    explain(status, error);
  } finally {
    isRunning = false;
    button.disabled = false;
    if (field && status.className === "problem") field.select();
  }
}

function explain(status: HTMLElement, error: unknown): void {
  if (error instanceof Refused) showPage(error.html, { isFormResponse: true });
  else if (error instanceof DOMException && error.name === "AbortError") say(status, "");
  else if (error instanceof TooLarge) {
    say(status, texts.tooLarge);
    if (!document.getElementById("decryption-command")) status.after(createCommand());
  } else say(status, describe(error), "problem");
}

function describe(error: unknown): string {
  const problem = error instanceof Error && "problem" in error ? error.problem : undefined;
  if (problem === "wrongKey") return linkKey === undefined ? texts.wrongKey : texts.wrongLinkKey;
  return problem === "damaged" ? texts.damaged : texts.broken;
}

function say(status: HTMLElement, text: string, className = "quiet"): void {
  status.className = className;
  status.hidden = text === "";
  status.textContent = text;
  announce(text);
}

/** Shows what is done, of 1. Announces only what begins. */
function createProgress(status: HTMLElement): (text: string, share: number) => void {
  const bar = document.createElement("progress");
  bar.max = 1;
  let shown = "";
  return (text, share) => {
    if (text !== shown) {
      say(status, text);
      bar.setAttribute("aria-label", text);
      status.append(" ", bar);
      shown = text;
    }
    bar.value = share;
  };
}
