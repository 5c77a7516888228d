import type { S3 } from "@aws-sdk/client-s3";
import { type BlobArea, type BlobKey, isBlobKey } from "../store.ts";
import { createS3Transport } from "./transport.ts";

export interface S3Options {
  /** Undefined: Amazon's, by region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of every object name; empty, or ending in a slash. */
  readonly prefix: string;
  /** The credentials; undefined for the SDK's default sources (environment, files, the machine's role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly pathStyle: boolean;
  /** Maximum wait for a response and for progress of a body; default: 30 seconds. */
  readonly responseTimeoutMs?: number;
}

type Sdk = typeof import("@aws-sdk/client-s3");

/**
 * The areas of blobs and two more: `incoming` for uploads whose clients could change them through presigned URLs even after completion, and `probes`
 * for capability probes. Nothing is served from these two.
 */
export type S3Area = BlobArea | "incoming" | "probes";

/** An open bucket: the SDK client and the object names. */
export interface S3Bucket extends AsyncDisposable {
  readonly sdk: Sdk;
  readonly s3: S3;
  readonly name: string;
  readonly responseTimeoutMs: number;
  /** Asks the store for its time, in milliseconds since 1970, exact to a second; undefined if the store does not report it. */
  readonly readTime: () => Promise<number | undefined>;
  /** Returns the prefix of an area's objects, which ends in a slash. */
  readonly folderOf: (area: S3Area) => string;
  /** Returns the bucket and object name of a blob. Throws unless the key is a blob key. */
  readonly locate: (area: S3Area, key: BlobKey) => { readonly Bucket: string; readonly Key: string };
  /** Returns the blob key in an object's name; undefined if it has none. */
  readonly keyOf: (area: S3Area, name: string | undefined) => BlobKey | undefined;
}

const ignore = (): void => {};

const FOLDERS: Readonly<Record<S3Area, string>> = {
  visible: "blobs/",
  quarantine: "quarantine/",
  incoming: "incoming/",
  probes: "probes/",
};

/** Maximum number of attempts of the SDK, for calls that are safe to retry. */
const MAX_ATTEMPTS = 3;
const RESPONSE_TIMEOUT_MS = 30_000;

/** Opens a bucket and loads the SDK, which a server on disk storage never does. Sends no request. */
export async function openS3Bucket(options: S3Options): Promise<S3Bucket> {
  const sdk = await import("@aws-sdk/client-s3");
  const { responseTimeoutMs = RESPONSE_TIMEOUT_MS } = options;
  let storeMs: number | undefined;
  const transport = createS3Transport(responseTimeoutMs, (ms) => {
    storeMs = ms;
  });
  const s3 = new sdk.S3({
    region: options.region,
    forcePathStyle: options.pathStyle,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials ? { credentials: options.credentials } : {}),
    requestHandler: transport,
    // The transport does not support the header; a store's early refusal ends a body early without it.
    expectContinueHeader: false,
    maxAttempts: MAX_ATTEMPTS,
    // The default logger writes to the console; relevant errors are thrown.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    // Many stores do not support the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const folderOf = (area: S3Area) => `${options.prefix}${FOLDERS[area]}`;
  return {
    sdk,
    s3,
    name: options.bucket,
    responseTimeoutMs,
    async readTime() {
      storeMs = undefined;
      await s3.headBucket({ Bucket: options.bucket }).catch(ignore);
      return storeMs;
    },
    folderOf,
    locate(area, key) {
      if (!isBlobKey(key)) throw new Error("Not the key of a blob");
      return { Bucket: options.bucket, Key: folderOf(area) + key };
    },
    keyOf(area, name) {
      const folder = folderOf(area);
      if (!name?.startsWith(folder)) return undefined;
      const key = name.slice(folder.length);
      return isBlobKey(key) ? key : undefined;
    },
    async [Symbol.asyncDispose]() {
      s3.destroy();
      await transport.close();
    },
  };
}
