import { type MarkName, markFileName, type StoreMarks } from "../store-marks.ts";
import type { S3Bucket } from "./bucket.ts";
import { fromS3, isNoObject, unlessExpected } from "./errors.ts";

/** Stores marks as objects in the area of visible blobs, where the access key has all required rights. */
export function createS3Marks({ s3, name: bucket, folderOf }: S3Bucket): StoreMarks {
  const locate = (name: MarkName) => ({ Bucket: bucket, Key: folderOf("visible") + markFileName(name) });
  return {
    async read(name) {
      const object = await unlessExpected(s3.getObject(locate(name)), isNoObject);
      return object && (await fromS3(object.Body?.transformToString() ?? Promise.reject(new Error("The store responded without a body"))));
    },
    async write(name, text) {
      await fromS3(s3.putObject({ ...locate(name), Body: text, ContentType: "application/json" }));
    },
    async remove(name) {
      await unlessExpected(s3.deleteObject(locate(name)), isNoObject);
    },
  };
}
