/** Where systems send what people share with the installed site: a form with these fields (pages, "The installed site"). */
export const SHARE_TARGET = {
  path: "/share-target",
  fields: { files: "file", title: "title", text: "text", url: "url" },
  /** Query parameter of the front page that takes what was shared. */
  parameter: "shared",
} as const;

/** The path of the service worker, which keeps what was shared until the front page takes it. */
export const SERVICE_WORKER_PATH = "/service-worker.js";

export const MANIFEST_PATH = "/manifest.webmanifest";
