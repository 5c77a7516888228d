/** Calls back when the page is seen again: the browser restored it, or its tab was in the background. Returns how to stop that. */
export function onReturn(act: () => void): () => void {
  const onVisible = () => void (document.hidden || act());
  addEventListener("pageshow", act);
  document.addEventListener("visibilitychange", onVisible);
  return () => {
    removeEventListener("pageshow", act);
    document.removeEventListener("visibilitychange", onVisible);
  };
}
