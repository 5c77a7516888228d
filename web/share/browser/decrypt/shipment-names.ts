/** The order and the labels of a shipment's decrypted names, and what the shipment itself is called. */
import { archiveName, SHIPMENT_NAME } from "../../../../src/lib/formats/archive-names.ts";
import { commonFolder } from "../../../../src/lib/text/relative-path.ts";
import { size } from "../../../site/browser/components/format.ts";
import { orderRows } from "../../../site/browser/components/order-rows.ts";
import { toFolderName } from "../../../site/format.ts";
import { showLabel } from "./decrypted-names.tsx";

/** The buttons of the listed files that are named, each with its decrypted path. */
const namedButtons = (): readonly HTMLButtonElement[] => [...document.querySelectorAll<HTMLButtonElement>("#entries button[data-path]")];

/** Whether the page lists all files of the shipment, and all of them are named. */
const isWhole = (): boolean =>
  document.querySelector("#listing .pages, #listing .path, #listing [data-found], #entries .folder") === null &&
  document.querySelector("#entries .get:not([data-path])") === null;

/** Orders the rows by their decrypted paths, shows each below the common folder, and calls an untitled shipment by this folder. */
export function arrangeRows(): void {
  const buttons = namedButtons();
  if (buttons.length === 0) return;
  const paths = buttons.map(({ dataset }) => dataset.path ?? "");
  const folder = isWhole() ? commonFolder(paths) : "";
  const start = folder === "" ? 0 : folder.length + 1;
  const rows = buttons.flatMap((button) => {
    const row = button.closest("li");
    const label = (button.dataset.path ?? "").slice(start);
    if (row) showLabel(row, label);
    return row ? [{ row, label }] : [];
  });
  const sort = document.querySelector<HTMLSelectElement>("select#sort");
  if (!sort?.value.includes("sort=")) orderRows(rows);
  if (isWhole()) showWhole(buttons, folder);
  document.dispatchEvent(new Event("filehost:named"));
}

/** Shows the decrypted size of all files, and their folder as the heading. */
function showWhole(buttons: readonly HTMLButtonElement[], folder: string): void {
  const heading = document.querySelector<HTMLElement>("h1[data-untitled]");
  const facts = document.querySelector(".share .facts-line")?.firstChild;
  const all = document.querySelector<HTMLElement>("button[data-all]");
  const total = size(buttons.reduce((sum, { dataset }) => sum + Number(dataset.plainBytes), 0));
  const known = size(Number(all?.dataset.encrypted));
  if (facts) facts.textContent = (facts.textContent ?? "").replace(known, total);
  const aside = all?.querySelector(".aside");
  if (aside) aside.textContent = (aside.textContent ?? "").replace(known, total);
  if (!heading || folder === "") return;
  const count = heading.textContent ?? "";
  const name = document.createElement("bdi");
  name.textContent = toFolderName(folder);
  heading.replaceChildren(name);
  if (facts) facts.textContent = [count, facts.textContent].join(" · ");
  document.title = document.title.replace(count, () => name.textContent ?? "");
  delete heading.dataset.untitled;
}

/** Returns the name of a shipment's ZIP, as the server names it: by the common folder of its files, if they are named and it has no title. */
export function zipName(form: HTMLFormElement): string {
  const [, shortId = ""] = /\/d\/([^/]+)\//.exec(form.action) ?? [];
  const { title } = document.querySelector<HTMLElement>("button[data-all]")?.dataset ?? {};
  const paths = isWhole() ? namedButtons().map(({ dataset }) => dataset.path ?? "") : [];
  return archiveName({ title: title ?? null, name: SHIPMENT_NAME, short_id: decodeURIComponent(shortId) }, paths);
}
