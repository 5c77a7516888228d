/** @jsxImportSource preact */
import { useLayoutEffect, useRef } from "preact/hooks";
import { FileTile } from "../../site/file-name.tsx";

/** Renders the tile of a chosen file: its extension, and in its place a small picture of a photo once it is drawn. */
export function ChosenTile({ file }: { readonly file: File }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (file.type.startsWith("image/")) void import("./draw-thumbnail.ts").then(({ drawThumbnail }) => drawThumbnail(file, place.current));
  }, []);
  return (
    <span ref={place}>
      <FileTile name={file.name} />
    </span>
  );
}
