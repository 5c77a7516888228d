/** @jsxImportSource preact */
/** The settings of a share, in a dialog above the list. */
import { render } from "preact";
import { senderBar } from "#texts/share";
import { shares as texts } from "#texts/shares";
import { EditPanel } from "../../share/browser/sender-bar/edit-panel.tsx";
import { SharedSecrets } from "../../share/browser/sender-bar/share-panel.tsx";
import { useSentShare } from "../../share/browser/sender-bar/use-sent-share.ts";
import { Dialog } from "../../site/browser/components/dialog.tsx";
import { loadStyle } from "../../site/browser/components/load-style.ts";
import { mayKnowShares } from "../../site/browser/device/may-know-shares.ts";
import { findSentShare, type SentShare, withUrlKey } from "../../site/browser/device/shares.ts";

/** The path of the style sheet of the sender's bar, which is inserted when the scripts are bundled. */
declare const SENDER_BAR_STYLE: string;

interface ListedShare {
  readonly shortId: string;
  readonly name: string;
  /** The link, with the key of encrypted files if this device knows it. */
  readonly shareUrl: string;
}

interface DialogEvents {
  /** Shows the changed share in the list. */
  onChanged(): Promise<void>;
  /** Runs after the dialog is closed. */
  onClose(): void;
}

/** Opens the settings of a share of the account. */
export async function showSettings(share: ListedShare, { onChanged, onClose }: DialogEvents): Promise<void> {
  const sent = await toSentShare(share);
  await loadStyle(SENDER_BAR_STYLE);
  const place = document.body.appendChild(document.createElement("div"));
  const close = (): void => {
    render(null, place);
    place.remove();
    // The dialog has returned the focus to an element that may have been replaced.
    queueMicrotask(onClose);
  };
  render(<SettingsDialog sent={sent} name={share.name} onChanged={onChanged} onClose={close} />, place);
}

/** Returns the share as this device remembers it, otherwise with what the list shows. */
async function toSentShare({ shortId, shareUrl }: ListedShare): Promise<SentShare> {
  const known = (await mayKnowShares()) ? await findSentShare(shortId).catch(() => undefined) : undefined;
  const { account: accountId } = document.body.dataset;
  // Each share of the list is the account's, also if it was claimed on another device.
  if (known) return withUrlKey({ ...known, claimToken: undefined, accountId }, known, new URL(shareUrl).hash);
  return {
    shortId,
    shareUrl,
    sharePath: `/d/${shortId}`,
    shareToken: "",
    files: [],
    createdAtMs: 0,
    isComplete: true,
    isGrowable: false,
    accountId,
  };
}

interface SettingsDialogProps {
  readonly sent: SentShare;
  readonly name: string;
  onChanged(): Promise<void>;
  onClose(): void;
}

function SettingsDialog({ sent, name, onChanged, onClose }: SettingsDialogProps) {
  const share = useSentShare(sent);
  const { settings, end } = share;
  return (
    <Dialog id="share-settings" title={texts.settingsOf(name)} closeLabel={texts.closeSettings} onClose={onClose}>
      {end === undefined ? (
        <div class="settings-fields">
          <EditPanel share={share} onChanged={onChanged} onDone={onClose} />
        </div>
      ) : (
        <>
          <p role="status">{senderBar.ends[end]}</p>
          <p class="choices">
            <button class="button" type="button" onClick={onClose}>
              {senderBar.done}
            </button>
          </p>
        </>
      )}
      {settings && end === undefined ? <SharedSecrets sent={share.sent} kind={settings.unlockKind} /> : null}
    </Dialog>
  );
}
