import type { Output } from "../../service/contract.ts";

type Share = Output<"getShare">;
type ShareItem = Output<"listShares">["data"][number];
type Info = Extract<Output<"getFileInfo">["result"][number], { status: 200 }>;

/** The state of a share at one time. */
export interface ShareSnapshot {
  readonly shortId: string;
  readonly url: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** The state; `deleted` also if nothing else is known. */
  readonly state: "active" | "expired" | "used_up" | "taken_down" | "deleted";
  readonly uploading: boolean;
  /** The bytes that have arrived during the upload; null if the number is not known. */
  readonly receivedBytes: number | null;
  readonly scanStatus: Share["scanStatus"];
  readonly failureReason: Share["failureReason"];
  readonly expiresAt: string | null;
  readonly downloads: number;
}

/** An event of a share between two snapshots. */
export type ShareEvent =
  | { readonly type: "share"; readonly share: ShareSnapshot }
  | { readonly type: "uploading"; readonly share: ShareSnapshot }
  | { readonly type: "uploaded"; readonly share: ShareSnapshot }
  | { readonly type: "checked"; readonly share: ShareSnapshot }
  | { readonly type: "expiryChanged"; readonly share: ShareSnapshot }
  /** `count`: downloads since the previous snapshot. */
  | { readonly type: "downloaded"; readonly share: ShareSnapshot; readonly count: number }
  | { readonly type: "ended"; readonly share: ShareSnapshot };

const isChecked = ({ scanStatus }: ShareSnapshot): boolean => scanStatus === "clean" || scanStatus === "unavailable";

/** Lists the events since the previous snapshot, in this order; without one, the share itself. */
export function compareSnapshots(before: ShareSnapshot | undefined, share: ShareSnapshot): readonly ShareEvent[] {
  if (before === undefined) return [{ type: "share", share }];
  const count = share.downloads - before.downloads;
  const isActive = share.state === "active";
  return [
    ...(isActive && share.uploading && share.receivedBytes !== before.receivedBytes ? [{ type: "uploading", share } as const] : []),
    ...(isActive && before.uploading && !share.uploading ? [{ type: "uploaded", share } as const] : []),
    ...(isActive &&
    !share.uploading &&
    isChecked(share) &&
    (!isChecked(before) || before.uploading || before.scanStatus !== share.scanStatus)
      ? [{ type: "checked", share } as const]
      : []),
    ...(isActive && share.expiresAt !== before.expiresAt ? [{ type: "expiryChanged", share } as const] : []),
    ...(count > 0 ? [{ type: "downloaded", share, count } as const] : []),
    ...(!isActive && before.state === "active" ? [{ type: "ended", share } as const] : []),
  ];
}

/** Converts a share of its owner's list. */
export const ofListedShare = ({ shortId, shareUrl, title, name, size, ...item }: ShareItem): ShareSnapshot => ({
  shortId,
  url: shareUrl,
  name: title ?? name ?? shortId,
  sizeBytes: size,
  state: item.state,
  uploading: item.uploading,
  receivedBytes: null,
  scanStatus: item.scanStatus,
  failureReason: null,
  expiresAt: item.expiresAt,
  downloads: item.downloads,
});

/** Converts an open share, as everyone sees it. */
export const ofOpenShare = (share: Share, info: Info | undefined, url: string): ShareSnapshot => ({
  shortId: share.short_id,
  url,
  name: share.title ?? share.name,
  sizeBytes: share.size_bytes,
  state: "active",
  uploading: share.uploading,
  receivedBytes: share.receivedBytes,
  scanStatus: share.scanStatus,
  failureReason: share.failureReason,
  expiresAt: share.expires_at,
  downloads: info === undefined ? 0 : Number(info.download),
});

const END_STATES = { active: "expired", expired: "expired", deleted: "deleted", dmca_removed: "taken_down" } as const;

/** Converts a share that has ended, with its last known data and the state of `GET /files/info`. */
export const ofEndedShare = (before: ShareSnapshot, info: Info | undefined): ShareSnapshot => ({
  ...before,
  state: info === undefined ? "deleted" : info.isUsedUp ? "used_up" : END_STATES[info.status_field],
  downloads: Math.max(before.downloads, info === undefined ? 0 : Number(info.download)),
});
