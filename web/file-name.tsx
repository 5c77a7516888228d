/** @jsxImportSource preact */
import { shortenName, splitName } from "./format.ts";

/** A file's name that breaks anywhere, keeps its extension in sight, and cannot turn the text around it. */
export function FileName({ name }: { readonly name: string }) {
  const { stem, extension } = shortenName(name);
  return (
    <>
      <bdi>{stem}</bdi>
      {extension === "" ? null : <bdi class="ext">{extension}</bdi>}
    </>
  );
}

/** The tile that stands for a file: its extension in capitals, or nothing but the shape of a sheet. */
export function FileTile({ name }: { readonly name: string }) {
  const label = splitName(name).extension.split(".").at(-1)?.toUpperCase() ?? "";
  return (
    <span class="tile" aria-hidden="true">
      {label.length > 5 ? "" : label}
    </span>
  );
}
