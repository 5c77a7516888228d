import type { S3Bucket } from "./s3-bucket.ts";
import { fromS3 } from "./s3-errors.ts";
import type { BlobArea, BlobInfo, BlobKey, BlobPage, StagedBlob } from "./store.ts";

export interface PageOptions {
  /** The last page's `next`. */
  readonly after: string | undefined;
  readonly pageSize: number;
}

/** `BlobStore.list` on S3: one question a page. */
export async function listObjects(
  { s3, name, folderOf, keyOf }: S3Bucket,
  area: BlobArea,
  { after, pageSize }: PageOptions,
): Promise<BlobPage<BlobInfo>> {
  const folder = folderOf(area);
  const page = await fromS3(
    s3.listObjectsV2({ Bucket: name, Prefix: folder, MaxKeys: pageSize, ...(after === undefined ? {} : { StartAfter: folder + after }) }),
  );
  const objects = page.Contents ?? [];
  const items = objects.flatMap(({ Key, Size }) => {
    const key = keyOf(area, Key);
    return key === undefined ? [] : [{ key, sizeBytes: Size ?? 0 }];
  });
  return { items, next: page.IsTruncated ? objects.at(-1)?.Key?.slice(folder.length) : undefined };
}

/** `BlobStore.listStaged` on S3: the multipart uploads that were neither completed nor aborted. */
export async function listUploads(
  { s3, name, folderOf, keyOf }: S3Bucket,
  { after, pageSize }: PageOptions,
): Promise<BlobPage<StagedBlob>> {
  const folder = folderOf("visible");
  const [lastKey = "", lastRef = ""] = after?.split(" ") ?? [];
  const page = await fromS3(
    s3.listMultipartUploads({
      Bucket: name,
      Prefix: folder,
      MaxUploads: pageSize,
      ...(after === undefined ? {} : { KeyMarker: folder + lastKey, UploadIdMarker: lastRef }),
    }),
  );
  const uploads = page.Uploads ?? [];
  const items = uploads.flatMap(({ Key, UploadId }) => {
    const key = keyOf("visible", Key);
    return key === undefined || !UploadId ? [] : [{ key, ref: UploadId }];
  });
  const last = uploads.at(-1);
  return { items, next: page.IsTruncated && last?.Key ? `${last.Key.slice(folder.length)} ${last.UploadId ?? ""}` : undefined };
}

/** The uploads of one blob: more than one where the answer to the first try was lost. */
export async function listUploadsOf({ s3, locate }: S3Bucket, key: BlobKey): Promise<StagedBlob[]> {
  const { Bucket, Key } = locate("visible", key);
  const { Uploads = [] } = await fromS3(s3.listMultipartUploads({ Bucket, Prefix: Key }));
  return Uploads.flatMap((upload) => (upload.Key === Key && upload.UploadId ? [{ key, ref: upload.UploadId }] : []));
}
