/** @jsxImportSource preact */
/** The panels of the sender's bar while the files are being sent: the ways to share the link, and the settings. */
import { useEffect } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import type { SettingsChange } from "../../../sending/browser/sender-calls.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { SharePanel } from "./share-panel.tsx";
import { ShareSettings } from "./share-settings.tsx";
import { useSentShare } from "./use-sent-share.ts";

export type SendingPanelName = "share" | "edit";

export interface SendingPanelProps extends SendingSettingsProps {
  readonly name: SendingPanelName;
}

export const SendingPanel = ({ name, ...props }: SendingPanelProps) =>
  name === "share" ? <SharePanel sent={props.share} settings={undefined} /> : <SendingSettings {...props} />;

interface SendingSettingsProps {
  readonly share: SentShare;
  /** Runs with the title, the link and the secrets after they have changed. */
  onChange(change: Partial<SentShare>): void;
  /** Runs when a change is being saved. */
  onSave(saving: Promise<void>): void;
  onDone(): void;
}

function SendingSettings({ share: initial, onChange, onSave, onDone }: SendingSettingsProps) {
  const share = useSentShare(initial);
  const { title, shareUrl, unlockCode, handoffUrl } = share.sent;
  useEffect(() => onChange({ title, shareUrl, unlockCode, handoffUrl } as Partial<SentShare>), [title, shareUrl, unlockCode, handoffUrl]);
  const change = (change: SettingsChange): Promise<void> => {
    const saving = share.change(change);
    onSave(saving);
    return saving;
  };
  if (share.end !== undefined) return <p role="status">{texts.ends[share.end]}</p>;
  return (
    <div class="sender-panel">
      <ShareSettings share={{ ...share, change }} onChanged={async () => undefined} onDone={onDone} />
    </div>
  );
}
