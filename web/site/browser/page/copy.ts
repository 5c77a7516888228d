import { page as texts } from "#texts/site";
import { announce } from "../components/announce.ts";
import { holdClipboard } from "../components/clipboard-holder.ts";

/** How long a button says that the text is selected, because it could not be copied. */
const SELECTED_MS = 2000;

/** Makes all current and future buttons with `data-copy` copy the text of the element with that ID. */
export function addCopyButtons(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
    if (button instanceof HTMLButtonElement) void copyFrom(button);
  });
}

async function copyFrom(button: HTMLButtonElement): Promise<void> {
  const id = CSS.escape(button.dataset.copy ?? "");
  // The preview in a dialog may have the same ID as the preview of the page.
  const source = button.closest("dialog")?.querySelector<HTMLElement>(`#${id}`) ?? document.querySelector<HTMLElement>(`#${id}`);
  if (!source) return;
  const copied = await copyTextOf(source);
  const label = button.firstChild;
  if (!label) return;
  button.dataset.label ??= label.textContent ?? "";
  // A shorter word would move what is beside the button.
  button.style.minWidth = `${button.offsetWidth}px`;
  const reset = (): void => {
    label.textContent = button.dataset.label ?? "";
    button.style.minWidth = "";
    button.removeAttribute("data-copied");
  };
  // The button may hold the clipboard already, which resets it.
  if (copied) holdClipboard(button.dataset.copy ?? "", reset);
  else setTimeout(reset, SELECTED_MS);
  label.textContent = copied ? texts.copied : texts.selected;
  button.toggleAttribute("data-copied", copied);
  announce(copied ? texts.copied : texts.selectedHint);
}

async function copyTextOf(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText((source.textContent ?? "").trim());
    return true;
  } catch {
    // The clipboard interface needs HTTPS. Without it, the text is selected, so that Ctrl+C works.
    const { hidden } = source;
    source.hidden = false;
    getSelection()?.selectAllChildren(source);
    const copied = document.execCommand("copy");
    source.hidden = hidden;
    return copied;
  }
}
