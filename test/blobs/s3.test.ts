import { after, before, describe } from "node:test";
import { openS3Store } from "../../src/blobs/s3.ts";
import { startSwift, swiftMissing, type TestSwift } from "../support/swift.ts";
import { testBlobStore } from "./store-suite.ts";

const MB = 1024 * 1024;

describe("S3 store", { skip: swiftMissing }, () => {
  let swift: TestSwift;
  before(async () => {
    swift = await startSwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  const open = async () =>
    openS3Store({
      endpoint: swift.endpoint,
      region: swift.region,
      bucket: await swift.createBucket(),
      prefix: "some/where/",
      credentials: swift,
      pathStyle: true,
      downloads: "redirect",
    });

  testBlobStore(
    "S3",
    async () => {
      const store = await open();
      return { store, close: async () => await store[Symbol.asyncDispose]() };
    },
    { minPartBytes: 5 * MB },
  );
});
