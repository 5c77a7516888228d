import type { FileRow } from "../../db/tables/files.ts";

/** The column values of a file whose bytes may be sent: its upload is complete and its scan has passed. */
export const READY = { scan_status: "clean", blob_state: "stored" } as const;

export const isReady = (file: Pick<FileRow, "scan_status" | "blob_state">): boolean =>
  file.scan_status === READY.scan_status && file.blob_state === READY.blob_state;
