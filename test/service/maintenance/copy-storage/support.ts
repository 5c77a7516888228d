import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../../../src/app.ts";
import { openBlobStore, type StorageOptions } from "../../../../src/blobs/open-store.ts";
import { type BlobArea, type BlobStore, thumbnailKey } from "../../../../src/blobs/store.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import type { Ctx } from "../../../../src/context.ts";
import { createLogger } from "../../../../src/log.ts";
import { toPublicUrls } from "../../../../src/public-urls.ts";
import type { CopyReport } from "../../../../src/service/maintenance/copy-storage/copy-stats.ts";
import { type CopyStorage, copyStorage } from "../../../../src/service/maintenance/copy-storage/copy-storage.ts";
import { putBlob, readAll } from "../../../blobs/bodies.ts";
import { s3Settings, type TestSwift } from "../../../support/services/swift.ts";

type Kind = StorageOptions["kind"];

/** A database, a disk store and a bucket, new and empty. */
export interface TwoStores extends AsyncDisposable {
  readonly ctx: Ctx;
  readonly env: Readonly<Record<string, string>>;
  readonly disk: BlobStore;
  readonly s3: BlobStore;
  /** A path inside the disk store. */
  path(area: "blobs" | "quarantine", key: string): string;
  /** Adds the row of a file, and its bytes in one store. */
  addFile(at: BlobStore, file?: NewFile): Promise<AddedFile>;
  /** Adds the thumbnail of a file, and its bytes in one store. */
  addThumbnail(at: BlobStore, file: AddedFile): Promise<AddedFile>;
  setState(key: string, state: "stored" | "quarantined" | "removing" | "removed"): Promise<void>;
  copy(from: Kind, to: Kind, options?: Partial<CopyStorage>): Promise<CopyReport>;
}

export interface NewFile {
  readonly bytes?: Uint8Array;
  readonly state?: "stored" | "quarantined";
  /** Whether the row has the digest; default: true. */
  readonly isChecked?: boolean;
}

export interface AddedFile {
  readonly id: string;
  readonly key: string;
  readonly bytes: Uint8Array;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Whether a request to a bucket creates an object: a small PUT, or the completion of a multipart upload. */
export const isPlacing = ({ method, url }: { readonly method: string; readonly url: string }): boolean =>
  method === "POST" ? url.includes("uploadId=") : method === "PUT" && !url.includes("partNumber=");

export async function openTwoStores(swift: TestSwift): Promise<TwoStores> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-copy-"));
  const env = {
    FILEHOST_DATA: join(folder, "data"),
    FILEHOST_MIN_FREE: "1MB",
    FILEHOST_SCANNER: "off",
    FILEHOST_LOG: "silent",
    ...s3Settings(swift, await swift.createBucket()),
    FILEHOST_S3_PREFIX: "some/where",
  };
  const loaded = loadConfig(env);
  const app = await createApp({ loaded, urls: toPublicUrls(loaded.config, 80), log: createLogger(loaded.config.log) });
  const { ctx } = app;
  const { disk: diskOptions, s3: s3Options } = loaded.config.stores;
  if (!diskOptions || !s3Options) throw new Error("both stores are set");
  const disk = await openBlobStore(diskOptions);
  const s3 = await openBlobStore(s3Options);

  return {
    ctx,
    env,
    disk,
    s3,
    path: (area, key) => join(env.FILEHOST_DATA, area, key.slice(0, 2), key.slice(2, 4), key),
    async addFile(at, { bytes = randomBytes(1000), state = "stored", isChecked = true } = {}) {
      const key = await putBlob(at, bytes);
      if (state === "quarantined") await at.quarantine(key);
      const id = randomBytes(8).toString("hex");
      await ctx.db.insertInto("shares").values({ short_id: id, kind: "file", name: id, created_at: 1 }).execute();
      await ctx.db
        .insertInto("files")
        .values({
          id,
          short_id: id,
          quota_owner: "somebody",
          name: id,
          size_bytes: bytes.length,
          content_type: "application/octet-stream",
          sha256: isChecked ? sha256(bytes) : null,
          blob_key: key,
          blob_state: state,
          scan_status: isChecked ? (state === "stored" ? "clean" : "unavailable") : "pending",
          scan_reason: state === "quarantined" ? "infected" : null,
          created_at: 1,
        })
        .execute();
      return { id, key, bytes };
    },
    async addThumbnail(at, { id, key: fileKey }) {
      const bytes = randomBytes(100);
      const key = await putBlob(at, bytes, thumbnailKey(fileKey));
      await ctx.db.updateTable("files").set({ thumbnail_bytes: bytes.length }).where("id", "=", id).execute();
      return { id, key, bytes };
    },
    async setState(key, state) {
      await ctx.db.updateTable("files").set({ blob_state: state }).where("blob_key", "=", key).execute();
    },
    copy: (from, to, options = {}) => copyStorage(ctx, { from, to, parallel: 4, dryRun: false, verify: false, ...options }),
    async [Symbol.asyncDispose]() {
      await s3[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Every blob of a store with its digest, and the staged blobs. */
export async function contentOf(store: BlobStore): Promise<Record<BlobArea | "staged", readonly string[]>> {
  const list = async (area: BlobArea): Promise<string[]> => {
    const { items } = await store.list(area);
    return await Promise.all(items.map(async ({ key }) => `${key} ${sha256(await readAll(store.read(key, { area })))}`));
  };
  const staged = (await store.listStaged()).items.map(({ key }) => key);
  return { visible: await list("visible"), quarantine: await list("quarantine"), staged };
}

/** The expected `contentOf` a store that has exactly these files. */
export function contentWith(files: Partial<Record<BlobArea, readonly AddedFile[]>>): Awaited<ReturnType<typeof contentOf>> {
  const lines = (area: BlobArea) => (files[area] ?? []).map(({ key, bytes }) => `${key} ${sha256(bytes)}`).sort();
  return { visible: lines("visible"), quarantine: lines("quarantine"), staged: [] };
}

/** The report of a copy without changes, with the given differences. */
export function reportWith(from: Kind, to: Kind, differing: Partial<CopyReport> = {}): CopyReport {
  const none = { files: 0, bytes: 0 };
  const counts = { moved: 0, deletedMeanwhile: 0, removed: 0, unknown: 0, failed: 0, failures: [], unfinishedUploads: 0 };
  return { from, to, dryRun: false, copied: none, present: none, verified: none, ...counts, ...differing };
}
