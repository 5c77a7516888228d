/** Files that were shared with the installed site, stored on this device between the service worker and the front page. */
import { SHARE_TARGET } from "../installed-site.ts";

const CACHE = "shared";

export interface SharedFiles {
  readonly files: File[];
  /** The title, text and URL, on separate lines. */
  readonly text?: string;
}

/** Stores the body of a request to the share target, in place of an earlier one. */
export async function keepSharedFiles(request: Request): Promise<void> {
  await caches.delete(CACHE);
  const cache = await caches.open(CACHE);
  await cache.put(
    SHARE_TARGET.path,
    new Response(request.body, { headers: { "Content-Type": request.headers.get("Content-Type") ?? "" } }),
  );
}

/** Takes the body that was stored last, and removes it. Resolves to no files if there is none. */
export async function takeSharedFiles(): Promise<SharedFiles> {
  // The cache needs TLS.
  if (!("caches" in globalThis)) return { files: [] };
  const kept = await caches.match(SHARE_TARGET.path, { cacheName: CACHE });
  if (!kept) return { files: [] };
  const form = await kept.formData();
  await caches.delete(CACHE);
  const { files, title, text, url } = SHARE_TARGET.fields;
  const lines = [title, text, url].map((field) => form.get(field)).filter((value) => typeof value === "string" && value.trim() !== "");
  return {
    files: form.getAll(files).filter((value) => value instanceof File && value.name !== "") as File[],
    ...(lines.length > 0 && { text: lines.join("\n") }),
  };
}
