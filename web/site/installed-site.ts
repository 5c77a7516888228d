/** The form in which operating systems send shared files and texts to the installed site (pages, "The installed site"). */
export const SHARE_TARGET = {
  path: "/share-target",
  fields: { files: "file", title: "title", text: "text", url: "url" },
  /** The query parameter with which the front page receives shared files. */
  parameter: "shared",
} as const;

/** The path below which the service worker gives decrypted files to the browser. The server has nothing there. */
export const DECRYPTED_PATH = "/decrypted/";

/** The path of the service worker, which stores shared files until the front page takes them, and saves decrypted files. */
export const SERVICE_WORKER_PATH = "/service-worker.js";

export const MANIFEST_PATH = "/manifest.webmanifest";
