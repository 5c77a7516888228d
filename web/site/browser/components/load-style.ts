const loading = new Map<string, Promise<unknown>>();

/** Loads a style sheet that a script needs, once. Resolves also if it cannot be loaded. */
export function loadStyle(href: string): Promise<unknown> {
  const known = loading.get(href);
  if (known) return known;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  const loaded = new Promise((resolve) => {
    link.onload = resolve;
    link.onerror = resolve;
  });
  document.head.append(link);
  loading.set(href, loaded);
  return loaded;
}
