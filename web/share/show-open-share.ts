import type { AppError } from "../../src/errors.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { findMailMessage } from "../../src/service/shares/recipient-links.ts";
import { getSponsoring } from "../../src/service/shares/sponsoring.ts";
import { listUnfinishedThumbnails } from "../../src/service/thumbnails/list-unfinished.ts";
import type { OfferProblem } from "../selling/sale-view.ts";
import { readSale } from "../selling/share-sale.ts";
import { type ListRequest, listedFiles, mapListed } from "./file-listing.ts";
import { respondSharePage } from "./respond-share-page.ts";
import type { ShareAccess, ShareFile, SharePageProps } from "./share-page-props.ts";
import { listPreviewElements, type OpenView, toFilePreview, toSharePage } from "./to-share-page.ts";

export interface OpenShareOptions {
  readonly access: ShareAccess;
  readonly handoffMessage?: string | null;
  /** The token of a wait that has started. */
  readonly waitToken: string | undefined;
  /** The ID of the file in a shipment whose preview the recipient opens. */
  readonly fileId?: string | undefined;
  readonly request: ListRequest;
  /** The reason why the last try to buy the share failed. */
  readonly problem?: OfferProblem;
  readonly refusal?: AppError | undefined;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Shows an open share to a recipient. */
export async function showOpenShare(
  c: HttpContext,
  view: OpenView,
  { refusal, status, headers, waitToken, fileId, problem, handoffMessage = null, ...recipient }: OpenShareOptions,
): Promise<Response> {
  const sponsoring = await getSponsoring(c.env.ctx, view.share, waitToken);
  const { access } = recipient;
  const isOwner = view.share.owner_id !== null && view.share.owner_id === c.env.person?.actor.userId;
  const isWaiting = sponsoring.wait !== undefined && sponsoring.wait.seconds > 0;
  const { sale, used } = await readSale(c, view, { isOwner, problem });
  const mailMessage = access.kind === "unlocked" ? await findMailMessage(c.env.ctx, access.token) : null;
  const messages = [handoffMessage, mailMessage];
  const { files, listing, ...page } = toSharePage(c.env.ctx, view, { ...recipient, messages, sale, used, isOwner, isWaiting });
  const unfinished = access.kind === "locked" || isWaiting ? NONE : await listUnfinished(c, view, listing);
  const addUnfinished = (file: ShareFile): ShareFile => (unfinished.has(file.id) ? { ...file, awaitsThumbnail: true } : file);
  const preview = await toFilePreview(c.env.ctx, view, { access, wait: sponsoring.wait, fileId });
  const previews = listPreviewElements(view, access);
  const policy = {
    hasFrame: sponsoring.sponsored || needsSavingFrame(view, access),
    // A script adds thumbnails to a page, or unlocks it, but does not change its policy.
    hasThumbnails:
      (c.env.ctx.config.thumbnails && previews.has("image")) || listedFiles(listing).some(({ thumbnailUrl }) => thumbnailUrl !== null),
    previews,
  };
  const shown = { ...page, ...sponsoring, preview, files: files.map(addUnfinished), listing: mapListed(listing, addUnfinished) };
  return await respondSharePage(c, shown, { refusal, status, headers, ...policy });
}

const NONE: ReadonlySet<string> = new Set();

/** Lists the IDs of the files on the page whose thumbnail is being made. */
async function listUnfinished(
  c: HttpContext,
  { share, files }: OpenView,
  listing: SharePageProps["listing"],
): Promise<ReadonlySet<string>> {
  const ids = new Set(listedFiles(listing).map(({ id }) => id));
  return await listUnfinishedThumbnails(c.env.ctx, { share, files: files.filter(({ id }) => ids.has(id)) });
}

/**
 * Whether the page may need a frame in which the service worker saves a decrypted file. A script unlocks the page, but does not change its policy,
 * which must not disclose whether locked files are encrypted.
 */
const needsSavingFrame = ({ files }: OpenView, access: ShareAccess): boolean =>
  access.kind === "locked" || files.some(({ is_encrypted, blob_state }) => is_encrypted === 1 || blob_state === "uploading");
