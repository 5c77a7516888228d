/**
 * Decrypts files on the page of a share, with the key in the link's fragment, or with an entered key. Neither leaves this device: the field has no
 * name, so no form sends it, and no request contains the fragment.
 */
import { encryption as texts } from "#texts/share";
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { readFragmentKey, toFragment } from "../../../../src/transfer/encryption/fragment-key.ts";
import { announce } from "../../../site/browser/components/announce.ts";
import { getMain, showPage } from "../../../site/browser/page/main-element.ts";
import { refresh } from "../../../site/browser/page/refresh.ts";
import { toEncryptedName, toShownName } from "./hidden-name.ts";
import { DownloadRefused, saveDecrypted, TooLarge } from "./save-decrypted.ts";

/** The key in the link. It is read once, because a script that changes the list may replace the URL. */
const linkKey = readFragmentKey(location.hash);
/** The fragment with the key alone. The author of the link chose the rest of the fragment, which must not get into a command that people copy. */
const fragment = linkKey === undefined ? "" : `#${toFragment(linkKey)}`;
/** The entered key. It is kept when <main> is replaced, like the messages of a decryption. */
let entered = "";
const status = document.createElement("p");
status.id = "decryption-status";
status.hidden = true;

/** The running decryption. */
let running: { readonly fileId: string; readonly cancelling: AbortController } | undefined;

/** Adds the controls for encrypted files to the shown page, if it has none yet. */
export function improveDecryption(): void {
  const main = getMain();
  const buttons = [...(main?.querySelectorAll<HTMLButtonElement>("button[data-encrypted]:not([data-decrypt])") ?? [])];
  const form = buttons[0]?.form;
  if (!main || !form) return;
  const isOneFile = form.classList.contains("download");
  if (!form.querySelector("[data-decryption]")) form.prepend(createPanel(isOneFile));
  for (const button of buttons) {
    if (isOneFile) {
      button.after(createPlainButton(button));
      replaceLabel(button, texts.decrypt);
    }
    button.dataset.decrypt = "";
  }
  disableRunning();
  if (linkKey !== undefined) keepFragment(main);
  revealWith(linkKey ?? entered);
}

/** Shows names and previews with a key. The script for them is loaded only if the page has files that it may decrypt for a preview. */
function revealWith(key: string): void {
  if (key === "" || !document.querySelector("button[data-bytes]")) return;
  void import("./reveal.ts").then(({ reveal }) => reveal(key));
}

// Another part of the list has further files.
document.addEventListener("filehost:listed", improveDecryption);

addEventListener("beforeunload", (event) => {
  if (running) event.preventDefault();
});

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
    input.addEventListener("change", () => revealWith(input.value));
    // By default, Enter would press the first button of the form, which may be another one.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      input.form?.querySelector<HTMLButtonElement>("button[data-decrypt]:enabled")?.click();
    });
    panel.append(label, hint, input);
  }
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

/** Replaces the visible text of a button, and keeps the icon and the name of the file. */
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

/** Creates the command that does the same in a terminal, with a button that copies it. */
function createCommand(): HTMLElement {
  const [box, code, button] = [document.createElement("div"), document.createElement("code"), document.createElement("button")];
  box.className = "copyable";
  Object.assign(code, { id: "decryption-command", textContent: command(), tabIndex: 0 });
  Object.assign(button, { className: "button small", type: "button", textContent: texts.copy });
  button.dataset.copy = code.id;
  box.append(code, button);
  return box;
}

/** Returns the command with the quoted link, which cannot end the quotes. */
const command = (): string => `filehost down '${`${location.origin}${location.pathname}`.replaceAll("'", "%27")}${fragment}'`;

for (const type of ["click", "auxclick", "contextmenu"])
  document.addEventListener(
    type,
    ({ target }) => addFragment(target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null),
    {
      capture: true,
    },
  );

/** Adds the key to a link to another list of the share's files. A link to the current URL gets none, because the key would prevent a reload. */
function addFragment(link: HTMLAnchorElement | null): void {
  if (link?.origin !== location.origin || link.pathname !== location.pathname || link.search === location.search) return;
  if (linkKey !== undefined && link.hash === "") link.hash = fragment;
}

/** Adds the key to the links to other languages, and to the command. The QR code, which the server drew, lacks it, and is removed. */
function keepFragment(main: HTMLElement): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".foot a[hreflang]")) link.hash = fragment;
  const terminal = main.querySelector("#terminal");
  if (terminal) terminal.textContent = command();
  main.querySelector("[data-qr]")?.remove();
}

const fileIdOf = (form: HTMLFormElement, button: HTMLButtonElement): string => button.value || String(new FormData(form).get("fileId"));

/** Disables the buttons of the file that is being decrypted, also after another <main> has replaced the first one. */
function disableRunning(): void {
  if (!running) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-decrypt]"))
    if (button.form && fileIdOf(button.form, button) === running.fileId) button.disabled = true;
}

async function decrypt(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const field = form.querySelector<HTMLInputElement>("#decryption-key");
  const key = linkKey ?? field?.value ?? "";
  if (running) return;
  if (key === "") {
    field?.focus();
    say(texts.keyMissing, "problem");
    return;
  }
  const cancelling = new AbortController();
  running = { fileId: fileIdOf(form, button), cancelling };
  button.disabled = true;
  try {
    const progress = createProgress(cancelling);
    const hiddenName = await saveDecrypted({
      form,
      fileId: running.fileId,
      name: button.dataset.name ?? "",
      sizeBytes: Number(button.dataset.encrypted),
      key,
      signal: cancelling.signal,
      onLoaded: (share) => progress(texts.loading, share),
      onKey: () => progress(texts.tryingKey),
      onDecrypted: (share) => progress(texts.decrypting, share),
    });
    const isKnown = hiddenName === undefined || button.dataset.name === toEncryptedName(hiddenName);
    say(isKnown ? texts.saved : texts.savedNamed(toShownName(hiddenName)));
    if (form.dataset.download === "limited") await refresh().catch(() => undefined);
  } catch (error) {
    explain(error, cancelling.signal);
  } finally {
    running = undefined;
    button.disabled = false;
    const left = document.querySelectorAll<HTMLButtonElement>("button[data-decrypt]:disabled");
    for (const other of left) if (other.form && fileIdOf(other.form, other) === fileIdOf(form, button)) other.disabled = false;
    if (status.className === "problem") document.querySelector<HTMLInputElement>("#decryption-key")?.select();
  }
}

function explain(error: unknown, { aborted }: AbortSignal): void {
  if (aborted) say(texts.cancelled);
  else if (error instanceof DownloadRefused) {
    say("");
    showPage(error.html, { isFormResponse: true });
  } else if (error instanceof DOMException && error.name === "AbortError") say("");
  else if (error instanceof TooLarge) {
    say(texts.tooLarge);
    if (!document.getElementById("decryption-command")) status.after(createCommand());
  } else say(describe(error), "problem");
}

function describe(error: unknown): string {
  if (error instanceof DecryptionError)
    return error.problem === "wrongKey" && linkKey !== undefined ? texts.wrongLinkKey : texts[error.problem];
  return error instanceof DOMException ? texts.notStored : texts.broken;
}

function say(text: string, className = "quiet"): void {
  status.className = className;
  status.hidden = text === "";
  status.textContent = text;
  announce(text);
}

/** Creates a function that shows progress, from 0 to 1, or undefined if it is unknown. Screen readers announce only the beginning of a step. */
function createProgress(cancelling: AbortController): (text: string, share?: number) => void {
  const [bar, cancel] = [document.createElement("progress"), document.createElement("button")];
  bar.max = 1;
  Object.assign(cancel, { className: "button small", type: "button", textContent: texts.cancel });
  cancel.addEventListener("click", () => cancelling.abort());
  let shown = "";
  return (text, share) => {
    if (text !== shown) {
      say(text);
      bar.setAttribute("aria-label", text);
      status.append(" ", bar, " ", cancel);
      shown = text;
    }
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share;
  };
}
