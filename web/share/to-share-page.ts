import type { Ctx } from "../../src/context.ts";
import type { PreviewElement } from "../../src/contract/preview-element.ts";
import { type PreviewKind, toPreviewKind } from "../../src/service/downloads/preview-kind.ts";
import { allowsPreviews, findPreviewKind, isDecryptable, offerPreview } from "../../src/service/downloads/preview-rules.ts";
import { signEncryptedPath } from "../../src/service/downloads/preview-url.ts";
import { findPlaceholder } from "../../src/service/downloads/queries.ts";
import { toLinks } from "../../src/service/shares/aliases.ts";
import { isRecipientToken } from "../../src/service/shares/recipient-links.ts";
import { isBlocklisted } from "../../src/service/shares/share-state.ts";
import type { ShareView } from "../../src/service/shares/view-share.ts";
import { type ShownThumbnail, toThumbnailView } from "../../src/service/thumbnails/open-thumbnail.ts";
import type { ShareSale } from "../selling/sale-view.ts";
import { readDocumentFacts } from "./document-preview.ts";
import { arrangeFiles, type ListRequest, mapListed, WHOLE_SHIPMENT } from "./file-listing.ts";
import type { FilePreview, ShareAccess, ShareFile, SharePageProps, ShareWait } from "./share-page-props.ts";
import { previewForm } from "./share-urls.ts";

/** An active share and its files. */
export type OpenView = Extract<ShareView, { kind: "open" }>;

interface Recipient {
  readonly access: ShareAccess;
  /** The messages for the recipient of a private link. */
  readonly messages: readonly (string | null)[];
  readonly isOwner: boolean;
  readonly sale?: ShareSale | undefined;
  /** The files of a limited share whose download a buyer has used; undefined for others. */
  readonly used?: ReadonlySet<string> | undefined;
  /** Whether a wait before the download has not ended. */
  readonly isWaiting: boolean;
  /** The part of the list that the recipient sees. */
  readonly request: ListRequest;
}

/** Makes the view model of an active share's page. Hides digests until the share is unlocked, because a digest can identify a known file. */
export function toSharePage(
  ctx: Ctx,
  { share, files, receivedBytes, pending }: OpenView,
  { access, messages, sale, used, isOwner, isWaiting, request }: Recipient,
): SharePageProps {
  const isLocked = access.kind === "locked";
  const maxDownloads = pending?.maxDownloads ?? share.max_downloads;
  const all = files.map((file) =>
    toShareFile(file, { maxDownloads, used, isLocked: isLocked || sale?.kind === "offer", isOwner, receivedBytes }),
  );
  const rows = new Map(files.map((file) => [file.id, file]));
  const addViews = (file: ShareFile): ShareFile => {
    const row = rows.get(file.id);
    if (!row || isWaiting) return file;
    const hasPreview = findPreviewKind({ file: row, share }) !== undefined;
    const encryptedUrl = isDecryptable({ file: row, share }) ? signEncryptedPath(ctx, { file: row, share }) : undefined;
    return { ...file, hasPreview, encryptedUrl, ...toThumbnail(toThumbnailView(ctx, row, share)) };
  };
  return {
    shortId: share.short_id,
    shareUrl: toLinks(ctx, share).shareUrl,
    kind: share.kind,
    own: isOwner && share.is_private === 0 ? (isGrowable(share, files) ? "growable" : "fixed") : null,
    ...toExpiry(share, pending),
    nowMs: ctx.now(),
    once: share.once === 1 || pending?.once === true,
    access,
    openedPath: access.kind === "unlocked" && isRecipientToken(access.token) ? `/h/${access.token}/opened` : null,
    sale,
    senderName: isLocked ? null : share.sender_name,
    title: isLocked ? null : share.title,
    message: isLocked ? null : [...new Set([share.message, ...messages])].filter(Boolean).join("\n\n"),
    files: all.length === 1 && !isLocked ? all.map(addViews) : all,
    listing: isLocked ? arrangeFiles([], WHOLE_SHIPMENT) : mapListed(arrangeFiles(all, request), addViews),
  };
}

/** Whether files that are not encrypted can join a share. A file that is being uploaded may be encrypted. */
const isGrowable = ({ kind }: OpenView["share"], files: OpenView["files"]): boolean =>
  kind === "shipment" &&
  files.length > 0 &&
  files.every(({ is_encrypted, blob_state }) => is_encrypted === 0 && blob_state !== "uploading");

const ELEMENT_OF: Readonly<Record<PreviewKind, PreviewElement>> = {
  image: "image",
  audio: "audio",
  video: "video",
  pdf: "pdf",
  markdown: "document",
  text: "document",
  zip: "document",
};

/**
 * Lists the elements of all previews that the page may show, also after a wait, a scan or unlocking, because a script then replaces parts of the
 * page, but not its policy. The policy of a locked shipment does not disclose which kinds of files it has.
 */
export function listPreviewElements({ share, files }: OpenView, access: ShareAccess): ReadonlySet<PreviewElement> {
  if (!allowsPreviews(share)) return new Set();
  if (share.kind === "shipment" && access.kind === "locked") return new Set(Object.values(ELEMENT_OF));
  return new Set(files.flatMap(possibleElements));
}

/** Lists the elements that a file may need. Its media type may change until its upload is complete. */
function possibleElements({ blob_state, content_type, name }: OpenView["files"][number]): readonly PreviewElement[] {
  if (blob_state === "uploading") return Object.values(ELEMENT_OF);
  const kind = toPreviewKind(content_type, name);
  return kind === undefined ? [] : [ELEMENT_OF[kind]];
}

interface PreviewRequest {
  readonly access: ShareAccess;
  readonly wait: ShareWait | undefined;
  /** The ID of the file in a shipment that the recipient has chosen. */
  readonly fileId: string | undefined;
}

/** Makes the preview on the page of an active share: of its only file, or of the chosen one (previews, "Which files have one"). */
export async function toFilePreview(
  ctx: Pick<Ctx, "db" | "blobs" | "urls" | "keyring" | "now">,
  { share, files }: OpenView,
  { access, wait, fileId }: PreviewRequest,
): Promise<FilePreview | undefined> {
  const file = files.length === 1 ? files[0] : files.find(({ id }) => id === fileId);
  const recipient = { isUnlocked: access.kind !== "locked", hasWaited: wait === undefined || wait.seconds === 0 };
  const offered = file && offerPreview(ctx, { file, share }, recipient);
  if (file === undefined || offered === undefined) return undefined;
  const { kind, url, ...image } = offered;
  const element = ELEMENT_OF[kind];
  return {
    fileId: file.id,
    name: file.name,
    element,
    url,
    image: { ...image, placeholder: element === "image" ? await findPlaceholder(ctx.db, file.id) : null, originalWidth: file.image_width },
    renewal: previewForm({ shortId: share.short_id, access, wait }, file.id),
    ...(await readDocumentFacts(ctx, file, kind)),
  };
}

function toExpiry({ expires_at }: OpenView["share"], pending: OpenView["pending"]): Pick<SharePageProps, "expiresAtMs" | "expiresAfterMs"> {
  if (pending === undefined) return { expiresAtMs: expires_at };
  const { expiry } = pending;
  return expiry !== null && "afterMs" in expiry
    ? { expiresAtMs: null, expiresAfterMs: expiry.afterMs }
    : { expiresAtMs: expiry?.atMs ?? null };
}

interface FileFacts extends Pick<OpenView, "receivedBytes"> {
  readonly maxDownloads: number | null;
  readonly used: Recipient["used"];
  readonly isLocked: boolean;
  readonly isOwner: boolean;
}

type ThumbnailFields = Pick<ShareFile, "thumbnailUrl" | "thumbnailWidth" | "thumbnailHeight">;

const toThumbnail = (thumbnail: ShownThumbnail | null): ThumbnailFields => ({
  thumbnailUrl: thumbnail?.url ?? null,
  thumbnailWidth: thumbnail?.width ?? null,
  thumbnailHeight: thumbnail?.height ?? null,
});

function toShareFile(file: OpenView["files"][number], { maxDownloads, used, isLocked, isOwner, receivedBytes }: FileFacts): ShareFile {
  return {
    id: file.id,
    name: file.name,
    relativePath: file.relative_path,
    sizeBytes: file.blob_state === "uploading" && file.size_bytes === 0 ? null : file.size_bytes,
    contentType: file.content_type,
    sha256: isLocked ? null : file.sha256,
    downloadsLeft: maxDownloads === null ? null : used ? Number(!used.has(file.id)) : Math.max(0, maxDownloads - file.download_count),
    thumbnailUrl: null,
    thumbnailWidth: null,
    thumbnailHeight: null,
    createdAtMs: file.created_at,
    uploading: file.blob_state === "uploading",
    receivedBytes: receivedBytes.get(file.id) ?? null,
    scanStatus: file.scan_status,
    scanReason: file.scan_reason,
    failure: file.failure === "blocklisted" ? null : file.failure,
    isBlocklisted: isOwner && isBlocklisted(file),
    scanCoverage: file.scan_coverage,
    isEncrypted: file.is_encrypted === 1,
  };
}
