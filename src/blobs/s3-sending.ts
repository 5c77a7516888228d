import type { S3Bucket } from "./s3-bucket.ts";
import { isNoUpload, noEtag, toS3Error } from "./s3-errors.ts";
import { createFeed } from "./s3-feed.ts";
import { SIGN_BODY, signBody, UNSIGNED } from "./s3-signing.ts";
import { locateUpload, readRef, toS3Digest } from "./s3-staged.ts";
import type { StagedBlob } from "./store.ts";
import { uploadClosed } from "./store-errors.ts";

/** A part that is handed to the store as it comes. Retries are the sender's. */
export interface Sending {
  /** Sends all but the last piece. */
  push(chunk: Uint8Array): Promise<void>;
  /** Sends what was held back; resolves to the entity tag that the store gave, undefined where there was nothing to send. */
  finish(): Promise<string | undefined>;
  abort(): void;
}

export interface SentPart {
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** Without it, the bytes are not signed. */
  readonly sha256?: string;
}

export function startSending(bucket: S3Bucket, staged: StagedBlob, { partNumber, sizeBytes, sha256 }: SentPart): Sending {
  const feed = createFeed({ stallMs: bucket.answerMs, onFirst: start });
  const aborter = new AbortController();
  let answer: Promise<string> | undefined;

  function start(): void {
    answer = uploadPart();
    // Seen by whoever awaits it later, not reported as unhandled meanwhile.
    answer.catch(() => feed.stream.destroy());
  }

  async function uploadPart(): Promise<string> {
    const hasDigest = sha256 !== undefined && readRef(staged.ref).hasDigests;
    const command = new bucket.sdk.UploadPartCommand({
      ...locateUpload(bucket, staged),
      PartNumber: partNumber,
      ContentLength: sizeBytes,
      ...(hasDigest ? { ChecksumSHA256: toS3Digest(sha256) } : {}),
      Body: feed.stream,
    });
    command.middlewareStack.add(signBody(sha256 ?? UNSIGNED), SIGN_BODY);
    try {
      const { ETag } = await bucket.s3.send(command, { abortSignal: aborter.signal });
      if (!ETag) throw noEtag();
      return ETag;
    } catch (error) {
      throw isNoUpload(error) ? uploadClosed() : toS3Error(error);
    }
  }

  return {
    async push(chunk) {
      // The store may answer before it has read all, and then it is with an error.
      if (!(await feed.push(chunk))) await answer;
    },
    async finish() {
      await feed.end();
      const etag = await answer;
      feed.free();
      return etag;
    },
    abort() {
      aborter.abort();
      feed.stream.destroy();
    },
  };
}
