/** Shows the names and previews of the encrypted files of a page whose downloads are not counted. Loaded once a key is known. */
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { parsePage } from "../../../site/browser/page/main-element.ts";
import { send } from "../../../site/browser/page/send.ts";
import { findPlace, showName } from "./decrypted-names.tsx";
import { createPreview, type PreviewedFile, toPreviewed } from "./decrypted-preview.ts";
import { offerThumbnail } from "./decrypted-thumbnails.ts";
import { type ListedPreview, linkName, openOnly } from "./decrypted-viewer.ts";
import { createDecryptor, type Decryptor } from "./decryptor.ts";
import { BytesRefused, type EncryptedFile, openEncryptedFile } from "./encrypted-file.ts";
import { showGrid } from "./photo-grid.ts";
import { arrangeRows } from "./shipment-names.ts";

/** The number of files whose names are read at the same time. */
const PARALLEL = 4;

interface Revealed {
  /** The name with its folders; undefined if it cannot be read. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
  readonly previewed: PreviewedFile | undefined;
}

const UNKNOWN: Revealed = { path: undefined, sizeBytes: 0, previewed: undefined };

let decryptor: Decryptor | undefined;
/** The files that were opened with a key, by key and ID. They stay when <main> is replaced. */
const revealed = new Map<string, Promise<Revealed>>();

/**
 * Shows the names of all encrypted files on the page, and the preview of the only one. Files that the key does not fit stay as they are. Resolves to
 * whether the key fits a file; undefined if none could be read.
 */
export async function reveal(key: string): Promise<boolean | undefined> {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("button[data-bytes]:not([data-revealed])")];
  for (const button of buttons) button.dataset.revealed = "";
  const queue = buttons.values();
  const problems = (await Promise.all(Array.from({ length: PARALLEL }, () => work(queue, key)))).flat();
  arrangeRows();
  showGrid();
  if (buttons.some(({ dataset }) => dataset.path !== undefined)) return true;
  return problems.some((error) => error instanceof DecryptionError && error.problem === "wrongKey") ? false : undefined;
}

/** Resolves to the errors of the files that could not be opened. */
async function work(buttons: Iterator<HTMLButtonElement>, key: string): Promise<readonly unknown[]> {
  const problems: unknown[] = [];
  for (let next = buttons.next(); !next.done; next = buttons.next()) {
    const button = next.value;
    const { path, sizeBytes, previewed } = await find(button, key).catch((error: unknown) => {
      // Another key may fit.
      delete button.dataset.revealed;
      if (!(error instanceof DecryptionError || error instanceof BytesRefused || error instanceof TypeError)) reportError(error);
      problems.push(error);
      return UNKNOWN;
    });
    if (path === undefined || !button.isConnected) continue;
    showName(button, { path, contentType: previewed?.type.type ?? "", sizeBytes });
    if (!previewed) continue;
    const { name } = findPlace(button);
    const row = button.closest("li");
    if (row && name) {
      linkName(name, toListed(button, previewed));
      if (previewed.type.kind === "image") row.dataset.photo = "";
      offerThumbnail(row, previewed);
    } else await showPreview(button, previewed);
  }
  return problems;
}

const fileIdOf = (button: HTMLButtonElement): string => button.value || String(new FormData(button.form ?? undefined).get("fileId"));

function find(button: HTMLButtonElement, key: string): Promise<Revealed> {
  const id = `${key}\n${fileIdOf(button)}`;
  const found = revealed.get(id) ?? open(button, key);
  revealed.set(id, found);
  found.catch(() => revealed.delete(id));
  return found;
}

async function open(button: HTMLButtonElement, key: string): Promise<Revealed> {
  decryptor ??= createDecryptor();
  const { bytes = "", encrypted, name = "" } = button.dataset;
  const fileId = fileIdOf(button);
  const file: EncryptedFile = { fileId, url: bytes, sizeBytes: Number(encrypted), renew: () => renew(fileId) };
  const opened = await openEncryptedFile(file, key, decryptor);
  if (!opened) return UNKNOWN;
  const plain = opened.hiddenName ?? name.replace(/\.age$/i, "");
  return { path: plain, sizeBytes: opened.sizeBytes, previewed: toPreviewed(plain.replace(/^.*\//, ""), opened) };
}

/** Requests the page again for the present path of a file's bytes. */
async function renew(fileId: string): Promise<string | undefined> {
  const form = document.querySelector("form[data-again], form#go[method=post]");
  const response = await (form instanceof HTMLFormElement
    ? send(form)
    : fetch(`${location.pathname}${location.search}`, { headers: { Accept: "text/html" }, cache: "no-store" }));
  const buttons = [...parsePage(await response.text()).querySelectorAll<HTMLButtonElement>("button[data-bytes]")];
  return buttons.find((button) => fileIdOf(button) === fileId)?.dataset.bytes;
}

/** Shows the preview of the only file, above its download. */
async function showPreview(button: HTMLButtonElement, previewed: PreviewedFile): Promise<void> {
  const { form } = button;
  const share = button.closest<HTMLElement>(".share");
  if (!form || !share || share.querySelector(".preview")) return;
  const preview = await createPreview(previewed, {
    // The preview is part of the page.
    signal: new AbortController().signal,
    isEnlarged: false,
    onKey: (key) => {
      if (key === "Enter") void openOnly(toListed(button, previewed), share.querySelector<HTMLElement>(".preview") ?? share);
    },
  });
  preview.id = "preview";
  form.before(preview);
  if (previewed.type.kind === "image") showAsPhoto(share);
}

/** Gives the page of one decrypted photo the layout of the page of a photo. */
function showAsPhoto(share: HTMLElement): void {
  share.classList.add("photo", "beside");
  share.querySelector(".file > .tile")?.remove();
  document.body.classList.remove("narrow", "medium");
  document.body.classList.add("full");
}

const toListed = (button: HTMLButtonElement, previewed: PreviewedFile): ListedPreview => ({
  id: fileIdOf(button),
  previewed,
  facts: () =>
    (button.closest("li")?.querySelector(".what .quiet") ?? button.closest(".share")?.querySelector(".facts-line"))?.textContent ?? "",
  download: () => button.click(),
});
