import type { S3Options } from "../blobs/s3-bucket.ts";
import { s3Code, s3Status } from "../blobs/s3-errors.ts";
import { AppError } from "../errors.ts";
import { type Finding, fail } from "./finding.ts";
import { reasonOf } from "./reasons.ts";

/** What a call of the store threw, and how to mend it, by the store's own code. */
export function toS3Fault(what: string, error: unknown, options: S3Options): Finding {
  if (error instanceof AppError && error.cause !== undefined) return toS3Fault(what, error.cause, options);
  const status = String(s3Status(error) ?? "");
  const name = s3Code(error) ?? "";
  const code = [name, ALIASES[name], ALIASES[status]].find((known = "") => Object.hasOwn(REMEDIES, known)) ?? name;
  const remedy = REMEDIES[code];
  if (remedy) return fail(what, `${remedy.found(options)} (${name || status})`, remedy.mend(options));
  return fail(
    what,
    `the store refused: ${reasonOf(error)}${code && !reasonOf(error).includes(code) ? ` (${code})` : ""}`,
    "See what the store's own log says of it.",
  );
}

interface Remedy {
  readonly found: (options: S3Options) => string;
  readonly mend: (options: S3Options) => string;
}

const REMEDIES: Readonly<Record<string, Remedy>> = {
  InvalidAccessKeyId: {
    found: () => "the store does not know the access key",
    mend: () => "Set FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY (or …_FILE) to a key of this store.",
  },
  SignatureDoesNotMatch: {
    found: () => "the store does not know the access key with this secret",
    mend: () =>
      "Set FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY (or …_FILE) to a key of this store, and FILEHOST_S3_REGION to the store's.\n" +
      "Where a proxy stands before the store, it must pass the Host header on as it came.",
  },
  CredentialsProviderError: {
    found: () => "there is no key",
    mend: () =>
      "Set FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY_FILE; or give the machine a role, or AWS_PROFILE, which the AWS SDK finds.",
  },
  NoSuchBucket: {
    found: ({ bucket }) => `there is no bucket ${bucket}`,
    mend: (options) =>
      `Make it: ${aws(options, `s3api create-bucket --bucket ${options.bucket}`)}\nOr set FILEHOST_S3_BUCKET to one that is there.`,
  },
  AccessDenied: {
    found: () => "the key is not allowed to",
    mend: (options) => `Give the key this policy:\n${policy(options)}`,
  },
  RequestTimeTooSkewed: {
    found: () => "this machine's clock is too far from the store's",
    mend: () => "timedatectl set-ntp true (or apt-get install chrony), then timedatectl shows whether the network sets the clock.",
  },
  PermanentRedirect: {
    found: ({ region }) => `the bucket is not in the region ${region}, or not at this endpoint`,
    mend: ({ bucket }) => `Set FILEHOST_S3_REGION to the bucket's: aws s3api get-bucket-location --bucket ${bucket}`,
  },
  NotImplemented: {
    found: () => "the store does not know how to",
    mend: () => "Use a newer version of that store, or another one.",
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

/** A command of Amazon's tool for this store. */
export const aws = ({ endpoint }: S3Options, command: string): string =>
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
