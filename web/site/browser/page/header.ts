/** Improves the header of every page: its menu closes, and signing out first forgets the account's shares on this device. */
export function improveHeader(): void {
  if (document.querySelector("details.menu-opener")) void import("../components/page-menus.ts").then(({ improveMenus }) => improveMenus());
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.signOut === undefined) return;
    event.preventDefault();
    void import("./sign-out.ts").then(
      ({ forgetAndSignOut }) => forgetAndSignOut(form),
      () => form.submit(),
    );
  });
}
