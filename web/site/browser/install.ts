/** Registers the service worker, and adds files that were shared with the installed site to the chosen files. */
import { SERVICE_WORKER_PATH, SHARE_TARGET } from "../installed-site.ts";
import { takeSharedFiles } from "./shared-files.ts";

// A service worker needs TLS.
if ("serviceWorker" in navigator) navigator.serviceWorker.register(SERVICE_WORKER_PATH, { updateViaCache: "none" }).catch(() => undefined);

if (new URLSearchParams(location.search).has(SHARE_TARGET.parameter)) {
  const { files, text } = await takeSharedFiles();
  // A text without files becomes a file. A text with files describes them.
  const shared = files.length === 0 && text !== undefined ? [new File([text], "note.txt", { type: "text/plain" })] : files;
  // The uploader's script may have replaced the field meanwhile.
  const field = document.querySelector<HTMLInputElement>("#file");
  if (field && shared.length > 0) {
    const transfer = new DataTransfer();
    for (const file of shared) transfer.items.add(file);
    field.files = transfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}
