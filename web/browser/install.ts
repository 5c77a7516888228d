/** Registers the service worker, and adds what was shared with the installed site to the chosen files. */
import { SERVICE_WORKER_PATH, SHARE_TARGET } from "../installed-site.ts";
import { takeSharedFiles } from "./shared-files.ts";

// Without TLS there is no service worker.
if ("serviceWorker" in navigator) navigator.serviceWorker.register(SERVICE_WORKER_PATH, { updateViaCache: "none" }).catch(() => undefined);

const field = document.querySelector<HTMLInputElement>("#file");
if (field && new URLSearchParams(location.search).has(SHARE_TARGET.parameter)) {
  const { files } = await takeSharedFiles();
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  field.files = transfer.files;
  if (files.length > 0) field.dispatchEvent(new Event("change", { bubbles: true }));
}
