/** @jsxImportSource preact */
/** Shows what encrypted files are called once they are decrypted. Their names are in no request. */
import { type ComponentChild, render } from "preact";
import { types } from "#texts/site";
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

/** Shows the name of a file in its row, or in the heading, and in the title of a page with this one file. */
export function showName(button: HTMLButtonElement, name: string, contentType: string): void {
  const { name: place, tile } = findPlace(button);
  const known = button.dataset.name ?? "";
  const shown = fullName(name);
  // A saved file is called by this attribute until its own name is known.
  button.dataset.name = `${name}.age`;
  if (place) replace(place, <FileName name={name} />);
  if (tile) {
    const box = document.createElement("span");
    render(<FileTile name={name} />, box);
    if (box.firstChild) tile.replaceWith(box.firstChild);
  }
  const label = button.querySelector(".unseen");
  if (label) label.textContent = (label.textContent ?? "").replace(fullName(known), shown);
  if (button.closest("li")) return;
  const facts = button.closest(".share")?.querySelector(".facts-line");
  if (facts)
    facts.textContent = [describeType(types, { contentType, name }), ...(facts.textContent ?? "").split(" · ").slice(1)].join(" · ");
  // A share with a title of its own keeps it.
  if (place?.tagName === "H1") document.title = document.title.replace(fullName(known), shown);
}

function replace(place: HTMLElement, content: ComponentChild): void {
  place.replaceChildren();
  render(content, place);
}
