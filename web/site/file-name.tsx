/** @jsxImportSource preact */
import { shortenName, splitName } from "./format.ts";
import { FolderIcon, LockIcon } from "./icons.tsx";

/** Renders a file name that wraps anywhere, always shows its extension, and cannot change the direction of the text around it. */
export function FileName({ name }: { readonly name: string }) {
  const { stem, extension } = shortenName(name);
  return (
    <>
      <bdi>{stem}</bdi>
      {extension === "" ? null : <bdi class="ext">{extension}</bdi>}
    </>
  );
}

const KINDS: readonly (readonly [kind: string, extensions: string])[] = [
  ["media", "jpg jpeg png gif webp avif heic svg bmp tif tiff psd raw mp4 mov mkv webm avi m4v mp3 wav flac ogg opus m4a aac"],
  ["archive", "zip gz tgz tar 7z rar xz zst bz2 iso dmg jar deb rpm apk"],
  ["table", "csv tsv xls xlsx ods numbers json sql sqlite db parquet"],
];
const KIND_OF: ReadonlyMap<string, string> = new Map(
  KINDS.flatMap(([kind, list]) => list.split(" ").map((extension) => [extension, kind])),
);

interface FileTileProps {
  readonly name: string;
  /** Whether screen readers read the tile, because no name beside it has the extension. */
  readonly isRead?: boolean;
}

/** Renders the tile of a file: its extension in upper case, if that fits, in a color for media, archives or tables. */
export function FileTile({ name, isRead = false }: FileTileProps) {
  const extension = splitName(name).extension.split(".").at(-1) ?? "";
  const kind = KIND_OF.get(extension.toLowerCase());
  return (
    <span class={kind === undefined ? "tile" : `tile ${kind}`} aria-hidden={isRead ? undefined : "true"}>
      {extension.length > 5 ? "" : extension.toUpperCase()}
    </span>
  );
}

/** Renders the tile of a folder, or of several files. */
export const FolderTile = () => (
  <span class="tile icon-tile" aria-hidden="true">
    <FolderIcon />
  </span>
);

/** Renders the tile of encrypted files. */
export const LockTile = () => (
  <span class="tile icon-tile" aria-hidden="true">
    <LockIcon />
  </span>
);
