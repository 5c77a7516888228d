/** The requests for the details of a file. */
import type { Input, ResponseOf } from "../../../src/service/contract.ts";
import type { Credentials, FileDetails } from "../file-details.ts";
import { callSignedIn } from "./calls.ts";

export const loadDetails = async (id: string): Promise<FileDetails> =>
  (await callSignedIn("GET /files/{fileId}/details", { fileId: id })).data;

/** A change of the share's settings, or of its file. */
export type SettingsChange = Partial<Omit<Input<"updateShareSettings">, "fileId" | "shortId" | "claimToken">>;

export const changeFileSettings = async (fileId: string, change: SettingsChange): Promise<Credentials> =>
  (await callSignedIn("PATCH /files/share-settings", { fileId, ...change })).data;

type DownloadPage = ResponseOf<"listDownloadEvents">;
export type DownloadEvent = DownloadPage["events"][number];

export async function loadDownloads(id: string, cursor: string | null): Promise<DownloadPage> {
  return await callSignedIn("GET /files/{fileId}/download-events", { fileId: id, limit: 50, ...(cursor !== null && { cursor }) });
}
