import { join } from "node:path";
import { type DiskStoreOptions, openDiskStore } from "./disk/disk-store.ts";
import type { S3StoreOptions } from "./s3/s3-store.ts";
import type { BlobStore } from "./store.ts";
import type { StoreMarks } from "./store-marks.ts";

/** The configured store. */
export type StorageOptions =
  | { readonly kind: "disk"; readonly dir: string; readonly minFreeBytes: number }
  | ({ readonly kind: "s3" } & S3StoreOptions);

/** Opens the configured store. `uploads` lists the uploads that can still be continued. Loads the large S3 code only if needed. */
export async function openBlobStore(
  storage: StorageOptions,
  uploads: Pick<DiskStoreOptions, "listOpen" | "now"> = {},
): Promise<BlobStore & AsyncDisposable> {
  if (storage.kind === "disk")
    return { ...(await openDiskStore({ ...storage, ...uploads })), [Symbol.asyncDispose]: async () => undefined };
  const { openS3Store } = await import("./s3/s3-store.ts");
  return await openS3Store(storage);
}

/** A store's marks, for checks. */
export interface MarkedStore extends StoreMarks, AsyncDisposable {
  /** Returns whether the store has blobs in the visible area. */
  hasBlobs(): Promise<boolean>;
}

/** Opens the marks of a configured store. Creates nothing in it. */
export async function openStoreMarks(storage: StorageOptions): Promise<MarkedStore> {
  if (storage.kind === "disk") {
    const [{ createDiskMarks }, { listArea }] = await Promise.all([import("./disk/marks.ts"), import("./disk/list.ts")]);
    return {
      ...createDiskMarks(storage.dir),
      hasBlobs: async () => (await listArea(join(storage.dir, "blobs"))).items.length > 0,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const imports = [import("./s3/bucket.ts"), import("./s3/marks.ts"), import("./s3/list.ts")] as const;
  const [{ openS3Bucket }, { createS3Marks }, { listObjects }] = await Promise.all(imports);
  const bucket = await openS3Bucket(storage);
  return {
    ...createS3Marks(bucket),
    // The first names may belong to marks.
    hasBlobs: async () => (await listObjects(bucket, "visible", { after: undefined, pageSize: 10 })).items.length > 0,
    [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose](),
  };
}
