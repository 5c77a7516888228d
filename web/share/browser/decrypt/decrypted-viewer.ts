/** The dialog with the previews of decrypted files, which their names in a list open. */
import type { ViewedFile } from "../viewer/viewer.ts";
import { createPreview, type PreviewedFile } from "./decrypted-preview.ts";
import { zoomOf } from "./frame-zoom.ts";

export interface ListedPreview {
  readonly id: string;
  readonly previewed: PreviewedFile;
  /** Returns what the page says about the file. */
  facts(): string;
  download(): void;
}

/** The files whose names are buttons, by these buttons. */
const listed = new WeakMap<HTMLElement, ListedPreview>();

/** Makes the shown name of a file a button that opens its preview, from which the others of the page are reached. */
export function linkName(place: Element, file: ListedPreview): void {
  const link = document.createElement("button");
  Object.assign(link, { type: "button", className: "link" });
  link.append(...place.childNodes);
  place.append(link);
  link.dataset.decrypted = "";
  // Where the parts of the name are boxes, screen readers would read them as separate words.
  link.ariaLabel = link.textContent;
  listed.set(link, file);
  link.addEventListener("click", () => void open(toViewed(file, link), listViewed));
}

const listViewed = (): readonly ViewedFile[] =>
  [...document.querySelectorAll<HTMLElement>("button[data-decrypted]")].flatMap((link) => {
    const file = listed.get(link);
    // A search hides the other rows.
    return file && !link.closest("[hidden]") ? [toViewed(file, link)] : [];
  });

/** Opens the preview of the only file of a page. */
export async function openOnly(file: ListedPreview, opener: HTMLElement): Promise<void> {
  const viewed = toViewed(file, opener);
  await open(viewed, () => [viewed]);
}

async function open(file: ViewedFile, files: () => readonly ViewedFile[]): Promise<void> {
  const { openViewer } = await import("../viewer/viewer.ts");
  await openViewer(file, { files, addMore: async () => false });
}

function toViewed({ id, previewed, facts, download }: ListedPreview, opener: HTMLElement): ViewedFile {
  const name = document.createElement("bdi");
  name.textContent = previewed.name;
  return {
    id,
    name: [name],
    facts: facts(),
    opener,
    load: (signal) =>
      createPreview(previewed, {
        signal,
        isEnlarged: true,
        onKey(key) {
          const dialog = document.querySelector<HTMLDialogElement>("dialog.viewer[open]");
          if (key === "Escape") dialog?.close();
          else dialog?.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
        },
      }),
    createZoom: zoomOf,
    download,
    // A preview that fails shows this itself.
    leave: () => undefined,
  };
}
