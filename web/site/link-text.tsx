/** @jsxImportSource preact */

/** Renders the URL of a share as text that wraps only before its path. The key of an encrypted share is cut at the end of its line, but not when it is copied. */
export function LinkText({ url }: { readonly url: string }) {
  const path = Math.max(0, url.lastIndexOf("/d/"));
  const hash = url.includes("#") ? url.indexOf("#") : url.length;
  return (
    <>
      {url.slice(0, path).replace(/^https?:\/\//, "")}
      <wbr />
      {url.slice(path, hash)}
      {hash < url.length ? <span class="link-key">{url.slice(hash)}</span> : null}
    </>
  );
}
