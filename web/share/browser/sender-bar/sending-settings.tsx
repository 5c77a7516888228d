/** @jsxImportSource preact */
/** The settings of a share below its link while its files are being sent. */
import { useEffect } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import type { SettingsChange } from "../../../sending/browser/sender-calls.ts";
import { loadStyle } from "../../../site/browser/components/load-style.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { ShareSettings } from "./share-settings.tsx";
import { useSentShare } from "./use-sent-share.ts";

/** The path of the style sheet of the sender's bar, which is inserted when the scripts are bundled. */
declare const SENDER_BAR_STYLE: string;

/** Loads the styles of the settings. */
export const loadSettingsStyle = (): Promise<unknown> => loadStyle(SENDER_BAR_STYLE);

export interface SendingSettingsProps {
  readonly share: SentShare;
  /** Runs with the title, the link and the secrets after they have changed. */
  onChange(change: Partial<SentShare>): void;
  /** Runs when a change is being saved. */
  onSave(saving: Promise<void>): void;
  onDone(): void;
}

export function SendingSettings({ share: initial, onChange, onSave, onDone }: SendingSettingsProps) {
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
