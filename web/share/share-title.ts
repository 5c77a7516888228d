import { splitName, toFolderName, visibleText } from "../site/format.ts";
import type { PageContext } from "../site/page-context.ts";
import { isOneFile, type SharePageProps } from "./share-page-props.ts";

/**
 * Returns the name of a share's page: the sender's title, otherwise the name of the only file or folder, or the number of files. A share that is not
 * unlocked is only called protected.
 */
export function titleOf({ texts }: PageContext, share: SharePageProps): string {
  if (share.access.kind === "locked") return share.files.length === 1 ? texts.share.protectedFile : texts.share.protectedFiles;
  const title = visibleText(share.title ?? "").trim();
  if (title !== "") return title;
  const [file] = share.files;
  if (file === undefined) return texts.share.waitingForFiles;
  const { stem, extension } = splitName(file.name);
  if (isOneFile(share)) return stem + extension;
  const { root } = share.listing;
  return root === "" || share.files.some(({ isEncrypted }) => isEncrypted) ? texts.share.files(share.files.length) : toFolderName(root);
}
