/** Makes menus (`details.menu`) close on Escape, on a press elsewhere, and when the focus leaves them. Without scripts, their button closes them. */
export function improveMenus(): void {
  const close = (from: EventTarget | null): void => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (!(from instanceof Node && menu.contains(from))) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => close(target));
  document.addEventListener("focusin", ({ target }) => close(target));
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" ? document.querySelector<HTMLDetailsElement>("details.menu[open]") : null;
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
