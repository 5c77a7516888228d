/** Opens the dialogs that a page contains, in front of it. Without this script, a link shows their content on the page. */

/** Opens the dialogs that the server rendered open, and lets links with `data-opens` open theirs. */
export function improveDialogs(main: HTMLElement): void {
  for (const dialog of main.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    if (!dialog.open) continue;
    dialog.close();
    dialog.showModal();
  }
  for (const link of main.querySelectorAll<HTMLAnchorElement>("a[data-opens]"))
    link.addEventListener("click", (event) => {
      const dialog = document.getElementById(link.dataset.opens ?? "");
      if (!(dialog instanceof HTMLDialogElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      dialog.showModal();
    });
}
