import { GetObjectCommand, PutObjectCommand, S3, UploadPartCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { s3Settings, startSwift, swiftMissing, type TestSwift } from "../../test/support/services/swift.ts";
import type { Bench } from "./bench.ts";
import type { Overrides } from "./filehost.ts";

/** The store as a peer, with URLs presigned here, so that the same curl transfers the same bytes without our server. */
export interface PeerStore {
  /** The origin of the store's URLs. */
  readonly origin: string;
  /** Creates a bucket for one of our servers. */
  createBucket(): Promise<ServerBucket>;
  signPut(key: string): Promise<string>;
  /** Creates a multipart upload. Returns the URL of each part, by number. */
  startParts(key: string, count: number): Promise<PartsAtPeer>;
  remove(key: string): Promise<void>;
}

export interface ServerBucket {
  readonly settings: Overrides;
  /** Makes a presigned URL of the only object of a bucket. */
  signOnly(): Promise<string>;
}

export interface PartsAtPeer {
  readonly urls: Readonly<Record<string, string>>;
  /** Completes the upload. */
  complete(): Promise<void>;
}

const stores = new WeakMap<Bench, Promise<PeerStore>>();

/** Starts one OpenStack Swift with s3api at the first call, on the load's core and the bench's disk. The bench stops it. */
export function startStore(bench: Bench): Promise<PeerStore> {
  const started = stores.get(bench) ?? start(bench);
  stores.set(bench, started);
  return started;
}

async function start(bench: Bench): Promise<PeerStore> {
  if (swiftMissing !== undefined) throw new Error(swiftMissing);
  const swift = bench.stack.use(await startSwift({ parent: bench.dir }));
  const { endpoint, region, accessKeyId, secretAccessKey } = swift;
  const s3 = new S3({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const Bucket = await swift.createBucket();
  return {
    origin: endpoint,
    async createBucket() {
      const Bucket = await swift.createBucket();
      return {
        settings: settingsFor(swift, Bucket),
        async signOnly() {
          const { Contents: [only, another] = [] } = await s3.listObjectsV2({ Bucket });
          if (!only || another) throw new Error("a server's bucket has not one object");
          return await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: only.Key }));
        },
      };
    },
    signPut: (Key) => getSignedUrl(s3, new PutObjectCommand({ Bucket, Key })),
    async startParts(Key, count) {
      const { UploadId } = await s3.createMultipartUpload({ Bucket, Key });
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      const sign = async (PartNumber: number) =>
        [String(PartNumber), await getSignedUrl(s3, new UploadPartCommand({ Bucket, Key, UploadId, PartNumber }))] as const;
      return {
        urls: Object.fromEntries(await Promise.all(numbers.map(sign))),
        async complete() {
          const { Parts = [] } = await s3.listParts({ Bucket, Key, UploadId });
          await s3.completeMultipartUpload({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
        },
      };
    },
    async remove(Key) {
      await s3.deleteObject({ Bucket, Key });
    },
  };
}

const settingsFor = (swift: TestSwift, bucket: string): Overrides => ({
  FILEHOST_STORAGE: "s3",
  ...s3Settings(swift, bucket),
});
