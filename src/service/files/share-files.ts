import { inJson } from "../../db/bulk.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError, notFound } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { insertShare } from "../shares/create-share.ts";
import { SHIPMENT_NAME } from "../shares/publish-file.ts";
import { resolvePublishSettings } from "../shares/publish-settings.ts";

/** `POST /files/share`: gives files that only their owner could open a share of their own (requests, "Sharing what you received"). */
export const shareFiles: Operation<"shareFiles"> = async (ctx, call, { fileIds, ...settings }) => {
  const owner = requireUser(call.actor);
  const publish = resolvePublishSettings(settings, { actor: owner, limits: ctx.config.tiers[owner.tier], nowMs: ctx.now() });
  const ids = inJson([...new Set(fileIds)]);
  return await commitResponse(ctx, call, async (ctx) => {
    const files = await ctx.db
      .selectFrom("files")
      .innerJoin("shares", "shares.short_id", "files.short_id")
      .selectAll("files")
      .select("shares.is_private")
      .where("files.id", "in", ids)
      .where("files.owner_id", "=", owner.userId)
      .where("files.status", "=", "active")
      .where("files.blob_state", "<>", "uploading")
      .execute();
    const [first] = files;
    if (!first || files.length < new Set(fileIds).size) throw notFound("file", "List your files to find its ID.", "in your account");
    const shared = files.find((file) => file.is_private === 0);
    if (shared)
      throw new AppError("CONFLICT", `The file ${shared.id} is shared already, as /d/${shared.short_id}. Omit it, or delete that share.`);
    const output = await insertShare(ctx, owner, publish, { kind: files.length === 1 ? "file" : "shipment", name: toName(files, first) });
    await ctx.db.updateTable("files").set({ short_id: output.shortId }).where("id", "in", ids).execute();
    return output;
  });
};

const toName = (files: readonly FileRow[], first: FileRow): string => (files.length === 1 ? first.name : SHIPMENT_NAME);
