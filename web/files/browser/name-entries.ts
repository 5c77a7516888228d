import { files as texts } from "#texts/files";
import { toEntryName } from "../shown-name.ts";
import { type ChosenEntries, countEntries } from "./calls.ts";
import type { FilesStore } from "./store.ts";

/** Returns the name of the only entry in quotation marks, otherwise the number of entries. */
export function nameEntries(store: FilesStore, { fileIds, folderIds }: ChosenEntries): string {
  const [id = "", ...others] = [...fileIds, ...folderIds];
  const entry = others.length === 0 ? store.at(store.indexOf(id)) : undefined;
  return entry === undefined ? texts.items(countEntries({ fileIds, folderIds })) : texts.quoted(toEntryName(entry, texts));
}
