import { type DiskStoreOptions, openDiskStore } from "./disk/disk-store.ts";
import type { S3StoreOptions } from "./s3/s3-store.ts";
import type { BlobStore } from "./store.ts";

/** The configured store. */
export type StorageOptions =
  | { readonly kind: "disk"; readonly dir: string; readonly minFreeBytes: number }
  | ({ readonly kind: "s3" } & S3StoreOptions);

/**
 * Opens the configured store. `uploads` lists the uploads that can still be continued. The S3 code is large, so it is loaded only if
 * needed.
 */
export async function openBlobStore(
  storage: StorageOptions,
  uploads: Pick<DiskStoreOptions, "listOpen" | "now"> = {},
): Promise<BlobStore & AsyncDisposable> {
  if (storage.kind === "disk")
    return { ...(await openDiskStore({ ...storage, ...uploads })), [Symbol.asyncDispose]: async () => undefined };
  const { openS3Store } = await import("./s3/s3-store.ts");
  return await openS3Store(storage);
}
