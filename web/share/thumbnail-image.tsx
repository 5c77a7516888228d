/** @jsxImportSource preact */
import { FileTile, LockTile } from "../site/file-name.tsx";
import type { ShareFile } from "./share-page-props.ts";
import { hasHiddenName } from "./share-title.ts";

/** Renders the thumbnail of a file, or a tile if it has none. `name` is what the list calls it. */
export function Thumbnail({ file, name = file.name }: { readonly file: ShareFile; readonly name?: string }) {
  if (file.thumbnailUrl === null) return hasHiddenName(file) ? <LockTile /> : <FileTile name={name} />;
  return (
    <img
      class="thumbnail"
      src={file.thumbnailUrl}
      width={file.thumbnailWidth ?? undefined}
      height={file.thumbnailHeight ?? undefined}
      alt=""
      loading="lazy"
      decoding="async"
    />
  );
}
