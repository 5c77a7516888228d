/** The buttons that decrypt and save received files: one, or several as one ZIP. */
import { ownKey as texts } from "#texts/requests";
import { archiveSegment } from "../../../src/lib/formats/archive-names.ts";
import { toShownName } from "../../../src/transfer/encryption/decrypted-name.ts";
import { DecryptionError } from "../../../src/transfer/encryption/decryption-error.ts";
import { openFile } from "../../share/browser/decrypt/decrypt-in-worker.ts";
import { openAsZip } from "../../share/browser/decrypt/decrypt-to-zip.ts";
import { toEncryptedName } from "../../share/browser/decrypt/hidden-name.ts";
import { DownloadRefused, type SaveInput, saveDecrypted, TooLarge } from "../../share/browser/decrypt/save-decrypted.ts";
import { size } from "../../site/browser/components/format.ts";

/** The number of running decryptions. */
let saving = 0;

addEventListener("beforeunload", (event) => {
  if (saving > 0) event.preventDefault();
});

/** Adds the button that saves the file of a row. */
export function offerFile(row: HTMLElement, identity: string): void {
  const [button, action, label] = [document.createElement("button"), document.createElement("span"), document.createElement("span")];
  Object.assign(button, { className: "button small", type: "button" });
  button.dataset.save = "";
  action.textContent = texts.download;
  Object.assign(label, { className: "unseen", textContent: ` ${row.dataset.name}` });
  button.append(action, label);
  onPress(button, action, async (signal) => {
    const { sealed: fileId = "", shortId = "", name = "", size } = row.dataset;
    const hiddenName = await save(row, {
      form: createForm(`/d/${encodeURIComponent(shortId)}/download`),
      ...{ id: fileId, fields: { fileId }, open: openFile, name, sizeBytes: Number(size), key: identity, signal },
    });
    const isKnown = hiddenName === undefined || toEncryptedName(hiddenName) === name;
    return isKnown ? texts.savedFile : texts.savedNamed(toShownName(hiddenName));
  });
  row.append(button);
}

/** The rows of the files that a button for several files is for. */
const rowsOf = (button: HTMLElement): readonly HTMLElement[] => [
  ...(button.closest(".submission, .received")?.querySelectorAll<HTMLElement>("[data-sealed]") ?? []),
];

/** Shows the button that saves several files as one ZIP. It leaves out those that the key has not opened, so that they do not end the others. */
export function offerAll(button: HTMLButtonElement, identity: string): void {
  const action = button.querySelector<HTMLElement>("[data-action]");
  const place = button.closest<HTMLElement>(".received-head");
  if (!action || !place) return;
  onPress(button, action, async (signal) => {
    const rows = rowsOf(button);
    const readable = rows.filter(({ dataset }) => dataset.unreadable === undefined);
    const isAll = button.dataset.saveAll === "all" && readable.length === rows.length;
    const fileIds = isAll ? "" : readable.map(({ dataset }) => dataset.sealed).join(",");
    await save(place, {
      form: createForm(`${location.pathname}/download`),
      ...{ id: `all ${fileIds}`, fields: isAll ? {} : { fileIds }, open: openAsZip(() => undefined), key: identity, signal },
      name: archiveSegment(document.querySelector("h1")?.textContent ?? "", ".zip"),
      sizeBytes: Number(button.dataset.size),
    });
    return rows.length === readable.length ? texts.savedFiles : texts.savedSome;
  });
  button.hidden = false;
}

/** Shows the decrypted size of several files, if all of them are opened; hides the button if none is. */
export function showTotal(button: HTMLButtonElement): void {
  const rows = rowsOf(button);
  button.hidden = rows.every(({ dataset }) => dataset.unreadable !== undefined);
  const sizes = rows.map(({ dataset }) => Number(dataset.plainBytes));
  const aside = button.querySelector(".aside");
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (aside && Number.isFinite(total))
    aside.textContent = (aside.textContent ?? "").replace(size(Number(button.dataset.size)), size(total));
}

function createForm(action: string): HTMLFormElement {
  const form = document.createElement("form");
  form.action = action;
  return form;
}

/** Saves when the button is pressed, and cancels this when it is pressed again. */
function onPress(button: HTMLButtonElement, action: HTMLElement, start: (signal: AbortSignal) => Promise<string>): void {
  const place = button.closest<HTMLElement>(".received-head") ?? undefined;
  const label = [...action.childNodes];
  let cancelling: AbortController | undefined;
  button.addEventListener("click", async () => {
    if (cancelling) return cancelling.abort();
    cancelling = new AbortController();
    const { signal } = cancelling;
    const said = place ?? button.closest<HTMLElement>("[data-sealed]");
    action.textContent = texts.cancel;
    saving += 1;
    const end = await start(signal).catch((error: unknown) => (signal.aborted ? texts.cancelled : describe(error)));
    saving -= 1;
    if (said) sayOf(said, end);
    cancelling = undefined;
    action.replaceChildren(...label);
  });
}

function save(place: HTMLElement, input: Omit<SaveInput, "onLoaded" | "onKey" | "onDecrypted">): Promise<string | undefined> {
  const progress = (text: string) => (share: number) => sayOf(place, `${text} ${Math.floor(100 * Math.min(1, share))} %`);
  return saveDecrypted({
    ...input,
    onLoaded: progress(texts.loading),
    onKey: () => undefined,
    onDecrypted: progress(texts.decrypting),
  });
}

function describe(error: unknown): string {
  if (error instanceof DecryptionError) return error.problem === "wrongKey" ? texts.otherFileKey : texts.damaged;
  if (error instanceof TooLarge) return texts.tooLarge;
  if (error instanceof DOMException) return error.name === "AbortError" ? "" : texts.notStored;
  return error instanceof DownloadRefused ? texts.refused : texts.broken;
}

/** Says how the decryption of a file, or of several, goes. */
export function sayOf(place: HTMLElement, text: string): void {
  const found = place.querySelector<HTMLElement>("[data-status]");
  const status = found ?? document.createElement("p");
  if (!found) {
    status.dataset.status = "";
    status.className = "quiet";
    status.role = "status";
    place.querySelector(".what, .heading")?.append(status);
  }
  status.textContent = text;
}
