/** The files of a shipment's list whose previews the dialog shows. */
import { parsePage } from "../../../site/browser/page/main-element.ts";
import { send } from "../../../site/browser/page/send.ts";
import { openViewer, type ViewedFile } from "./viewer.ts";

/**
 * Shows the preview of a link in the list. The dialog steps from a photo to the other photos, and from another file to all files. `addMore` adds the
 * next part of a long list.
 */
export function showListedFile(link: HTMLElement, addMore: () => Promise<boolean>): Promise<void> {
  const kind = link.dataset.kind === "photo" ? "[data-kind=photo]" : "";
  const files = () => [...document.querySelectorAll<HTMLElement>(`#listing [data-preview]${kind}`)].map(toViewedFile);
  return openViewer(toViewedFile(link), { files, addMore });
}

const toViewedFile = (link: HTMLElement): ViewedFile => ({
  id: link.dataset.preview ?? "",
  name: [...link.childNodes],
  facts: link.closest("li")?.querySelector(".what .quiet")?.textContent ?? "",
  opener: link,
  load: () => load(link),
  download: () => link.closest("li")?.querySelector<HTMLElement>(".get")?.click(),
  leave: () => follow(link),
});

/** Follows the link of a file without a preview, such as a deleted one. Its page shows the reason. */
function follow(link: HTMLElement): void {
  if (link instanceof HTMLAnchorElement) location.assign(link.href);
  else if (link instanceof HTMLButtonElement) link.form?.requestSubmit(link);
}

/** Loads the preview from the page of a link, or of a button's form. */
async function load(link: HTMLElement): Promise<Element | undefined> {
  const response = await (link instanceof HTMLAnchorElement ? fetch(link.href, { headers: { Accept: "text/html" } }) : submit(link));
  return parsePage(await response.text()).getElementById("preview") ?? undefined;
}

function submit(button: HTMLElement): Promise<Response> {
  if (!(button instanceof HTMLButtonElement) || !button.form) throw new Error("no form");
  return send(button.form, { fileId: button.value }, button.formAction);
}
