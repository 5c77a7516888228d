/** @jsxImportSource preact */
import type { ComponentType } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import type { ShareSheetProps } from "../../share/browser/sender-bar/share-sheet.tsx";
import { copyLater } from "../../site/browser/components/copy-button.tsx";
import { FormDialog } from "../../site/browser/components/form-dialog.tsx";
import { type ChosenEntries, type SharedLink, shareTogether } from "./calls.ts";

export interface ShareDialogProps {
  readonly chosen: ChosenEntries;
  /** The chosen entries, in words. */
  readonly what: string;
  /** The existing link to a single file, or to all files of a single folder. */
  readonly link?: SharedLink | undefined;
  /** The proposed title. */
  readonly title: string;
  /** Whether chosen files may have links already. */
  readonly hasLinks: boolean;
  onShared(): void;
  onClose(): void;
}

/** Renders a dialog that gives the chosen files and folders one link, and copies it. */
export function ShareDialog({ chosen, what, link: known, title, hasLinks, onShared, onClose }: ShareDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const [link, setLink] = useState(known);
  const [isCopied, setCopied] = useState(false);
  const [Sheet, setSheet] = useState<ComponentType<ShareSheetProps>>();
  useLayoutEffect(() => {
    if (link === undefined) field.current?.focus();
    else void import("../../share/browser/sender-bar/share-sheet.tsx").then(({ ShareSheet }) => setSheet(() => ShareSheet));
  }, [link]);

  const share = async (): Promise<void> => {
    const made = shareTogether(chosen, { title: field.current?.value.trim() ?? "" });
    // The copying starts within the press, because browsers forbid it later.
    const copied = copyLater(made.then(({ shareUrl }) => shareUrl));
    setLink(await made);
    onShared();
    setCopied(await copied);
  };
  if (!link)
    return (
      <FormDialog title={texts.shareTitle(what)} submit={texts.getLink} cancel={texts.cancel} onSubmit={share} onClose={onClose}>
        {chosen.folderIds.length > 0 || chosen.fileIds.length > 1 ? <p>{texts.shareText}</p> : null}
        {hasLinks ? <p class="quiet">{texts.shareKeepsLinks}</p> : null}
        <label class="field">
          {texts.shareName}
          <input ref={field} type="text" defaultValue={title} maxLength={120} autoComplete="off" dir="auto" />
        </label>
      </FormDialog>
    );
  if (!Sheet) return null;
  return (
    <Sheet share={link} title={texts.shareTitle(what)} isCopied={isCopied} onClose={onClose}>
      {/* The bar of the share's page adds files and deletes the share. */}
      <div class="choices">
        <a class="button plain" href={link.sharePath}>
          {texts.openShare}
        </a>
        {link === known ? (
          <button class="button plain" type="button" onClick={() => setLink(undefined)}>
            {texts.anotherLink}
          </button>
        ) : null}
      </div>
    </Sheet>
  );
}
