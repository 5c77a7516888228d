import type { Ctx } from "../../context.ts";
import type { ScanStatus } from "../../contract/scalars.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { ownerId } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { unlockKind } from "../shares/share-password.ts";
import { isOpenToOwner, isVisibleTo, leastAdvancedStatus, toShareState } from "../shares/share-state.ts";
import type { InfoItem } from "./listing-contract.ts";
import { readShareInfos, type ShareInfo } from "./listing-queries.ts";

/**
 * `GET /files/info`: returns public data of shares, one item per code, in the order of the codes (listing, "File info"). Each code is first counted
 * as a request, so that lists do not help to guess codes; all known codes together then count as one.
 */
export const getFileInfo: Operation<"getFileInfo"> = async (ctx, { actor, uncountRequests }, { file_code: codes }) => {
  const infos = await readShareInfos(ctx.db, codes);
  const known = codes.filter((code) => infos.has(code)).length;
  if (known > 1) uncountRequests?.(known - 1);
  return {
    msg: "OK",
    server_time: toPlainTime(ctx.now()),
    status: 200,
    result: codes.map((code) => toInfoItem(ctx, code, infos.get(code), ownerId(actor))),
  };
};

function toInfoItem(ctx: Ctx, filecode: string, info: ShareInfo | undefined, accountId: string | null): InfoItem {
  if (!info || !isVisibleTo(info, accountId)) return { status: 404, filecode };
  const status = info.status === "active" && !isOpenToOwner(ctx, info) ? "expired" : info.status;
  const isDeleted = status === "deleted";
  return {
    status: 200,
    filecode,
    name: isDeleted ? "" : info.name,
    size: String(info.size_bytes),
    uploaded: toPlainTime(info.created_at),
    download: isDeleted ? "0" : String(info.download_count),
    status_field: status,
    isUsedUp: status === "expired" && toShareState(ctx, info) === "used_up",
    unlockRequired: info.unlock_hash !== null,
    unlockKind: unlockKind(info),
    paymentRequired: info.price_cents !== null,
    priceCents: info.price_cents,
    title: isDeleted || info.unlock_hash !== null || info.price_cents !== null ? null : info.title,
    expiresAt: toIso(info.expires_at),
    scanStatus: status === "active" ? leastAdvancedStatus((info.scan_statuses?.split(",") ?? []) as ScanStatus[]) : null,
    uploading: status === "active" && info.uploading > 0,
  };
}

const toPlainTime = (ms: number): string => toIso(ms).slice(0, 19).replace("T", " ");
