import type { LifecycleRule } from "@aws-sdk/client-s3";
import { s3ErrorCode } from "../blobs/s3/errors.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";
import { type S3CheckContext, toAwsCommand } from "./s3-check.ts";

/** Minimum age at which a rule may abort uploads, in days: the maximum age of an upload session, and a day. */
const MIN_UPLOAD_DAYS = 8;

const NO_RULE = "no rule removes files";

/** Checks the bucket for lifecycle rules that remove files or abort uploads too early, and for versioning. */
export async function* checkBucketRules({ bucket, options, within }: S3CheckContext): AsyncGenerator<CheckResult> {
  const { s3, name } = bucket;
  try {
    const { Rules = [] } = await s3.getBucketLifecycleConfiguration({ Bucket: name }, within());
    const rules = Rules.filter(({ Status }) => Status === "Enabled");
    const [visible, quarantine, incoming] = (["visible", "quarantine", "incoming"] as const).map(bucket.folderOf);
    const removing = rules.find(
      (rule) => (rule.Expiration?.Days ?? rule.Expiration?.Date) !== undefined && appliesTo(rule, [visible, quarantine]),
    );
    const aborting = rules.find(
      (rule) =>
        (rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? MIN_UPLOAD_DAYS) < MIN_UPLOAD_DAYS &&
        appliesTo(rule, [visible, incoming]),
    );
    const fix = `Remove the rule from the bucket. To show it: ${toAwsCommand(options, `s3api get-bucket-lifecycle-configuration --bucket ${name}`)}`;
    if (removing)
      yield fail("S3 lifecycle", "s3Lifecycle", `the rule ${removing.ID ?? "without a name"} removes files that filehost still uses`, fix);
    if (aborting)
      yield warn(
        "S3 lifecycle",
        "s3Lifecycle",
        `the rule ${aborting.ID ?? "without a name"} aborts uploads before they are ${MIN_UPLOAD_DAYS} days old, which is how long an upload may take`,
        fix,
      );
    if (!removing && !aborting) yield ok("S3 lifecycle", NO_RULE);
  } catch (error) {
    if (s3ErrorCode(error) === "NoSuchLifecycleConfiguration") yield ok("S3 lifecycle", NO_RULE);
    else yield ok("S3 lifecycle", "cannot be read with this key or on this store: make sure that no rule removes files");
  }
  const versioning = await s3.getBucketVersioning({ Bucket: name }, within()).catch(() => undefined);
  if (versioning?.Status === "Enabled")
    yield warn(
      "S3 versions",
      "s3Versions",
      "the bucket keeps old versions: deleted files still use storage",
      `Add a rule that removes them, or: ${toAwsCommand(options, `s3api put-bucket-versioning --bucket ${name} --versioning-configuration Status=Suspended`)}`,
    );
}

/** Returns whether a rule applies to names in one of the folders. */
function appliesTo({ Filter, Prefix }: LifecycleRule, folders: readonly (string | undefined)[]): boolean {
  const prefix = Filter?.Prefix ?? Filter?.And?.Prefix ?? Prefix ?? "";
  return folders.some((folder = "") => folder.startsWith(prefix) || prefix.startsWith(folder));
}
