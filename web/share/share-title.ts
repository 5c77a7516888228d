import { hidesName } from "../../src/transfer/encryption/is-hidden-name.ts";
import { fullName, toFolderName, visibleText } from "../site/format.ts";
import type { PageContext } from "../site/page-context.ts";
import { isOneFile, type ShareFile, type SharePageProps } from "./share-page-props.ts";

type NamedFile = Pick<ShareFile, "name" | "isEncrypted">;

/** Whether the sender of an encrypted file has hidden its name. */
export const hasHiddenName = ({ name, isEncrypted = false }: NamedFile): boolean => hidesName({ name, encrypted: isEncrypted });

/** Returns what a page calls a file: its name, unless that is hidden. */
export const shownName = ({ texts }: PageContext, file: NamedFile): string =>
  hasHiddenName(file) ? texts.shares.encryptedFile : file.name;

/**
 * Returns the name of a share's page: the sender's title, otherwise the name of the only file or folder, or the number of files. A share that is not
 * unlocked is only called protected.
 */
export function titleOf(page: PageContext, share: SharePageProps): string {
  const { texts } = page;
  if (share.access.kind === "locked") return share.files.length === 1 ? texts.share.protectedFile : texts.share.protectedFiles;
  const title = visibleText(share.title ?? "").trim();
  if (title !== "") return title;
  const [file] = share.files;
  if (file === undefined) return texts.share.waitingForFiles;
  if (isOneFile(share)) return fullName(shownName(page, file));
  const { root } = share.listing;
  return root === "" || share.files.some(({ isEncrypted }) => isEncrypted) ? texts.share.files(share.files.length) : toFolderName(root);
}
