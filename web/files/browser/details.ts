/** The requests for the details of a file. */
import type { ResponseOf } from "../../../src/service/contract.ts";
import type { FileDetails, RelatedFile } from "../file-details.ts";
import { callSignedIn } from "./calls.ts";

export const loadDetails = async (id: string): Promise<FileDetails> =>
  (await callSignedIn("GET /files/{fileId}/details", { fileId: id })).data;

export async function saveSources(fileId: string, sources: readonly RelatedFile[]): Promise<void> {
  await callSignedIn("PATCH /files/share-settings", { fileId, upstreamFileIds: sources.map(({ id }) => id) });
}

type DownloadPage = ResponseOf<"listDownloadEvents">;
export type DownloadEvent = DownloadPage["events"][number];

export async function loadDownloads(id: string, cursor: string | null): Promise<DownloadPage> {
  return await callSignedIn("GET /files/{fileId}/download-events", { fileId: id, limit: 50, ...(cursor !== null && { cursor }) });
}
