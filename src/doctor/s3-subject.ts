import type { S3StoreOptions } from "../blobs/s3.ts";
import type { S3Bucket } from "../blobs/s3-bucket.ts";
import { type Finding, ok } from "./finding.ts";
import { toS3Fault } from "./s3-faults.ts";

/** What the looks at a store share. */
export interface S3Subject {
  readonly options: S3StoreOptions;
  readonly bucket: S3Bucket;
  /** A blob's name that nobody else has. What a crash leaves under it, a server's cleanup takes. */
  readonly key: string;
  /** The origin of the site's pages, as browsers send it. */
  readonly origin: string;
  /** Of other sites whose pages may do more than read. */
  readonly otherOrigins: readonly string[];
  /** For one call: ends it when it takes too long. */
  readonly within: () => { readonly abortSignal: AbortSignal };
}

/** One try; what it throws is a finding. */
export async function attempt(what: string, detail: string, { options }: S3Subject, tried: () => Promise<void>): Promise<Finding> {
  try {
    await tried();
    return ok(what, detail);
  } catch (error) {
    return toS3Fault(what, error, options);
  }
}
