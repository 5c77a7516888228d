/**
 * The header `Location` for a path of this server or the URL of another: the only place that makes one. Characters that no header can have are
 * encoded. A path stays on this server, also if it begins as the URL of another host does.
 */
export function locationHeader(target: string): { readonly Location: string } {
  if (!/^[/\\]/.test(target)) return { Location: new URL(target).href };
  const { pathname, search, hash } = new URL(target.replace(/^[/\\]+/, "/"), "http://own");
  return { Location: pathname.replace(/^\/+/, "/") + search + hash };
}
