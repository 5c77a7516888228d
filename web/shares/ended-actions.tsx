/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PageContext } from "../site/page-context.ts";
import { removeFromListPath, shareAgainPath } from "./paths.ts";
import type { OwnShare } from "./share-row.ts";

interface EndedActionsProps {
  readonly page: PageContext;
  readonly share: OwnShare;
}

/** Renders the buttons of an ended share on a page of its own. */
export const EndedActions = ({ page, share: { shortId, filesLeft, files } }: EndedActionsProps) => (
  <div class="choices ended-actions">
    {filesLeft === 0 ? (
      <a class="button" href="/">
        {page.texts.shares.sendAgain}
      </a>
    ) : (
      <ShareAgainForm page={page} shortId={shortId}>
        <button class="button" type="submit">
          {shareAgainText(page, { filesLeft, files })}
        </button>
      </ShareAgainForm>
    )}
    <form method="post" action={removeFromListPath(shortId)} data-remove="">
      <button class="button plain" type="submit">
        {page.texts.shares.removeFromList}
      </button>
    </form>
  </div>
);

interface ShareAgainFormProps {
  readonly page: PageContext;
  readonly shortId: string;
  readonly children: ComponentChildren;
}

/** Renders the form that shares an ended share again, once if it is sent twice. */
export const ShareAgainForm = ({ page, shortId, children }: ShareAgainFormProps) => (
  <form method="post" action={shareAgainPath(shortId)} data-again={shortId}>
    <input type="hidden" name="key" value={`${shortId} ${page.formKey}`} />
    {children}
  </form>
);

/** Says what is shared again: the share, or the files of it that are left. */
export const shareAgainText = ({ texts: { shares } }: PageContext, { filesLeft, files }: Pick<OwnShare, "filesLeft" | "files">): string =>
  filesLeft === null || filesLeft >= files ? shares.shareAgain : shares.shareLeftAgain(filesLeft);

/** Says whether the files of an ended share still exist. */
export const describeFilesLeft = (
  { texts: { shares } }: PageContext,
  { filesLeft, files }: Pick<OwnShare, "filesLeft" | "files">,
): string =>
  filesLeft === 0 ? shares.filesGone : filesLeft === null || filesLeft >= files ? shares.filesKept : shares.filesLeft(filesLeft, files);
