import { hidesName } from "../../src/transfer/encryption/is-hidden-name.ts";
import { fullName } from "../site/format.ts";
import type { Entry, FileView } from "./file-views.ts";
import type { FilesTexts } from "./texts/en.ts";

type NamedFile = Pick<FileView, "name" | "encrypted">;

/** The own names of encrypted files by their hidden names, as far as this device has sent them. The server knows none. */
const ownNames = new Map<string, string>();

export const addOwnName = (hiddenName: string, ownName: string): unknown => ownNames.set(hiddenName, ownName);

/** Returns the own name of an encrypted file that this device has sent; undefined for every other file. */
export const findOwnName = ({ name, encrypted }: NamedFile): string | undefined => (encrypted ? ownNames.get(name) : undefined);

/** Whether only the hidden name of an encrypted file is known. */
export const isUnnamed = (file: NamedFile): boolean => hidesName(file) && findOwnName(file) === undefined;

/** Returns the name of a file for people: without invisible characters, and never the hidden name of an encrypted one. */
export const toShownName = (file: NamedFile, texts: Pick<FilesTexts, "encryptedFile">): string =>
  isUnnamed(file) ? texts.encryptedFile : fullName(findOwnName(file) ?? file.name);

/** Returns the name of a folder or file for people. */
export const toEntryName = (entry: Entry, texts: Pick<FilesTexts, "encryptedFile">): string =>
  entry.kind === "folder" ? fullName(entry.folder.name) : toShownName(entry.file, texts);
