/** The received encrypted files on the page of a request: their names and previews are shown decrypted, and buttons save them. */
import { ownKey as texts } from "#texts/requests";
import { toShownName } from "../../../src/transfer/encryption/decrypted-name.ts";
import { DecryptionError } from "../../../src/transfer/encryption/decryption-error.ts";
import { Semaphore } from "../../../src/transfer/semaphore.ts";
import { showLabel, showSize, showTile } from "../../share/browser/decrypt/decrypted-names.tsx";
import { toPreviewed } from "../../share/browser/decrypt/decrypted-preview.ts";
import { offerThumbnail } from "../../share/browser/decrypt/decrypted-thumbnails.ts";
import { linkName } from "../../share/browser/decrypt/decrypted-viewer.ts";
import { createDecryptor, type Decryptor } from "../../share/browser/decrypt/decryptor.ts";
import { openEncryptedFile } from "../../share/browser/decrypt/encrypted-file.ts";
import { toEncryptedName } from "../../share/browser/decrypt/hidden-name.ts";
import { orderRows } from "../../site/browser/components/order-rows.ts";
import { parsePage } from "../../site/browser/page/main-element.ts";
import { offerAll, offerFile, sayOf, showTotal } from "./save-received.ts";

/** The number of names that are decrypted at the same time. */
const PARALLEL_NAMES = 3;

/** Shows the names of all received files in natural order, with their previews and buttons. Only the workers of this page get the private key. */
export async function openReceivedFiles(identity: string): Promise<void> {
  const decryptor = createDecryptor();
  const names = new Semaphore(PARALLEL_NAMES);
  const rows = [...document.querySelectorAll<HTMLElement>("[data-sealed]")];
  for (const row of rows) offerFile(row, identity);
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-save-all]")) offerAll(button, identity);
  await Promise.all(
    rows.map(async (row) => {
      await names.acquire();
      await showFile(row, identity, decryptor).finally(() => names.release());
    }),
  );
  for (const list of document.querySelectorAll(".submission .files"))
    orderRows([...list.querySelectorAll("li")].map((row) => ({ row, label: row.dataset.path ?? "" })));
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-save-all]")) showTotal(button);
}

async function showFile(row: HTMLElement, identity: string, decryptor: Decryptor): Promise<void> {
  const { sealed: fileId = "", bytes, name = "", size } = row.dataset;
  // Without a signed path, the file is decrypted only as a counted download.
  if (bytes === undefined) return;
  try {
    const file = { fileId, url: bytes, sizeBytes: Number(size), renew: () => renewPath(fileId) };
    const opened = await openEncryptedFile(file, identity, decryptor);
    if (!opened) return;
    const path = opened.hiddenName ?? name.replace(/\.age$/i, "");
    showNamed(row, path, opened.sizeBytes);
    const previewed = toPreviewed(path.replace(/^.*\//, ""), opened);
    const place = row.querySelector(".what > .name");
    if (!previewed || !place) return;
    offerThumbnail(row, previewed);
    linkName(place, {
      id: fileId,
      previewed,
      facts: () => row.querySelector(".what > .quiet")?.textContent ?? "",
      download: () => row.querySelector<HTMLButtonElement>("[data-save]")?.click(),
    });
  } catch (error) {
    // After another error, the file keeps the name that the server knows, and its button tries again.
    if (!(error instanceof DecryptionError)) return;
    row.dataset.unreadable = "";
    sayOf(row, error.problem === "wrongKey" ? texts.otherFileKey : texts.damaged);
  }
}

/** Requests the page again for the present path of a file's bytes. */
async function renewPath(fileId: string): Promise<string | undefined> {
  const response = await fetch(location.pathname, { headers: { Accept: "text/html" }, cache: "no-store" });
  const rows = [...parsePage(await response.text()).querySelectorAll<HTMLElement>("[data-sealed]")];
  return rows.find(({ dataset }) => dataset.sealed === fileId)?.dataset.bytes;
}

function showNamed(row: HTMLElement, path: string, sizeBytes: number): void {
  const shown = toShownName(path);
  // A file that is chosen for saving is called by this attribute.
  Object.assign(row.dataset, { name: toEncryptedName(path), path, plainBytes: sizeBytes });
  showLabel(row, shown);
  const [tile, facts] = [row.querySelector(".tile"), row.querySelector(".what > .quiet")?.firstChild];
  if (tile) showTile(tile, shown);
  if (facts) showSize(facts, Number(row.dataset.size), sizeBytes);
  const label = row.querySelector("[data-save] .unseen");
  if (label) label.textContent = ` ${shown}`;
}
