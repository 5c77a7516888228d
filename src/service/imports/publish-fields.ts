import type { Ctx } from "../../context.ts";
import type { ImportRow } from "../../db/tables/imports.ts";
import { type PublishInput, publishInput } from "../shares/contract.ts";

/** Encodes the publish fields of an import for storage. Encrypts the share token, because the job needs it later. */
export const sealPublishFields = (ctx: Pick<Ctx, "keyring">, publish: PublishInput): string =>
  JSON.stringify(publish.shareToken ? { ...publish, shareToken: ctx.keyring.encrypt(publish.shareToken) } : publish);

/** Decodes the fields that `sealPublishFields` encoded. */
export function decryptPublishFields(ctx: Pick<Ctx, "keyring">, { publish_fields }: Pick<ImportRow, "publish_fields">): PublishInput {
  const { shareToken, ...fields } = JSON.parse(publish_fields);
  return publishInput.parse(shareToken ? { ...fields, shareToken: ctx.keyring.decrypt(shareToken) } : fields);
}
