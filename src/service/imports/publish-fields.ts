import type { Ctx } from "../../context.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import { type PublishInput, publishInput } from "../shares/contract.ts";

/** The stored publish fields of an import. A share token is encrypted: the job needs it later. */
export const sealPublishFields = (ctx: Pick<Ctx, "keyring">, publish: PublishInput): string =>
  JSON.stringify(publish.shareToken ? { ...publish, shareToken: ctx.keyring.encrypt(publish.shareToken) } : publish);

/** Reads what `sealPublishFields` stored. */
export function decryptPublishFields(ctx: Pick<Ctx, "keyring">, { publish_fields }: Pick<ImportRow, "publish_fields">): PublishInput {
  const { shareToken, ...fields } = JSON.parse(publish_fields);
  return publishInput.parse(shareToken ? { ...fields, shareToken: ctx.keyring.decrypt(shareToken) } : fields);
}
