/** Calls `act` when the page becomes visible again: the browser restored it, or its tab was in the background. Returns a function that stops this. */
export function onReturn(act: () => void): () => void {
  const onVisible = () => void (document.hidden || act());
  addEventListener("pageshow", act);
  document.addEventListener("visibilitychange", onVisible);
  return () => {
    removeEventListener("pageshow", act);
    document.removeEventListener("visibilitychange", onVisible);
  };
}
