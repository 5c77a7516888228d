/** The received encrypted files on the page of a request: their names are shown decrypted, and each is decrypted and saved by a button. */
import { ownKey as texts } from "#texts/requests";
import { DecryptionError } from "../../../src/transfer/encryption/decryption-error.ts";
import { Semaphore } from "../../../src/transfer/semaphore.ts";
import { decryptInWorker } from "../../share/browser/decrypt/decrypt-in-worker.ts";
import { DownloadRefused, saveDecrypted, TooLarge } from "../../share/browser/decrypt/save-decrypted.ts";

/** The number of names that are decrypted at the same time, each in a worker. */
const PARALLEL_NAMES = 3;
/** Characters with which a name could change how the surrounding text reads. */
const UNSHOWN = /[\p{Cc}\p{Cf}]/gu;

/** Shows the names of all received files, and adds their buttons. Only the workers of this page get the private key. */
export function openReceivedFiles(identity: string): void {
  const names = new Semaphore(PARALLEL_NAMES);
  for (const row of document.querySelectorAll<HTMLElement>("[data-sealed]")) {
    addButton(row, identity);
    void showName(row, identity, names);
  }
}

async function showName(row: HTMLElement, identity: string, names: Semaphore): Promise<void> {
  await names.acquire();
  try {
    const url = `/files/start/${encodeURIComponent(row.dataset.sealed ?? "")}`;
    const openStart = async (): Promise<ReadableStream<Uint8Array>> => {
      const response = await fetch(url);
      if (!response.ok || !response.body) throw new Error("The file cannot be read");
      return response.body;
    };
    const { name, close } = await decryptInWorker(openStart, identity, new AbortController().signal);
    close();
    setName(row, name ?? (row.dataset.name ?? "").replace(/\.age$/, ""));
  } catch (error) {
    if (error instanceof DecryptionError) setStatus(row, error.problem === "wrongKey" ? texts.otherFileKey : texts.damaged);
  } finally {
    names.release();
  }
}

function setName(row: HTMLElement, name: string): void {
  const shown = name.replace(UNSHOWN, "");
  const place = row.querySelector(".name");
  if (place) {
    place.textContent = shown;
    place.setAttribute("dir", "auto");
  }
  const label = row.querySelector("[data-save] .unseen");
  if (label) label.textContent = ` ${shown}`;
}

function addButton(row: HTMLElement, identity: string): void {
  const [button, label] = [document.createElement("button"), document.createElement("span")];
  Object.assign(button, { className: "button small", type: "button", textContent: texts.save });
  button.dataset.save = "";
  Object.assign(label, { className: "unseen", textContent: ` ${row.dataset.name}` });
  button.append(label);
  button.addEventListener("click", () => void save(row, button, identity));
  row.append(button);
}

async function save(row: HTMLElement, button: HTMLButtonElement, identity: string): Promise<void> {
  const { sealed: fileId = "", shortId = "", name = "", size } = row.dataset;
  const form = document.createElement("form");
  form.action = `/d/${encodeURIComponent(shortId)}/download`;
  button.disabled = true;
  const progress = (text: string) => (share?: number) =>
    setStatus(row, share === undefined ? text : `${text} ${Math.floor(100 * share)} %`);
  try {
    await saveDecrypted({
      ...{ form, fileId, name, sizeBytes: Number(size), key: identity, signal: new AbortController().signal },
      onLoaded: progress(texts.loading),
      onKey: () => undefined,
      onDecrypted: progress(texts.decrypting),
    });
    setStatus(row, texts.savedFile);
  } catch (error) {
    setStatus(row, describe(error));
  } finally {
    button.disabled = false;
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
