import type { LifecycleRule } from "@aws-sdk/client-s3";
import { s3Code } from "../blobs/s3-errors.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { aws } from "./s3-faults.ts";
import type { S3Subject } from "./s3-subject.ts";

/** The longest that an upload may take, and a day. */
const LEAST_UPLOAD_DAYS = 8;

const NO_RULE = "no rule that would remove files";

/** Rules of the bucket by which the store removes, or keeps, what this program does not expect. */
export async function* lookAtRules({ bucket, options, within }: S3Subject): AsyncGenerator<Finding> {
  const { s3, name } = bucket;
  try {
    const { Rules = [] } = await s3.getBucketLifecycleConfiguration({ Bucket: name }, within());
    const rules = Rules.filter(({ Status }) => Status === "Enabled");
    const [visible, quarantine, incoming] = (["visible", "quarantine", "incoming"] as const).map(bucket.folderOf);
    const removing = rules.find(
      (rule) => (rule.Expiration?.Days ?? rule.Expiration?.Date) !== undefined && meets(rule, [visible, quarantine]),
    );
    const impatient = rules.find(
      (rule) =>
        (rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? LEAST_UPLOAD_DAYS) < LEAST_UPLOAD_DAYS &&
        meets(rule, [visible, incoming]),
    );
    const fix = `Take the rule out of the bucket. ${aws(options, `s3api get-bucket-lifecycle-configuration --bucket ${name}`)} shows it.`;
    if (removing) yield fail("S3 lifecycle", `the rule ${removing.ID ?? "without a name"} removes files that filehost still has`, fix);
    if (impatient)
      yield warn(
        "S3 lifecycle",
        `the rule ${impatient.ID ?? "without a name"} ends uploads before they are ${LEAST_UPLOAD_DAYS} days old, which is how long they may take`,
        fix,
      );
    if (!removing && !impatient) yield ok("S3 lifecycle", NO_RULE);
  } catch (error) {
    if (s3Code(error) === "NoSuchLifecycleConfiguration") yield ok("S3 lifecycle", NO_RULE);
    else yield ok("S3 lifecycle", "not to be seen with this key or on this store: have no rule there that removes files");
  }
  const versioning = await s3.getBucketVersioning({ Bucket: name }, within()).catch(() => undefined);
  if (versioning?.Status === "Enabled")
    yield warn(
      "S3 versions",
      "the bucket keeps old versions: files that were deleted stay, and cost",
      `Add a rule that removes them, or: ${aws(options, `s3api put-bucket-versioning --bucket ${name} --versioning-configuration Status=Suspended`)}`,
    );
}

/** Whether a rule is for names in one of the folders. */
function meets({ Filter, Prefix }: LifecycleRule, folders: readonly (string | undefined)[]): boolean {
  const prefix = Filter?.Prefix ?? Filter?.And?.Prefix ?? Prefix ?? "";
  return folders.some((folder = "") => folder.startsWith(prefix) || prefix.startsWith(folder));
}
