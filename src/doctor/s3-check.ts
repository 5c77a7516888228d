import type { S3Bucket, S3Options } from "../blobs/s3/bucket.ts";
import { s3ErrorCode, s3Status } from "../blobs/s3/errors.ts";
import type { S3StoreOptions } from "../blobs/s3/s3-store.ts";
import type { CheckName, CheckSubject } from "../contract/check-names.ts";
import { AppError } from "../errors.ts";
import { type CheckResult, fail, ok } from "./check-result.ts";
import { explainError } from "./error-messages.ts";

/** The context that the checks of an S3 store share. */
export interface S3CheckContext {
  readonly options: S3StoreOptions;
  readonly bucket: S3Bucket;
  /** A unique blob key. After a crash, a server's cleanup removes the remains under this key. */
  readonly key: string;
  /** The origin of the site's pages, as browsers send it. */
  readonly origin: string;
  /** Origins of `FILEHOST_ALLOWED_ORIGINS`. */
  readonly otherOrigins: readonly string[];
  /** Returns the options of one request to the store, which set a timeout. */
  readonly within: () => { readonly abortSignal: AbortSignal };
}

/** Runs one request of a check; `detail` describes its success, and an error becomes a failure. */
export async function runS3Check(
  what: CheckName,
  detail: string,
  { options }: S3CheckContext,
  tried: () => Promise<void>,
): Promise<CheckResult> {
  try {
    await tried();
    return ok(what, detail);
  } catch (error) {
    return toS3Failure(what, error, options);
  }
}

/** Describes an error of the store and its fix, by the store's error code. */
export function toS3Failure(what: CheckName, error: unknown, options: S3Options): CheckResult {
  if (error instanceof AppError && error.cause !== undefined) return toS3Failure(what, error.cause, options);
  const status = String(s3Status(error) ?? "");
  const name = s3ErrorCode(error) ?? "";
  const code = [name, ALIASES[name], ALIASES[status]].find((known = "") => Object.hasOwn(REMEDIES, known)) ?? name;
  const remedy = REMEDIES[code];
  if (remedy) return fail(what, remedy.subject, `${remedy.found(options)} (${name || status})`, remedy.fix(options));
  return fail(
    what,
    "s3",
    `the store rejected the request: ${explainError(error)}${code && !explainError(error).includes(code) ? ` (${code})` : ""}`,
    "Check the store's log.",
  );
}

interface Remedy {
  readonly subject: CheckSubject;
  readonly found: (options: S3Options) => string;
  readonly fix: (options: S3Options) => string;
}

const REMEDIES: Readonly<Record<string, Remedy>> = {
  InvalidAccessKeyId: {
    subject: "s3Key",
    found: () => "the store does not know the access key",
    fix: () => "Set FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY (or …_FILE) to a key of this store.",
  },
  SignatureDoesNotMatch: {
    subject: "s3Key",
    found: () => "the secret does not match the access key",
    fix: () =>
      "Set FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY (or …_FILE) to a key of this store, and FILEHOST_S3_REGION to the store's.\n" +
      "A proxy in front of the store must forward the Host header unchanged.",
  },
  CredentialsProviderError: {
    subject: "s3Key",
    found: () => "there is no access key",
    fix: () =>
      "Set FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY_FILE, or use a source that the AWS SDK finds: a machine role, or AWS_PROFILE.",
  },
  NoSuchBucket: {
    subject: "s3Bucket",
    found: ({ bucket }) => `there is no bucket ${bucket}`,
    fix: (options) =>
      `Create it: ${toAwsCommand(options, `s3api create-bucket --bucket ${options.bucket}`)}\nOr set FILEHOST_S3_BUCKET to an existing one.`,
  },
  AccessDenied: {
    subject: "s3Permissions",
    found: () => "the access key has no permission",
    fix: (options) => `Attach this policy to the key:\n${policy(options)}`,
  },
  RequestTimeTooSkewed: {
    subject: "s3Clock",
    found: () => "this machine's clock differs too much from the store's",
    fix: () => "Synchronize the clock with timedatectl set-ntp true (or apt-get install chrony), and check it with timedatectl.",
  },
  PermanentRedirect: {
    subject: "s3Bucket",
    found: ({ region }) => `the bucket is not in the region ${region}, or not at this endpoint`,
    fix: ({ bucket }) => `Set FILEHOST_S3_REGION to the bucket's: aws s3api get-bucket-location --bucket ${bucket}`,
  },
  NotImplemented: {
    subject: "s3Unsupported",
    found: () => "the store does not support this request",
    fix: () => "Use a newer version of the store, or another store.",
  },
};

const ALIASES: Readonly<Record<string, string>> = {
  AllAccessDisabled: "AccessDenied",
  Forbidden: "AccessDenied",
  "403": "AccessDenied",
  ExpiredToken: "InvalidAccessKeyId",
  InvalidToken: "InvalidAccessKeyId",
  TokenProviderError: "CredentialsProviderError",
  AuthorizationHeaderMalformed: "PermanentRedirect",
  IllegalLocationConstraintException: "PermanentRedirect",
  "301": "PermanentRedirect",
};

/** Returns a command line of the AWS CLI for this store. */
export const toAwsCommand = ({ endpoint }: S3Options, command: string): string =>
  `aws ${endpoint === undefined ? "" : `--endpoint-url ${endpoint} `}${command}`;

function policy({ bucket, prefix }: S3Options): string {
  const arn = `arn:aws:s3:::${bucket}`;
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Action: ["s3:ListBucket", "s3:ListBucketMultipartUploads"], Resource: arn },
      {
        Effect: "Allow",
        Action: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
        Resource: `${arn}/${prefix}*`,
      },
    ],
  });
}
