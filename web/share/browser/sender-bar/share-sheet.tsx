/** @jsxImportSource preact */
/** The link of a share and the ways to give it to others, in a dialog above a list. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import { LinkBox } from "../../../sending/browser/link-card.tsx";
import { Dialog } from "../../../site/browser/components/dialog.tsx";
import { loadStyle } from "../../../site/browser/components/load-style.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { findOwnShare, type ListedShare } from "./own-share.ts";
import { SharePanel } from "./share-panel.tsx";
import { SharedSecrets } from "./shared-secrets.tsx";
import { useSentShare } from "./use-sent-share.ts";

/** The path of the style sheet of the sender's bar, which is inserted when the scripts are bundled. */
declare const SENDER_BAR_STYLE: string;

export interface ShareSheetProps {
  readonly share: ListedShare;
  readonly title: string;
  /** Whether the clipboard has the link. */
  readonly isCopied?: boolean;
  onClose(): void;
  /** Further actions. */
  readonly children?: ComponentChildren;
}

/** Renders the sheet once its styles are loaded, and what this device remembers of the share is known. */
export function ShareSheet({ share, ...props }: ShareSheetProps) {
  const [sent, setSent] = useState<SentShare>();
  useEffect(() => {
    void Promise.all([findOwnShare(share), loadStyle(SENDER_BAR_STYLE)]).then(([found]) => setSent(found));
  }, []);
  return sent === undefined ? null : <Sheet sent={sent} {...props} />;
}

type SheetProps = Omit<ShareSheetProps, "share"> & { readonly sent: SentShare };

function Sheet({ sent: initial, title, isCopied, onClose, children }: SheetProps) {
  const { sent, settings, end } = useSentShare(initial);
  return (
    <Dialog id="share-sheet" title={title} closeLabel={texts.closeSheet} onClose={onClose}>
      {end === undefined ? (
        <>
          <LinkBox url={sent.shareUrl} isCopied={isCopied} takesFocus />
          {settings ? <SharedSecrets sent={sent} kind={settings.unlockKind} /> : null}
          <SharePanel sent={sent} settings={settings} />
          {children}
        </>
      ) : (
        <p role="status">{texts.ends[end]}</p>
      )}
    </Dialog>
  );
}
