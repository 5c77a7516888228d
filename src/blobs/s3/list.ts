import type { BlobInfo, BlobKey, BlobPage, StagedBlob, UploadedPart } from "../store.ts";
import type { S3Area, S3Bucket } from "./bucket.ts";
import { fromS3, isNoUpload, listStalled, unlessExpected } from "./errors.ts";
import { listedUpload, locateUpload } from "./upload-ref.ts";

export interface PageOptions {
  /** The `next` of the previous page. */
  readonly after: string | undefined;
  readonly pageSize: number;
}

/** Implements `BlobStore.list` on S3, with one request per page. */
export async function listObjects(
  { s3, name, folderOf, keyOf }: S3Bucket,
  area: S3Area,
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
  if (!page.IsTruncated) return { items, next: undefined };
  const next = objects.at(-1)?.Key?.slice(folder.length);
  if (next === undefined || (after !== undefined && !isBefore(after, next))) throw listStalled();
  return { items, next };
}

/** Compares texts by their bytes, as the order of a store's lists does. */
const isBefore = (left: string, right: string): boolean => Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0;

type Lister = (bucket: S3Bucket, page: PageOptions) => Promise<BlobPage<StagedBlob>>;

/** The lists of staged blobs, in sequence: unfinished uploads, then completed uploads that are not copied yet. */
const STAGED: readonly Lister[] = [
  (bucket, page) => listUploads(bucket, "visible", page),
  (bucket, page) => listUploads(bucket, "incoming", page),
  async (bucket, page) => {
    const { items, next } = await listObjects(bucket, "incoming", page);
    return { items: items.map(({ key }) => listedUpload(key, "incoming", "")), next };
  },
];

/** Implements `BlobStore.listStaged` on S3. */
export async function listStaged(bucket: S3Bucket, { after = "0 ", pageSize }: Partial<PageOptions> & { pageSize: number }) {
  const step = Number(after.slice(0, 1));
  const { items, next } = (await STAGED[step]?.(bucket, { after: after.slice(2) || undefined, pageSize })) ?? {
    items: [],
    next: undefined,
  };
  if (next !== undefined) return { items, next: `${step} ${next}` };
  return { items, next: step + 1 < STAGED.length ? `${step + 1} ` : undefined };
}

async function listUploads(
  { s3, name, folderOf, keyOf }: S3Bucket,
  area: S3Area,
  { after, pageSize }: PageOptions,
): Promise<BlobPage<StagedBlob>> {
  const folder = folderOf(area);
  const [lastKey = "", lastId = ""] = after?.split(" ") ?? [];
  const page = await fromS3(
    s3.listMultipartUploads({
      Bucket: name,
      Prefix: folder,
      MaxUploads: pageSize,
      ...(after === undefined ? {} : { KeyMarker: folder + lastKey, UploadIdMarker: lastId }),
    }),
  );
  const uploads = page.Uploads ?? [];
  const items = uploads.flatMap(({ Key, UploadId }) => {
    const key = keyOf(area, Key);
    return key === undefined || !UploadId ? [] : [listedUpload(key, area, UploadId)];
  });
  if (!page.IsTruncated) return { items, next: undefined };
  const last = uploads.at(-1);
  const next = last?.Key && `${last.Key.slice(folder.length)} ${last.UploadId ?? ""}`;
  // Uploads of one key are ordered by creation, not by ID.
  if (!next || next === after || isBefore(last.Key?.slice(folder.length) ?? "", lastKey)) throw listStalled();
  return { items, next };
}

/** Lists the uploads of one blob. There are several if the response to an earlier attempt was lost. */
export async function listUploadsOf({ s3, locate }: S3Bucket, key: BlobKey): Promise<StagedBlob[]> {
  const found: StagedBlob[] = [];
  for (const area of ["visible", "incoming"] as const) {
    const { Bucket, Key } = locate(area, key);
    const { Uploads = [] } = await fromS3(s3.listMultipartUploads({ Bucket, Prefix: Key }));
    for (const { Key: name, UploadId } of Uploads) if (name === Key && UploadId) found.push(listedUpload(key, area, UploadId));
  }
  return found;
}

/** Implements `BlobStore.listParts` on S3, with 1000 parts per request. */
export async function listS3Parts(bucket: S3Bucket, staged: StagedBlob): Promise<readonly UploadedPart[] | undefined> {
  const parts: UploadedPart[] = [];
  for (let marker: string | undefined; ; ) {
    const request = { ...locateUpload(bucket, staged), ...(marker === undefined ? {} : { PartNumberMarker: marker }) };
    const page = await unlessExpected(bucket.s3.listParts(request), isNoUpload);
    if (!page) return undefined;
    for (const { PartNumber, Size, ETag, LastModified, ChecksumSHA256 } of page.Parts ?? []) {
      if (PartNumber === undefined || Size === undefined || !ETag) continue;
      parts.push({
        partNumber: PartNumber,
        sizeBytes: Size,
        etag: ETag,
        sha256: ChecksumSHA256 ? Buffer.from(ChecksumSHA256, "base64").toString("hex") : undefined,
        uploadedAtMs: LastModified?.getTime() ?? 0,
      });
    }
    if (!page.IsTruncated || page.NextPartNumberMarker === undefined || page.NextPartNumberMarker === marker) return parts;
    marker = page.NextPartNumberMarker;
  }
}
