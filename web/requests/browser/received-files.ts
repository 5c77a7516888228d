/** The received encrypted files on the page of a request: their names are shown decrypted, and each is decrypted and saved by a button. */
import { ownKey as texts } from "#texts/requests";
import { DecryptionError } from "../../../src/transfer/encryption/decryption-error.ts";
import { Semaphore } from "../../../src/transfer/semaphore.ts";
import { openFile } from "../../share/browser/decrypt/decrypt-in-worker.ts";
import { createDecryptor, type Decryptor } from "../../share/browser/decrypt/decryptor.ts";
import { openEncryptedFile } from "../../share/browser/decrypt/encrypted-file.ts";
import { toEncryptedName, toShownName } from "../../share/browser/decrypt/hidden-name.ts";
import { DownloadRefused, saveDecrypted, TooLarge } from "../../share/browser/decrypt/save-decrypted.ts";
import { parsePage } from "../../site/browser/page/main-element.ts";

/** The number of names that are decrypted at the same time. */
const PARALLEL_NAMES = 3;

/** The number of files that are being saved. */
let saving = 0;

addEventListener("beforeunload", (event) => {
  if (saving > 0) event.preventDefault();
});

/** Shows the names of all received files, and adds their buttons. Only the workers of this page get the private key. */
export function openReceivedFiles(identity: string): void {
  const decryptor = createDecryptor();
  const names = new Semaphore(PARALLEL_NAMES);
  for (const row of document.querySelectorAll<HTMLElement>("[data-sealed]")) {
    addButton(row, identity);
    void names
      .acquire()
      .then(() => showName(row, identity, decryptor))
      .finally(() => names.release());
  }
}

async function showName(row: HTMLElement, identity: string, decryptor: Decryptor): Promise<void> {
  const { sealed: fileId = "", bytes, name = "", size } = row.dataset;
  // Without a signed path, the file is decrypted only as a counted download.
  if (bytes === undefined) return;
  try {
    const file = { fileId, url: bytes, sizeBytes: Number(size), renew: () => renewPath(fileId) };
    const opened = await openEncryptedFile(file, identity, decryptor);
    if (opened) setName(row, opened.hiddenName ?? name.replace(/\.age$/i, ""));
  } catch (error) {
    // After another error, the file keeps the name that the server knows, and its button tries again.
    if (error instanceof DecryptionError) setStatus(row, error.problem === "wrongKey" ? texts.otherFileKey : texts.damaged);
  }
}

/** Requests the page again for the present path of a file's bytes. */
async function renewPath(fileId: string): Promise<string | undefined> {
  const response = await fetch(location.pathname, { headers: { Accept: "text/html" }, cache: "no-store" });
  const rows = [...parsePage(await response.text()).querySelectorAll<HTMLElement>("[data-sealed]")];
  return rows.find(({ dataset }) => dataset.sealed === fileId)?.dataset.bytes;
}

function setName(row: HTMLElement, name: string): void {
  const shown = toShownName(name);
  // A file that is chosen for saving is called by this attribute.
  row.dataset.name = toEncryptedName(name);
  const place = row.querySelector(".name");
  if (place) {
    place.textContent = shown;
    place.setAttribute("dir", "auto");
  }
  const label = row.querySelector("[data-save] .unseen");
  if (label) label.textContent = ` ${shown}`;
}

/** Adds the button that saves a file, and cancels this while it lasts. */
function addButton(row: HTMLElement, identity: string): void {
  const [button, action, label] = [document.createElement("button"), document.createElement("span"), document.createElement("span")];
  Object.assign(button, { className: "button small", type: "button" });
  button.dataset.save = "";
  action.textContent = texts.save;
  Object.assign(label, { className: "unseen", textContent: ` ${row.dataset.name}` });
  button.append(action, label);
  let cancelling: AbortController | undefined;
  button.addEventListener("click", async () => {
    if (cancelling) return cancelling.abort();
    cancelling = new AbortController();
    action.textContent = texts.cancel;
    await save(row, identity, cancelling.signal);
    cancelling = undefined;
    action.textContent = texts.save;
  });
  row.append(button);
}

async function save(row: HTMLElement, identity: string, signal: AbortSignal): Promise<void> {
  const { sealed: fileId = "", shortId = "", name = "", size } = row.dataset;
  const form = document.createElement("form");
  form.action = `/d/${encodeURIComponent(shortId)}/download`;
  const progress = (text: string) => (share?: number) =>
    setStatus(row, share === undefined ? text : `${text} ${Math.floor(100 * share)} %`);
  saving += 1;
  try {
    const hiddenName = await saveDecrypted({
      ...{ form, id: fileId, fields: { fileId }, open: openFile, name, sizeBytes: Number(size), key: identity, signal },
      onLoaded: progress(texts.loading),
      onKey: () => undefined,
      onDecrypted: progress(texts.decrypting),
    });
    const isKnown = hiddenName === undefined || toEncryptedName(hiddenName) === name;
    setStatus(row, isKnown ? texts.savedFile : texts.savedNamed(toShownName(hiddenName)));
  } catch (error) {
    setStatus(row, signal.aborted ? texts.cancelled : describe(error));
  } finally {
    saving -= 1;
  }
}

function describe(error: unknown): string {
  if (error instanceof DecryptionError) return error.problem === "wrongKey" ? texts.otherFileKey : texts.damaged;
  if (error instanceof TooLarge) return texts.tooLarge;
  if (error instanceof DOMException) return error.name === "AbortError" ? "" : texts.notStored;
  return error instanceof DownloadRefused ? texts.refused : texts.broken;
}

function setStatus(row: HTMLElement, text: string): void {
  const found = row.querySelector<HTMLElement>("[data-status]");
  const status = found ?? document.createElement("p");
  if (!found) {
    status.dataset.status = "";
    status.className = "quiet";
    status.role = "status";
    row.querySelector(".what")?.append(status);
  }
  status.textContent = text;
}
