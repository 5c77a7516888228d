import { moveInMenu } from "./menu-keys.ts";
import { showQuestion } from "./question-dialog.ts";

const OPEN = "details.menu-opener[open]";

/** Shows a menu above its button if it does not fit below, but above. */
function placeMenu(opener: HTMLDetailsElement): void {
  const menu = opener.querySelector<HTMLElement>(".menu");
  if (!menu) return;
  opener.classList.remove("above");
  const { top } = opener.getBoundingClientRect();
  const { bottom, height } = menu.getBoundingClientRect();
  opener.classList.toggle("above", bottom > innerHeight && height < top);
}

/**
 * Gives the menus of a page (`details.menu-opener`) the keys of a menu: arrows open them and move in them, Escape closes them, and the focus returns to
 * their button. They open where they fit. A press elsewhere closes them, and so does moving the focus elsewhere. A question with a title is a dialog.
 * Without scripts, questions open in the menu, and the menu's button closes it.
 */
export function improveMenus(): void {
  const closeOthers = ({ target }: Event): void => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>(OPEN))
      if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  };
  document.addEventListener("click", closeOthers);
  document.addEventListener("click", (event) => {
    const question = event.target instanceof Element ? event.target.closest<HTMLElement>("summary[data-dialog]") : null;
    if (!question) return;
    event.preventDefault();
    showQuestion(question);
  });
  document.addEventListener("focusin", closeOthers);
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.matches(OPEN)) placeMenu(target);
    },
    // The event does not bubble.
    { capture: true },
  );
  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (!(target instanceof HTMLElement) || ctrlKey || metaKey || altKey) return;
    const menu = target.closest<HTMLDetailsElement>("details.menu-opener") ?? document.querySelector<HTMLDetailsElement>(OPEN);
    if (!menu) return;
    const opens = target.matches("summary") && ["ArrowDown", "ArrowUp"].includes(key);
    if (!menu.open && !opens) return;
    if (key === "Escape") {
      menu.open = false;
      menu.querySelector("summary")?.focus();
      return;
    }
    if (target.matches("input, select, textarea")) return;
    menu.open = true;
    if (menu.contains(target) && moveInMenu(key, [...menu.querySelectorAll<HTMLElement>(".menu-item")])) event.preventDefault();
  });
}
