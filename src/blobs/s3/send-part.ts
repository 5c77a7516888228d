import { uploadClosed } from "../blob-errors.ts";
import type { StagedBlob } from "../store.ts";
import { createBackpressureStream } from "./backpressure-stream.ts";
import type { S3Bucket } from "./bucket.ts";
import { isNoUpload, missingEtag, toS3Error } from "./errors.ts";
import { locateUpload, parseRef, toS3Digest } from "./upload-ref.ts";

/** An upload of one part that is streamed to the store. The client must retry. */
export interface PartUpload {
  /** Sends all but the last bytes. */
  push(chunk: Uint8Array): Promise<void>;
  /** Sends the held-back bytes. Resolves to the store's ETag; undefined if there was nothing to send. */
  finish(): Promise<string | undefined>;
  abort(): void;
}

export interface PartBody {
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** The digest with which the bytes are signed; undefined: the bytes are not signed. */
  readonly sha256?: string;
}

export function startPartUpload(bucket: S3Bucket, staged: StagedBlob, { partNumber, sizeBytes, sha256 }: PartBody): PartUpload {
  const stream = createBackpressureStream({ stallTimeoutMs: bucket.responseTimeoutMs, onStart: start });
  const aborter = new AbortController();
  let etag: Promise<string> | undefined;

  function start(): void {
    etag = uploadPart();
    // The promise is awaited later, and an error must not be reported as unhandled meanwhile.
    etag.catch(() => stream.readable.destroy());
  }

  async function uploadPart(): Promise<string> {
    const hasDigest = sha256 !== undefined && parseRef(staged.ref).hasDigests;
    const command = new bucket.sdk.UploadPartCommand({
      ...locateUpload(bucket, staged),
      PartNumber: partNumber,
      ContentLength: sizeBytes,
      ...(hasDigest ? { ChecksumSHA256: toS3Digest(sha256) } : {}),
      Body: stream.readable,
    });
    command.middlewareStack.add(signBody(sha256 ?? UNSIGNED), SIGN_BODY);
    try {
      const { ETag } = await bucket.s3.send(command, { abortSignal: aborter.signal });
      if (!ETag) throw missingEtag();
      return ETag;
    } catch (error) {
      throw isNoUpload(error) ? uploadClosed() : toS3Error(error);
    }
  }

  return {
    async push(chunk) {
      // A response before the store has read everything is an error.
      if (!(await stream.push(chunk))) await etag;
    },
    async finish() {
      await stream.end();
      const result = await etag;
      stream.free();
      return result;
    },
    abort() {
      aborter.abort();
      stream.readable.destroy();
    },
  };
}

interface OutgoingRequest {
  readonly protocol: string;
  readonly headers: Record<string, string>;
}

/** The signed digest if TLS protects the body, and for a streamed body, whose digest is unknown. */
const UNSIGNED = "UNSIGNED-PAYLOAD";

/** The middleware step of `signBody`. */
export const SIGN_BODY = { step: "build", name: "signBody" } as const;

/**
 * Signs a body by its known digest, so that a store that verifies it refuses changed bytes. Without a digest, over TLS, the bytes are not signed: the
 * SDK would hash them, which takes half a second of processor time per GB, although TLS protects them too.
 */
export const signBody =
  (sha256?: string) =>
  <Args extends { readonly request: unknown }, Result>(next: (args: Args) => Result) =>
  (args: Args): Result => {
    const { protocol, headers } = args.request as OutgoingRequest;
    const digest = sha256 ?? (protocol === "https:" ? UNSIGNED : undefined);
    if (digest !== undefined) headers["x-amz-content-sha256"] = digest;
    return next(args);
  };
