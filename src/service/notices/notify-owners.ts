import { sql } from "kysely";
import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { findShareNames, toUntitledName } from "../share-names.ts";
import { enqueueNotice } from "./enqueue-notice.ts";

/** Time between the notice and the end of a share, and the minimum lifetime of a share whose end is notified (notices, "Kinds"). */
const AHEAD_MS = DAY_MS;
const LONG_MS = 2 * DAY_MS;
const BATCH_SIZE = 50;

const COLUMNS = ["short_id", "kind", "owner_id", "name", "title", "notify", "is_private"] as const;
type NoticedShare = Pick<ShareRow, (typeof COLUMNS)[number]>;

const shareQuery = preparedQuery((db, { shortId }: { shortId: string }) =>
  db.selectFrom("shares").select(COLUMNS).where("short_id", "=", shortId),
);

async function toNotice(ctx: TransactionCtx, share: NoticedShare) {
  const { short_id, notify } = share;
  const request = share.is_private === 1 ? await findRequestOf(ctx, short_id) : undefined;
  if (request) return { about: request.id, title: () => request.title, path: `/requests/${request.id}`, wanted: toWanted(request.notify) };
  return { about: short_id, title: () => titleOf(ctx, share), path: `/d/${short_id}`, wanted: toWanted(notify) };
}

const toWanted = (notify: number | null): boolean | null => (notify === null ? null : notify === 1);

/** Finds the request of received files. Their notice names the request, because strangers chose the names of the files. */
const findRequestOf = async ({ db }: TransactionCtx, shortId: string) =>
  await db
    .selectFrom("request_submissions")
    .innerJoin("requests", "requests.id", "request_submissions.request_id")
    .select(["requests.id", "requests.title", "requests.notify"])
    .where("request_submissions.short_id", "=", shortId)
    .executeTakeFirst();

/** Returns the title of a share, otherwise the name of its only file or folder, or of its first file (notices, "The list"). */
async function titleOf({ db }: TransactionCtx, { short_id, kind, name, title }: NoticedShare): Promise<string> {
  if (title !== null || kind === "file") return title ?? name;
  const named = (await findShareNames(db, [short_id])).get(short_id);
  return named === undefined ? name : toUntitledName(named);
}

/** Notifies the owner of a share of a counted download, unless it is the owner's. */
export async function notifyDownload(ctx: TransactionCtx, { actor }: Pick<RequestContext, "actor">, shortId: string): Promise<void> {
  const share = await shareQuery.first(ctx.db, { shortId });
  if (!share || share.owner_id === null || share.notify === 0) return;
  if (actor.kind === "user" && actor.userId === share.owner_id) return;
  await enqueueNotice(ctx, { userId: share.owner_id, kind: "downloaded", ...(await toNotice(ctx, share)) });
}

/** Notifies the owners of shares that end within a day, once for each end. */
export async function notifyExpiringShares(ctx: Ctx): Promise<void> {
  await runInBatches(
    async () =>
      await ctx.transaction(async (ctx) => {
        const nowMs = ctx.now();
        const shares = await ctx.db
          .selectFrom("shares")
          .select(COLUMNS)
          .select(["expires_at", "created_at"])
          .where("status", "=", "active")
          .where("owner_id", "is not", null)
          .where("expires_at", "is not", null)
          .where(sql<boolean>`expiry_noticed_for IS NOT expires_at`)
          .where("expires_at", "<=", nowMs + AHEAD_MS)
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom("files")
                .select("files.id")
                .whereRef("files.short_id", "=", "shares.short_id")
                .where("files.status", "=", "active")
                .where("files.blob_state", "=", "stored"),
            ),
          )
          .orderBy("expires_at")
          .limit(BATCH_SIZE)
          .execute();
        for (const share of shares) {
          const { short_id, owner_id, expires_at, created_at } = share;
          await ctx.db.updateTable("shares").set({ expiry_noticed_for: expires_at }).where("short_id", "=", short_id).execute();
          if (owner_id === null || expires_at === null || expires_at - created_at < LONG_MS || expires_at <= nowMs) continue;
          await enqueueNotice(ctx, { userId: owner_id, kind: "expiring", atMs: expires_at, ...(await toNotice(ctx, share)) });
        }
        return shares.length;
      }),
  );
}
