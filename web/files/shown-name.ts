import { isHiddenName } from "../../src/transfer/encryption/hidden-name.ts";
import { fullName } from "../site/format.ts";
import type { FilesTexts } from "./texts/en.ts";

/** Returns the name of a file or folder for people: without invisible characters, and never the hidden name of an encrypted file. */
export const toShownName = (name: string, texts: Pick<FilesTexts, "encryptedFile">): string =>
  isHiddenName(name) ? texts.encryptedFile : fullName(name);
