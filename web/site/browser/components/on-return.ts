/** Calls `act` when the page becomes visible again: the browser restored it, or its tab was in the background. Returns a function that stops this. */
export function onReturn(act: () => void): () => void {
  // The event also ends the first load, perhaps after this.
  const onShow = ({ persisted }: PageTransitionEvent) => void (persisted && act());
  const onVisible = () => void (document.hidden || act());
  addEventListener("pageshow", onShow);
  document.addEventListener("visibilitychange", onVisible);
  return () => {
    removeEventListener("pageshow", onShow);
    document.removeEventListener("visibilitychange", onVisible);
  };
}
