/** Starts downloads without leaving the page. */
import { downloadPath } from "../file-views.ts";
import { type ChosenEntries, packFiles } from "./calls.ts";

/** Downloads one file directly; several files or a folder as one ZIP. Throws an error whose message is a sentence. */
export async function downloadEntries(chosen: ChosenEntries): Promise<void> {
  const { fileIds, folderIds } = chosen;
  const [only] = fileIds.length === 1 && folderIds.length === 0 ? fileIds : [];
  const link = Object.assign(document.createElement("a"), {
    href: only === undefined ? await packFiles(chosen) : downloadPath(only),
    download: "",
  });
  document.body.append(link);
  link.click();
  link.remove();
}
