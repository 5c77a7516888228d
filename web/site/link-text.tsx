/** @jsxImportSource preact */

/** Renders the URL of a share as text that wraps only before its path. */
export function LinkText({ url }: { readonly url: string }) {
  const path = Math.max(0, url.lastIndexOf("/d/"));
  return (
    <>
      {url.slice(0, path).replace(/^https?:\/\//, "")}
      <wbr />
      {url.slice(path)}
    </>
  );
}
