/** The photo of a page with one file, or of the details of a file, which a click enlarges. */
import { openViewer, type ViewedFile } from "./viewer.ts";

export async function showPagePhoto(link: HTMLElement): Promise<void> {
  const picture = link.closest<HTMLElement>(".picture");
  if (!picture) return;
  const name = document.createElement("bdi");
  name.textContent = link.dataset.enlarge ?? "";
  const download = link.closest(".share")?.querySelector<HTMLElement>("form.download [type=submit]");
  const file: ViewedFile = {
    id: "",
    name: [name],
    facts: link.closest(".share")?.querySelector(".facts-line")?.textContent ?? "",
    opener: link,
    load: async () => {
      const preview = document.createElement("div");
      preview.className = "preview";
      preview.append(picture.cloneNode(true));
      return preview;
    },
    download: download ? () => download.click() : undefined,
    leave: () => undefined,
  };
  await openViewer(file, { files: () => [file], addMore: async () => false });
}
