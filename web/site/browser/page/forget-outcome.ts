/** Removes the outcome of a form from the address, so that the page does not show it again after a reload. */
export function forgetOutcome(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has("done")) return;
  url.searchParams.delete("done");
  history.replaceState(history.state, "", url);
}
