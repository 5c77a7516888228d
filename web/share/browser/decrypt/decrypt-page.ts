/** Decrypts files on the page of a share, each alone or all into one ZIP, with the key in the link, or with an entered key. */
import { encryption as texts } from "#texts/share";
import { toShownName } from "../../../../src/transfer/encryption/decrypted-name.ts";
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { getMain } from "../../../site/browser/page/main-element.ts";
import { refresh } from "../../../site/browser/page/refresh.ts";
import { openFile } from "./decrypt-in-worker.ts";
import { openAsZip } from "./decrypt-to-zip.ts";
import { createProgress, explain, say, status } from "./decryption-status.ts";
import { toEncryptedName } from "./hidden-name.ts";
import { disableKeyForm, refuseEntered, showProblem, updateKeyForm } from "./key-form.ts";
import { acceptKey, getKey, giveUpKey, hasBrokenKey, keepFragment, linkKey, needsKey, refuseKey } from "./known-key.ts";
import { type SaveInput, saveDecrypted } from "./save-decrypted.ts";
import { zipName } from "./shipment-names.ts";

/** The buttons of encrypted files, each with the name of its file, and the buttons that download several files of which some are encrypted. */
const BUTTONS = "button[data-encrypted]";
const isForSeveral = (button: HTMLButtonElement): boolean => button.dataset.name === undefined;

/** The running decryption. */
let running: { readonly id: string; readonly cancelling: AbortController } | undefined;
/** The number of decryptions that have begun. */
let begun = 0;

/** Adds the controls for encrypted files to the shown page, if it has none yet. */
export function improveDecryption(): void {
  const main = getMain();
  const buttons = [...(main?.querySelectorAll<HTMLButtonElement>(`${BUTTONS}:not([data-decrypt])`) ?? [])];
  const form = buttons[0]?.form;
  if (!main || !form) return;
  const isOneFile = form.classList.contains("download");
  if (!form.querySelector("[data-decryption]")) form.prepend(createPanel(isOneFile));
  for (const button of buttons) {
    button.dataset.decrypt = "";
    if (button.dataset.needsScript === "") button.disabled = false;
  }
  keepFragment(main);
  askForKey();
  disableRunning();
  if (hasBrokenKey && getKey() === "") showProblem(texts.linkKeyBroken);
  void revealNames();
}

const findForm = (): HTMLFormElement | null => document.querySelector<HTMLFormElement>("form[data-download]");

/** Shows the form for the key while one is needed. */
function askForKey(): void {
  const form = findForm();
  if (form) updateKeyForm(form, needsKey(), () => void useEntered());
}

function accept(key: string): void {
  acceptKey(key);
  askForKey();
}

/** Shows why a key does not fit: below its field, unless it fits other files. */
function refuse(key: string, problem: string): void {
  const wasAsked = needsKey();
  refuseKey(key);
  askForKey();
  if (!needsKey()) say(problem, "problem");
  else if (wasAsked) refuseEntered(problem);
  else showProblem(problem);
}

/**
 * Shows names and previews with the key. The script for them is loaded only if the page has files that it may decrypt for a preview. Nothing is said
 * at first of a key in the link, because a text above the buttons would move them away. Resolves to whether the key fits, if this is known.
 */
async function revealNames(): Promise<boolean | undefined> {
  const key = getKey();
  if (key === "" || running || !document.querySelector("button[data-bytes]:not([data-revealed])")) return undefined;
  const before = begun;
  const isAsked = needsKey();
  if (isAsked) say(texts.tryingKey);
  const { reveal } = await import("./reveal.ts");
  const fits = await reveal(key);
  if (fits) accept(key);
  // Meanwhile another key was entered, or a decryption has begun, which has its own messages.
  if (before !== begun || key !== getKey()) return fits;
  if (isAsked) say("");
  // A later part of the list may have another key.
  if (fits === false && !document.querySelector("#entries [data-path]"))
    refuse(key, key === linkKey ? texts.linkKeyUnfit : texts.enteredKeyUnfit);
  return fits;
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
  panel.append(status);
  // A preview of names would read files that are counted.
  if (!isOneFile && document.querySelector("form.shipment[data-download=limited]")) panel.append(createParagraph(texts.namesAfterDownload));
  return panel;
}

function createParagraph(text: string): HTMLElement {
  const paragraph = document.createElement("p");
  return Object.assign(paragraph, { className: "quiet", textContent: text });
}

/** Shows the names with the entered key. Where this does not show whether it fits, such as with counted downloads, downloads the only file, or all. */
async function useEntered(): Promise<void> {
  if (getKey() === "") return refuseEntered(texts.keyMissing);
  if ((await revealNames()) === undefined)
    findForm()?.querySelector<HTMLButtonElement>("[data-decrypt][data-needs-script]:enabled")?.click();
}

/** Names what a button downloads. The buttons of several files have one name, because only one of them is used at a time. */
const idOf = (form: HTMLFormElement, button: HTMLButtonElement): string =>
  isForSeveral(button) ? "several" : button.value || String(new FormData(form).get("fileId"));

/** Disables the buttons of what is being decrypted, also after another <main> has replaced the first one. */
function disableRunning(): void {
  if (!running) return;
  disableKeyForm(true);
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-decrypt]"))
    if (button.form && idOf(button.form, button) === running.id) button.disabled = true;
}

async function decrypt(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const key = getKey();
  if (running) return;
  if (key === "") return refuseEntered(texts.keyMissing);
  const cancelling = new AbortController();
  const id = idOf(form, button);
  running = { id, cancelling };
  begun += 1;
  button.disabled = true;
  disableKeyForm(true);
  try {
    const progress = createProgress(cancelling);
    const hiddenName = await saveDecrypted({
      ...(isForSeveral(button) ? toZipInput(form, button, progress.name) : toFileInput(id, button)),
      form,
      key,
      sizeBytes: Number(button.dataset.encrypted),
      signal: cancelling.signal,
      onLoaded: (share) => progress.show(texts.loading, share),
      onKey: () => progress.show(texts.tryingKey),
      onDecrypted: (share) => progress.show(texts.decrypting, share),
    });
    const isKnown = hiddenName === undefined || button.dataset.name === toEncryptedName(hiddenName);
    accept(key);
    say(isKnown ? texts.saved : texts.savedNamed(toShownName(hiddenName)));
    if (form.dataset.download === "limited") await refresh().catch(() => undefined);
  } catch (error) {
    explain(error, cancelling.signal);
    disableKeyForm(false);
    if (!isWrongKey(error)) return;
    if (!isForSeveral(button)) giveUpKey(key);
    refuse(key, key === linkKey ? texts.wrongLinkKey : texts.wrongKey);
  } finally {
    running = undefined;
    button.disabled = false;
    const left = document.querySelectorAll<HTMLButtonElement>("button[data-decrypt]:disabled");
    for (const other of left) if (other.form && idOf(other.form, other) === id) other.disabled = false;
  }
}

const isWrongKey = (error: unknown): boolean => error instanceof DecryptionError && error.problem === "wrongKey";

type Requested = Pick<SaveInput, "id" | "fields" | "open" | "name">;

const toFileInput = (fileId: string, { dataset }: HTMLButtonElement): Requested => ({
  id: fileId,
  fields: { fileId },
  open: openFile,
  name: dataset.name ?? "",
});

/** Returns what is requested for a ZIP: all files, or the selected ones, whose check boxes are in the form. */
function toZipInput(form: HTMLFormElement, { name, value }: HTMLButtonElement, onFile: (path: string) => void): Requested {
  const fields = new FormData(form);
  const chosen = name === "all" ? [] : [...fields.getAll("select"), ...fields.getAll("selectFolder")];
  return {
    id: [name, ...chosen].join(" "),
    fields: { [name]: value },
    open: openAsZip((path) => onFile(toShownName(path))),
    name: zipName(form),
  };
}
