import { isHiddenName } from "../../src/transfer/encryption/is-hidden-name.ts";
import { fullName } from "../site/format.ts";
import type { FilesTexts } from "./texts/en.ts";

/** The own names of encrypted files by their hidden names, as far as this device has sent them. The server knows none. */
const ownNames = new Map<string, string>();

export const addOwnName = (hiddenName: string, ownName: string): unknown => ownNames.set(hiddenName, ownName);

/** Returns the own name of an encrypted file that this device has sent; undefined for every other file. */
export const findOwnName = (name: string): string | undefined => ownNames.get(name);

/** Returns the name of a file or folder for people: without invisible characters, and never the hidden name of an encrypted file. */
export const toShownName = (name: string, texts: Pick<FilesTexts, "encryptedFile">): string =>
  isHiddenName(name) && !ownNames.has(name) ? texts.encryptedFile : fullName(ownNames.get(name) ?? name);
