/** @jsxImportSource preact */
/** The settings of a share of the account, beside or above a list. */
import { useEffect, useState } from "preact/hooks";
import { senderBar, shareSettings as texts } from "#texts/share";
import { loadStyle } from "../../../site/browser/components/load-style.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { findOwnShare, type ListedShare } from "./own-share.ts";
import { ShareSettings } from "./share-settings.tsx";
import { SharedSecrets } from "./shared-secrets.tsx";
import { useSentShare } from "./use-sent-share.ts";

/** The path of the style sheet of the sender's bar, which is inserted when the scripts are bundled. */
declare const SENDER_BAR_STYLE: string;

export interface OwnSettingsProps {
  readonly share: ListedShare;
  /** Shows the changed share around the settings. */
  onChanged(): Promise<void>;
}

/** Renders the settings with what opens a protected share, once their styles are loaded, and what this device remembers of the share is known. */
export function OwnSettings({ share, onChanged }: OwnSettingsProps) {
  const [sent, setSent] = useState<SentShare>();
  useEffect(() => {
    void Promise.all([findOwnShare(share), loadStyle(SENDER_BAR_STYLE)]).then(([found]) => setSent(found));
  }, []);
  return sent === undefined ? <p class="quiet">{texts.loading}</p> : <Settings sent={sent} onChanged={onChanged} />;
}

function Settings({ sent, onChanged }: Pick<OwnSettingsProps, "onChanged"> & { readonly sent: SentShare }) {
  const share = useSentShare(sent);
  const { settings, end } = share;
  if (end !== undefined) return <p role="status">{senderBar.ends[end]}</p>;
  return (
    <>
      {settings ? <SharedSecrets sent={share.sent} kind={settings.unlockKind} /> : null}
      <div class="settings-fields">
        <ShareSettings share={share} onChanged={onChanged} />
      </div>
    </>
  );
}
