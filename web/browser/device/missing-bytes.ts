import type { PendingFile } from "./pending-files.ts";

/** Resolves to the bytes of unfinished files that the server lacks, as far as it responds. */
export async function fetchMissingBytes(files: readonly PendingFile[]): Promise<number> {
  const missing = await Promise.all(
    files.map(async ({ sizeBytes, uploadId }) => sizeBytes - (uploadId ? await fetchStoredBytes(uploadId) : 0)),
  );
  return missing.reduce((sum, bytes) => sum + bytes, 0);
}

/** 0 if the session has ended. */
async function fetchStoredBytes(uploadId: string): Promise<number> {
  try {
    const response = await fetch(`/api/files/multipart/${uploadId}`, { headers: { Accept: "application/json" } });
    if (!response.ok) return 0;
    const { data } = (await response.json()) as { readonly data: { readonly parts: readonly { readonly size: number }[] } };
    return data.parts.reduce((sum, { size }) => sum + size, 0);
  } catch {
    return 0;
  }
}
