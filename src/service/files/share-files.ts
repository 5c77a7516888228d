import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { withLastPart } from "../../lib/text/file-name.ts";
import { requireUser } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { insertShare } from "../shares/create-share.ts";
import { SHIPMENT_NAME } from "../shares/publish-file.ts";
import { resolvePublishSettings } from "../shares/publish-settings.ts";
import { type ChosenFiles, listChosenFiles } from "./chosen-files.ts";
import { closeEmptyShares } from "./end-file.ts";
import { toSentAs } from "./sent-as.ts";

/** `POST /files/share`: moves files of the account to one new share (sharing, "Sharing files with one link"). */
export const shareFiles: Operation<"shareFiles"> = async (ctx, call, { fileIds, folderIds, move, force, ...settings }) => {
  const owner = requireUser(call.actor);
  const publish = resolvePublishSettings(settings, { actor: owner, limits: ctx.config.tiers[owner.tier], nowMs: ctx.now() });
  return await commitResponse(ctx, call, async (ctx) => {
    const chosen = await listChosenFiles(ctx.db, owner.userId, { fileIds, folderIds });
    const files = await listShared(ctx, chosen);
    const shared = files.filter((file) => file.is_private === 0);
    if (!move) refuseShared(shared);
    if (shared.some((file) => file.immutable === 1))
      throw new AppError("IMMUTABLE", "A chosen file is immutable, so it stays in its share. Set immutable to false first, or omit it.");
    const left = [...new Set(shared.map(({ short_id }) => short_id))];
    await checkBuyers(ctx, { shortIds: left }, { force, loses: "what they paid for" });
    const [only] = files.length === 1 ? files : [];
    const output = await insertShare(
      ctx,
      owner,
      publish,
      only ? { kind: "file", name: only.name } : { kind: "shipment", name: SHIPMENT_NAME },
    );
    await moveFiles(ctx, { files, chosen }, output.shortId);
    await endSignedUrls(ctx, files, output.shortId);
    await recordAudit(ctx, call, {
      action: "share.created",
      subject: output.shortId,
      account: owner.userId,
      details: { files: files.length },
    });
    const closed = await closeEmptyShares(ctx, left);
    for (const subject of closed) await recordAudit(ctx, call, { action: "share.closed", subject, account: owner.userId });
    return output;
  });
};

const COLUMNS = ["id", "short_id", "name", "immutable", "submission_id", "relative_path", "sent_name", "sent_path"] as const;

type SharedFile = Pick<FileRow, (typeof COLUMNS)[number]> & Pick<ShareRow, "is_private" | "credentials_version">;

const listShared = async ({ db }: TransactionCtx, chosen: ChosenFiles): Promise<readonly SharedFile[]> =>
  await db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select(COLUMNS.map((column) => `files.${column}` as const))
    .select(["shares.is_private", "shares.credentials_version"])
    .where("files.id", "in", inJson([...chosen.keys()]))
    .execute();

function refuseShared([file]: readonly SharedFile[]): void {
  if (!file) return;
  throw new AppError(
    "CONFLICT",
    `The file ${file.id} is shared already, as /d/${file.short_id}. Omit it, or send \`move\` to take it out of that share.`,
  );
}

interface Moved {
  readonly files: readonly SharedFile[];
  readonly chosen: ChosenFiles;
}

/**
 * Moves files to a share. A file gets its path in its chosen folder, or the path that it was sent with; its downloads are counted from zero, because
 * earlier downloads must not use up the new limit.
 */
async function moveFiles({ db }: TransactionCtx, { files, chosen }: Moved, shortId: string): Promise<void> {
  const moved = files.map((file) => {
    const { sent_name, sent_path } = toSentAs(file);
    return [file.id, chosen.get(file.id) ?? withLastPart(sent_path, file.name), sent_name, sent_path];
  });
  await sql`UPDATE files SET short_id = ${shortId}, download_count = 0,
      relative_path = moved.value ->> 1, sent_name = moved.value ->> 2, sent_path = moved.value ->> 3
    FROM json_each(${JSON.stringify(moved)}) AS moved
    WHERE files.id = moved.value ->> 0`.execute(db);
}

/** Ends the signed URLs that were issued for the files' previous shares, because URLs of an unlimited share have no grants. */
async function endSignedUrls({ db }: TransactionCtx, files: readonly SharedFile[], shortId: string): Promise<void> {
  const credentials_version = 1 + files.reduce((highest, file) => Math.max(highest, file.credentials_version), 0);
  await db.updateTable("shares").set({ credentials_version }).where("short_id", "=", shortId).execute();
}
