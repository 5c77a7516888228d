import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
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
import { deleteEmptyShares } from "./end-file.ts";
import { addPlaces, onePlaceEach } from "./places.ts";
import { toSentAs } from "./sent-as.ts";

/**
 * `POST /files/share`: gives files of the account a place in one new share. Files that nobody has shared yet, and with `move` all files, leave their
 * present share (sharing, "Sharing files with one link").
 */
export const shareFiles: Operation<"shareFiles"> = async (ctx, call, { fileIds, folderIds, move, force, ...settings }) => {
  const owner = requireUser(call.actor);
  const publish = resolvePublishSettings(settings, { actor: owner, limits: ctx.config.tiers[owner.tier], nowMs: ctx.now() });
  return await commitResponse(ctx, call, async (ctx) => {
    const chosen = await listChosenFiles(ctx.db, owner.userId, { fileIds, folderIds });
    const files = onePlaceEach(await listShared(ctx, chosen));
    const isMoved = (file: SharedFile): boolean => move === true || file.is_private === 1;
    const moved = files.filter(isMoved);
    const shared = moved.filter((file) => file.is_private === 0);
    if (shared.some((file) => file.immutable === 1))
      throw new AppError(
        "IMMUTABLE",
        "A chosen file is immutable, so it stays in its share. Omit move, set immutable to false, or omit it.",
      );
    const left = [...new Set(shared.map(({ short_id }) => short_id))];
    await checkBuyers(ctx, { shortIds: left }, { force, loses: "what they paid for" });
    const [only] = files.length === 1 ? files : [];
    const output = await insertShare(
      ctx,
      owner,
      publish,
      only ? { kind: "file", name: only.owner_name ?? only.name } : { kind: "shipment", name: SHIPMENT_NAME },
    );
    await moveToShare(ctx, { files: moved, chosen }, output.shortId);
    await raiseCredentialsVersion(ctx, moved, output.shortId);
    const added = files.filter((file) => !isMoved(file));
    await addPlaces(ctx, { owner, shortId: output.shortId, places: added.map((file) => ({ file, path: newPath(file, chosen) })) });
    await recordAudit(ctx, call, {
      action: "share.created",
      subject: output.shortId,
      account: owner.userId,
      details: { files: files.length },
    });
    const closed = await deleteEmptyShares(ctx, left);
    for (const subject of closed) await recordAudit(ctx, call, { action: "share.closed", subject, account: owner.userId });
    return output;
  });
};

const COLUMNS = [
  "id",
  "short_id",
  "name",
  "owner_name",
  "origin_id",
  "blob_state",
  "immutable",
  "submission_id",
  "relative_path",
  "sent_name",
  "sent_path",
] as const;

type SharedFile = Pick<FileRow, (typeof COLUMNS)[number]> & Pick<ShareRow, "is_private" | "credentials_version">;

const listShared = async ({ db }: TransactionCtx, chosen: ChosenFiles): Promise<readonly SharedFile[]> =>
  await db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select(COLUMNS.map((column) => `files.${column}` as const))
    .select(["shares.is_private", "shares.credentials_version"])
    .where("files.id", "in", inJson([...chosen.keys()]))
    .execute();

/** Returns the path of a file in its new share: that in its chosen folder, or the one that it was sent with. */
const newPath = (file: SharedFile, chosen: ChosenFiles): string | null =>
  chosen.get(file.id) ?? withLastPart(toSentAs(file).sent_path, file.owner_name ?? file.name);

interface Moved {
  readonly files: readonly SharedFile[];
  readonly chosen: ChosenFiles;
}

/**
 * Moves files to a share. Their downloads are counted from zero, because earlier downloads must not use up the new limit.
 */
async function moveToShare({ db }: TransactionCtx, { files, chosen }: Moved, shortId: string): Promise<void> {
  const moved = files.map((file) => {
    const { sent_name, sent_path } = toSentAs(file);
    return [file.id, newPath(file, chosen), sent_name, sent_path, file.owner_name ?? file.name];
  });
  await sql`UPDATE files SET short_id = ${shortId}, download_count = 0,
      name = moved.value ->> 4, relative_path = moved.value ->> 1, sent_name = moved.value ->> 2, sent_path = moved.value ->> 3
    FROM json_each(${JSON.stringify(moved)}) AS moved
    WHERE files.id = moved.value ->> 0`.execute(db);
}

/** Ends the signed URLs that were issued for the files' previous shares, because URLs of an unlimited share have no grants. */
async function raiseCredentialsVersion({ db }: TransactionCtx, files: readonly SharedFile[], shortId: string): Promise<void> {
  if (files.length === 0) return;
  const credentials_version = 1 + files.reduce((highest, file) => Math.max(highest, file.credentials_version), 0);
  await db.updateTable("shares").set({ credentials_version }).where("short_id", "=", shortId).execute();
}
