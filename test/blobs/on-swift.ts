import { openS3Store, type S3StoreOptions } from "../../src/blobs/s3/s3-store.ts";
import type { TestSwift } from "../support/services/swift.ts";

/** A store in a new bucket, or as `options` say otherwise. */
export const openOnSwift = async (swift: TestSwift, options: Partial<S3StoreOptions>): ReturnType<typeof openS3Store> =>
  await openS3Store({
    endpoint: swift.endpoint,
    region: swift.region,
    bucket: await swift.createBucket(),
    prefix: "some/where/",
    credentials: swift,
    pathStyle: true,
    uploads: "proxy",
    downloads: "redirect",
    ...options,
  });
