import { type DiskStoreOptions, openDiskStore } from "./disk.ts";
import type { S3StoreOptions } from "./s3.ts";
import type { BlobStore } from "./store.ts";

/** Where bytes live, as configured. */
export type StorageOptions =
  | { readonly kind: "disk"; readonly dir: string; readonly minFreeBytes: number }
  | ({ readonly kind: "s3" } & S3StoreOptions);

/** Opens the store that is configured; `uploads` says which can still be continued. The code of S3, which is large, is loaded for that alone. */
export async function openBlobStore(
  storage: StorageOptions,
  uploads: Pick<DiskStoreOptions, "listOpen" | "now"> = {},
): Promise<BlobStore & AsyncDisposable> {
  if (storage.kind === "disk")
    return { ...(await openDiskStore({ ...storage, ...uploads })), [Symbol.asyncDispose]: async () => undefined };
  const { openS3Store } = await import("./s3.ts");
  return await openS3Store(storage);
}
