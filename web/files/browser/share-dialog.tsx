/** @jsxImportSource preact */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { CopyButton, copyLater } from "../../site/browser/components/copy-button.tsx";
import { Dialog } from "../../site/browser/components/dialog.tsx";
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
  const copyButton = useRef<HTMLButtonElement>(null);
  const [link, setLink] = useState(known);
  const [isCopied, setCopied] = useState(false);
  useLayoutEffect(() => (link ? copyButton.current : field.current)?.focus(), [link]);

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
  return (
    <Dialog title={texts.linkOf(what)} onClose={onClose}>
      <div class="form">
        <p class="files-url">
          <a id="shared-link" href={link.shareUrl}>
            {link.shareUrl.replace(/^https?:\/\//, "")}
          </a>
        </p>
        <p class="quiet">{texts.linkText}</p>
        <div class="choices">
          <CopyButton
            buttonRef={copyButton}
            source="shared-link"
            label={texts.copyLink}
            copiedLabel={texts.linkCopied}
            isCopied={isCopied}
            isPrimary
          />
          <a class="button plain" href={link.sharePath}>
            {texts.openShare}
          </a>
          {link === known ? (
            <button class="button plain" type="button" onClick={() => setLink(undefined)}>
              {texts.anotherLink}
            </button>
          ) : null}
          <button class="button plain" type="button" onClick={onClose}>
            {texts.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
