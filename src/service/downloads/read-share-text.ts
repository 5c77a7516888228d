import type { Ctx } from "../../context.ts";
import { toReadableText } from "../../lib/text/readable-text.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { type FoundShare, findLinkedShare, listViewedFiles, type ViewedFile } from "../shares/queries.ts";
import { isOpenTo, isSponsored, shareNotFound } from "../shares/share-state.ts";
import { isUnlockedFor } from "../shares/unlock.ts";
import { findPreviewKind } from "./preview-rules.ts";
import { readPreviewText } from "./read-preview.ts";

/** Limits of the texts of a share, in bytes and files (previews, "Texts"). */
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_TEXTS = 20;

/** `GET /files/share/{shortId}/text`: returns the texts of a share's small text files that have a preview. Counts no download. */
export const readShareText: Operation<"readShareText"> = async (ctx, { actor }, { shortId, unlockToken }) => {
  const share = await findLinkedShare(ctx.db, shortId);
  if (!share || !isOpenTo(ctx, share, ownerId(actor))) throw shareNotFound();
  if (!isUnlockedFor(ctx, actor, share, unlockToken) || (await mustWait(ctx, actor, share))) return [];
  const files = chooseTexts(share, await listViewedFiles(ctx.db, share.short_id));
  return await Promise.all(
    files.map(async (file) => {
      const { bytes } = await readPreviewText(ctx, file);
      return { id: file.id, name: file.name, contentType: file.content_type, text: toReadableText(bytes) };
    }),
  );
};

/** Returns whether the page would delay previews for the caller. */
const mustWait = async (ctx: Ctx, actor: Actor, share: FoundShare): Promise<boolean> =>
  ctx.config.sponsoring.waitMs > 0 && (share.owner_id === null || share.owner_id !== ownerId(actor)) && (await isSponsored(ctx, share));

function chooseTexts(share: FoundShare, files: readonly ViewedFile[]): readonly ViewedFile[] {
  const chosen: ViewedFile[] = [];
  let bytesLeft = MAX_TEXT_BYTES;
  for (const file of files) {
    const kind = findPreviewKind({ file, share });
    if ((kind !== "text" && kind !== "markdown") || file.size_bytes > bytesLeft) continue;
    bytesLeft -= file.size_bytes;
    chosen.push(file);
    if (chosen.length === MAX_TEXTS) break;
  }
  return chosen;
}
