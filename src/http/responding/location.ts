/**
 * Returns the header `Location` for a path of this server or the URL of another; no other function makes one. Encodes characters that headers cannot
 * contain. A path stays on this server, even if it begins like the URL of another host.
 */
export function locationHeader(target: string): { readonly Location: string } {
  if (!/^[/\\]/.test(target)) return { Location: new URL(target).href };
  const { pathname, search, hash } = new URL(target.replace(/^[/\\]+/, "/"), "http://own");
  return { Location: pathname.replace(/^\/+/, "/") + search + hash };
}
