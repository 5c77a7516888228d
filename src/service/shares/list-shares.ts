import type { Ctx, RequestContext } from "../../context.ts";
import type { ScanStatus } from "../../contract/scalars.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { type AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { findCommonFolders } from "../share-names.ts";
import { toLinks } from "./aliases.ts";
import { listFilesLeft } from "./files-left.ts";
import type { ShareItem } from "./listing-contract.ts";
import { countOtherLinks } from "./other-links.ts";
import { findLinkedShare } from "./queries.ts";
import {
  countShares,
  listShareRows,
  positionOf,
  type ShareFilesSummary,
  type SharePosition,
  summarizeFiles,
} from "./share-list-queries.ts";
import { unlockKind } from "./share-password.ts";
import { leastAdvancedStatus, toShareState } from "./share-state.ts";

/** `GET /shares`: lists one page of the account's shares (listing, "Shares"). */
export const listShares: Operation<"listShares"> = async (ctx, { actor }, { state: list = "active", search, limit: requested, cursor }) => {
  const { userId } = requireUser(actor);
  const limit = clampLimit(requested, { defaultLimit: 50, maxLimit: 200 });
  const filter = { ownerId: userId, search: search?.trim() || undefined, nowMs: ctx.now() };
  const rows = await listShareRows(ctx.db, { ...filter, list, after: parsePosition(cursor), limit: limit + 1 });
  const shares = rows.slice(0, limit);
  const items = await toShareItems(ctx, shares);
  const last = shares.at(-1);
  return {
    success: true,
    data: items,
    nextCursor: last && rows.length > limit ? formatPosition(positionOf(list, last)) : null,
  };
};

/** Counts the shares in each list of the account, `max` at most in each. */
export const countOwnShares = (ctx: Ctx, { actor }: Pick<RequestContext, "actor">, max: number): ReturnType<typeof countShares> =>
  countShares(ctx.db, { ownerId: requireUser(actor).userId, nowMs: ctx.now(), max });

/** Gets one share of the account, in any state but deleted. */
export async function getOwnShare(ctx: Ctx, { actor }: Pick<RequestContext, "actor">, shortId: string): Promise<ShareItem> {
  const share = await findLinkedShare(ctx.db, shortId);
  if (share?.owner_id !== requireUser(actor).userId || share.status === "deleted" || share.is_private === 1) throw ownShareNotFound();
  const [item] = await toShareItems(ctx, [share]);
  if (!item) throw ownShareNotFound();
  return item;
}

export const ownShareNotFound = (): AppError => notFound("share", "List your shares to find its short ID.", "in your account");

/** Formats a position in a list as a cursor. */
export const formatPosition = ({ timeMs, shortId }: SharePosition): string => `${timeMs}_${shortId}`;

/** Parses a cursor whose form the contract has checked. */
export function parsePosition(cursor: string | undefined): SharePosition | undefined {
  if (cursor === undefined) return undefined;
  const [time = "", shortId = ""] = cursor.split("_");
  return { timeMs: Number(time), shortId };
}

async function toShareItems(ctx: Pick<Ctx, "db" | "now" | "urls">, shares: readonly ShareRow[]): Promise<ShareItem[]> {
  const shortIds = shares.map(({ short_id }) => short_id);
  const files = await summarizeFiles(ctx.db, shortIds);
  const folders = await findCommonFolders(ctx.db, shortIds);
  const otherLinks = await countOtherLinks(ctx, shortIds);
  const left = Map.groupBy(await listFilesLeft(ctx, shortIds), ({ shortId }) => shortId);
  return shares.map((share) => {
    const { short_id } = share;
    return toShareItem(ctx, share, {
      files: files.get(short_id),
      folder: folders.get(short_id) ?? null,
      otherLinks: otherLinks.get(short_id) ?? 0,
      filesLeft: left.get(short_id)?.length ?? 0,
    });
  });
}

interface ShareContents {
  readonly files: ShareFilesSummary | undefined;
  readonly folder: string | null;
  readonly otherLinks: number;
  readonly filesLeft: number;
}

function toShareItem(ctx: Pick<Ctx, "now" | "urls">, share: ShareRow, { files, folder, otherLinks, filesLeft }: ShareContents): ShareItem {
  const state = toShareState(ctx, share);
  return {
    shortId: share.short_id,
    alias: share.alias,
    ...toLinks(ctx, share),
    kind: share.kind,
    title: share.title,
    name: files?.name ?? null,
    folder,
    encrypted: (files?.encrypted ?? 0) > 0,
    files: files?.files ?? 0,
    size: files?.bytes ?? 0,
    state,
    scanStatus: leastAdvancedStatus((files?.scan_statuses.split(",") ?? []) as ScanStatus[]),
    uploading: (files?.uploading ?? 0) > 0,
    visibility: share.visibility,
    unlockRequired: share.unlock_hash !== null,
    unlockKind: unlockKind(share),
    immutable: (files?.immutable ?? 0) > 0,
    otherLinks,
    filesLeft: state === "expired" || state === "used_up" ? filesLeft : null,
    downloads: files?.downloads ?? 0,
    maxDownloads: share.max_downloads,
    notify: share.notify === null ? null : share.notify === 1,
    createdAt: toIso(share.created_at),
    expiresAt: toIso(share.expires_at),
    endedAt: toIso(share.ended_at),
  };
}
