/** Searches a list by the names that it shows decrypted. The server has other names, and gets no text of this search. */
import { list as texts } from "#texts/site";
import { isHiddenName } from "../../../../src/transfer/encryption/is-hidden-name.ts";
import { announce } from "../../../site/browser/components/announce.ts";
import { toSearchText } from "../../../site/format.ts";

/** The largest number of further parts of a long list that a search loads. A button below them loads others. */
const MAX_PARTS = 10;

const findField = (): HTMLInputElement | null => document.querySelector<HTMLInputElement>("input#search");

/** Whether the page shows, or is about to show, names that the server does not know. */
export function hasOwnNames(): boolean {
  const revealed = [...document.querySelectorAll<HTMLElement>("#entries button[data-revealed]")];
  const isOwn = ({ dataset }: HTMLElement): boolean => dataset.hiddenName !== undefined || isHiddenName(dataset.name ?? "");
  return revealed.some(isOwn);
}

/** Shows the rows whose names have the text of the field, also those of further parts of the list, which `addMore` loads. */
export async function searchOwnNames(addMore: () => Promise<boolean>): Promise<void> {
  // No later form of the list may send the text either.
  findField()?.removeAttribute("name");
  filterRows();
  for (let part = 0; part < MAX_PARTS && findField()?.value.trim() && (await addMore()); part += 1);
  const found = document.querySelector("[data-found-here] span")?.textContent;
  if (found) announce(found);
}

// Rows were added, or named.
for (const type of ["filehost:listed", "filehost:named"]) document.addEventListener(type, filterRows);

function filterRows(): void {
  const text = toSearchText(findField()?.value.trim() ?? "");
  const rows = [...document.querySelectorAll<HTMLElement>("#entries li")];
  // The rows in a folder come after it, and decide whether it stays.
  for (const row of rows.toReversed()) row.hidden = !toSearchText(nameOf(row)).includes(text) && !row.querySelector("li:not([hidden])");
  showCount(text === "" ? undefined : rows.filter(({ hidden, classList }) => !hidden && !classList.contains("folder")).length);
}

/** Returns the name of a row: of a file, or of a folder with the rows in it. */
const nameOf = (row: HTMLElement): string =>
  row.querySelector(":scope > .what > .name, :scope > details > summary .name")?.textContent ?? "";

/** Shows the number of found files above the list, with a button that shows all again. */
function showCount(count: number | undefined): void {
  const known = document.querySelector("[data-found-here]");
  if (count === undefined) {
    known?.remove();
    return;
  }
  const line = known ?? createLine();
  line.querySelector("span")?.replaceChildren(texts.found(count));
  if (!known) document.getElementById("entries")?.before(line);
}

function createLine(): HTMLElement {
  const [line, count, clear] = [document.createElement("p"), document.createElement("span"), document.createElement("button")];
  line.className = "found";
  line.dataset.foundHere = "";
  Object.assign(clear, { type: "button", className: "link", textContent: texts.clear });
  clear.addEventListener("click", () => {
    const field = findField();
    if (field) field.value = "";
    filterRows();
    field?.focus();
  });
  line.append(count, " ", clear);
  return line;
}
