import type { S3 } from "@aws-sdk/client-s3";
import { createS3Transport } from "./s3-transport.ts";
import { type BlobArea, type BlobKey, isBlobKey } from "./store.ts";

export interface S3Options {
  /** Undefined: Amazon's own, by the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Put before every key; empty, or ending in a slash. */
  readonly prefix: string;
  /** Undefined: the SDK's own chain (environment, files, the machine's role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly pathStyle: boolean;
  /** How long the store may take to answer, and to take or to give some bytes; half a minute by default. */
  readonly answerMs?: number;
}

type Sdk = typeof import("@aws-sdk/client-s3");

/**
 * Where nothing is served from: `incoming` has uploads whose senders speak to a store that takes their parts even after the end; `probes`
 * what is tried there.
 */
export type S3Area = BlobArea | "incoming" | "probes";

/** A bucket that was opened: the SDK, and where in it blobs lie. */
export interface S3Bucket extends AsyncDisposable {
  readonly sdk: Sdk;
  readonly s3: S3;
  readonly name: string;
  readonly answerMs: number;
  /** `prefix` and the area's folder, with a slash at the end. */
  readonly folderOf: (area: S3Area) => string;
  /** Bucket and object of a blob. Throws for anything but a key of ours. */
  readonly locate: (area: S3Area, key: BlobKey) => { readonly Bucket: string; readonly Key: string };
  /** The key in an object's name; undefined where it is not one of ours. */
  readonly keyOf: (area: S3Area, name: string | undefined) => BlobKey | undefined;
}

const silent = (): void => {};

const FOLDERS: Readonly<Record<S3Area, string>> = {
  visible: "blobs/",
  quarantine: "quarantine/",
  incoming: "incoming/",
  probes: "probes/",
};

/** Calls of the SDK are tried this often, where that is safe. */
const MAX_ATTEMPTS = 3;
const ANSWER_MS = 30_000;

/** Loads the SDK, which a server on a disk never does. Asks the store nothing. */
export async function openS3Bucket(options: S3Options): Promise<S3Bucket> {
  const sdk = await import("@aws-sdk/client-s3");
  const { answerMs = ANSWER_MS } = options;
  const transport = createS3Transport(answerMs);
  const s3 = new sdk.S3({
    region: options.region,
    forcePathStyle: options.pathStyle,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials ? { credentials: options.credentials } : {}),
    requestHandler: transport,
    // The transport knows no such header; what a store refuses early ends a body early without it.
    expectContinueHeader: false,
    maxAttempts: MAX_ATTEMPTS,
    // Without one it writes to the console; what matters is thrown.
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
    // Many stores know none of the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const folderOf = (area: S3Area) => `${options.prefix}${FOLDERS[area]}`;
  return {
    sdk,
    s3,
    name: options.bucket,
    answerMs,
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
