import type { Ctx } from "../../context.ts";
import type { ImportRow } from "../../db/tables/imports.ts";
import type { SubmissionUpload } from "../requests/uploader.ts";
import { type PublishInput, publishInput } from "../shares/contract.ts";

/** How the file of an import is published: with publish fields, for a request in a submission. */
interface ImportDestination {
  readonly publish: PublishInput;
  /** The submission, which exists when the job is created. */
  readonly submission?: SubmissionUpload | undefined;
}

/** Encodes the destination of an import for storage. Encrypts the share token, because the job needs it later. */
export function sealPublishFields(ctx: Pick<Ctx, "keyring">, { publish, submission }: ImportDestination): string {
  const sealed = publish.shareToken ? { ...publish, shareToken: ctx.keyring.encrypt(publish.shareToken) } : publish;
  if (!submission) return JSON.stringify(sealed);
  // Omits the secrets of a new submission.
  const { begins: _, ...stored } = submission;
  return JSON.stringify({ ...sealed, submission: stored });
}

/** Decodes the destination that `sealPublishFields` encoded. */
export function decryptPublishFields(ctx: Pick<Ctx, "keyring">, { publish_fields }: Pick<ImportRow, "publish_fields">): ImportDestination {
  const { shareToken, submission, ...fields } = JSON.parse(publish_fields);
  return { publish: publishInput.parse(shareToken ? { ...fields, shareToken: ctx.keyring.decrypt(shareToken) } : fields), submission };
}
