/** @jsxImportSource preact */
/** Shows what encrypted files are called once they are decrypted. Their names are in no request. */
import { type ComponentChild, render } from "preact";
import { types } from "#texts/site";
import { isHiddenName } from "../../../../src/transfer/encryption/is-hidden-name.ts";
import { size } from "../../../site/browser/components/format.ts";
import { FileName, FileTile } from "../../../site/file-name.tsx";
import { describeType } from "../../../site/file-types.ts";
import { fullName } from "../../../site/format.ts";

/** The parts of the page that name a file. */
interface NamedPlace {
  readonly button: HTMLButtonElement;
  readonly name: HTMLElement | null;
  readonly tile: HTMLElement | null;
}

export function findPlace(button: HTMLButtonElement): NamedPlace {
  const row = button.closest("li") ?? button.closest(".share");
  const name = row?.querySelector<HTMLElement>(row instanceof HTMLLIElement ? ".what > .name" : ".file .name") ?? null;
  return { button, name, tile: row?.querySelector<HTMLElement>(".tile") ?? null };
}

/** The media types by which texts are described, by their extensions. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  md: "text/markdown",
  html: "text/html",
  svg: "image/svg+xml",
  xml: "text/xml",
};

interface NamedFile {
  /** The path. Unchecked. */
  readonly path: string;
  /** The media type of what browsers show; empty for other files. */
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** Shows the name and size of a file in its row, or in the heading, and in the title of a page with this one file. */
export function showName(button: HTMLButtonElement, { path, contentType, sizeBytes }: NamedFile): void {
  const { name: place, tile } = findPlace(button);
  const name = path.replace(/^.*\//, "");
  const known = button.dataset.name ?? "";
  const shown = fullName(name);
  const before = button.dataset.shown ?? fullName(known);
  if (isHiddenName(known)) button.dataset.hiddenName = known;
  // A saved file is called by this attribute until its own name is known.
  button.dataset.name = `${name}.age`;
  Object.assign(button.dataset, { path, plainBytes: sizeBytes });
  if (place) place.replaceChildren(...draw(<FileName name={name} />));
  if (tile) showTile(tile, name);
  const label = button.querySelector(".unseen");
  if (label) label.textContent = (label.textContent ?? "").replace(before, () => shown);
  const row = button.closest("li");
  const box = row?.querySelector<HTMLInputElement>(".pick input");
  if (box) box.dataset.bytes = String(sizeBytes);
  const facts = (row?.querySelector(".what .quiet") ?? button.closest(".share")?.querySelector(".facts-line"))?.firstChild;
  if (!facts) return;
  showSize(facts, Number(button.dataset.encrypted), sizeBytes);
  if (row) return;
  const type = contentType.startsWith("text/") ? (TEXT_TYPES[name.replace(/^.*\./, "").toLowerCase()] ?? contentType) : contentType;
  // The type of a file with a hidden name was not known.
  const rest = (facts.textContent ?? "").split(" · ").slice(isHiddenName(known) ? 0 : 1);
  facts.textContent = [describeType(types, { contentType: type, name }), ...rest].join(" · ");
  // A share with a title of its own keeps it.
  if (place?.tagName === "H1") document.title = document.title.replace(before, () => shown);
}

/** Shows what a row is called in the list: the name of its file, or its path in the list. */
export function showLabel(row: Element, label: string): void {
  const place = row.querySelector(".what > .name");
  const link = place?.querySelector("button.link");
  if (link) link.ariaLabel = label;
  (link ?? place)?.replaceChildren(...draw(<FileName name={label} />));
}

export const showTile = (tile: Element, name: string): void => tile.replaceWith(...draw(<FileTile name={name} />));

/** Replaces the size of an encrypted file in a text by that of the decrypted one. */
export function showSize(facts: Node, encryptedBytes: number, sizeBytes: number): void {
  facts.textContent = (facts.textContent ?? "").replace(size(encryptedBytes), size(sizeBytes));
}

/** Renders into a separate element, because the places of names are also changed by other scripts. */
function draw(content: ComponentChild): readonly ChildNode[] {
  const box = document.createElement("span");
  render(content, box);
  return [...box.childNodes];
}
