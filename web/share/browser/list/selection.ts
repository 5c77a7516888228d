/** The files and folders that are selected for a ZIP, including those outside the shown part of the list. */
import { selection as texts } from "#texts/share";
import { formatSize } from "../../../../src/lib/text/format-size.ts";

interface Choice {
  readonly name: string;
  readonly value: string;
  readonly bytes: number;
  readonly count: number;
}

const chosen = new Map<string, Choice>();
let isListening = false;

const keyOf = ({ name, value }: Pick<Choice, "name" | "value">): string => `${name} ${value}`;
const boxes = (): NodeListOf<HTMLInputElement> => document.querySelectorAll("#listing .pick input");

/** Checks the selected entries of the shown list, and shows the number of all selected ones. */
export function restoreSelection(): void {
  if (!isListening) listen();
  for (const box of boxes()) {
    if (box.checked) remember(box);
    else if (chosen.has(keyOf(box))) box.checked = true;
  }
  showCount();
}

function listen(): void {
  isListening = true;
  document.addEventListener("change", (event) => {
    if (!(event.target instanceof HTMLInputElement) || !event.target.matches("#listing .pick input")) return;
    if (event.target.checked) remember(event.target);
    else chosen.delete(keyOf(event.target));
    showCount();
  });
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("#selection [data-selected]") ? findOnlyButton() : null;
    if (!button) return;
    event.preventDefault();
    button.click();
  });
  // Enter on a check box would press the first button of the form.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && event.target.matches("#listing .pick input"))
      event.preventDefault();
  });
  document.addEventListener("reset", () => {
    chosen.clear();
    setTimeout(showCount);
  });
  document.addEventListener("formdata", (event) => {
    if (!(event.target instanceof HTMLFormElement) || !event.target.matches(".shipment")) return;
    // A selected entry that is not shown has no box, so a hidden field sends it.
    const shown = new Set([...boxes()].map(keyOf));
    for (const { name, value } of chosen.values()) if (!shown.has(keyOf({ name, value }))) event.formData.append(name, value);
  });
}

function remember({ name, value, dataset }: HTMLInputElement): void {
  chosen.set(keyOf({ name, value }), { name, value, bytes: Number(dataset.bytes), count: Number(dataset.count ?? 1) });
}

/** Finds the button of the only selected file, which is downloaded as itself; null for several files, a folder, and a file that is not shown. */
function findOnlyButton(): HTMLButtonElement | null {
  const [only, another] = chosen.values();
  if (!only || another || only.name !== "select") return null;
  return document.querySelector<HTMLButtonElement>(`#listing button.get[value="${CSS.escape(only.value)}"]:enabled`);
}

/** Whether a selected folder includes the entry of a box, which is then checked too. */
function isCovered(box: HTMLInputElement): boolean {
  const folder = box.closest("li")?.parentElement?.closest("li.folder")?.querySelector<HTMLInputElement>(":scope > .pick input");
  return folder !== null && folder !== undefined && (folder.checked || isCovered(folder));
}

function showCount(): void {
  for (const box of boxes()) {
    const covered = isCovered(box);
    if (covered) chosen.delete(keyOf(box));
    if (covered !== (box.dataset.covered !== undefined)) {
      box.checked = covered;
      const wasDisabled = box.dataset.covered === "true";
      if (covered) box.dataset.covered = String(box.disabled);
      else delete box.dataset.covered;
      box.disabled = covered || wasDisabled;
    }
  }
  const all = [...chosen.values()];
  const bar = document.getElementById("selection");
  bar?.toggleAttribute("hidden", all.length === 0);
  bar?.setAttribute("data-ready", "");
  bar?.querySelector("[data-clear]")?.removeAttribute("hidden");
  const label = bar?.querySelector("[data-label]");
  const sum = (pick: (choice: Choice) => number) => all.reduce((total, choice) => total + pick(choice), 0);
  if (label && all.length > 0) {
    const sizeBytes = sum(({ bytes }) => bytes);
    const size = formatSize(sizeBytes, document.documentElement.lang);
    // The script that decrypts the selected files has to know how much it is.
    const encrypted = bar?.querySelector<HTMLElement>("[data-selected][data-encrypted]");
    if (encrypted) encrypted.dataset.encrypted = String(sizeBytes);
    label.textContent = texts.download(sum(({ count }) => count));
    bar?.querySelector("[data-size]")?.replaceChildren(findOnlyButton() ? `(${size})` : texts.zip(size));
  }
}
