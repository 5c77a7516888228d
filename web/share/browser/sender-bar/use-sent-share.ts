/** The share with the data of this device and of the server. */
import { useCallback, useEffect, useState } from "preact/hooks";
import {
  changeSentShare,
  EndedError,
  type SettingsChange,
  type ShareEnd,
  type ShareSettings,
} from "../../../sending/browser/sender-calls.ts";
import type { PendingFile } from "../../../site/browser/device/pending-files.ts";
import { findSentShare, removeShare, type SentShare, updateShare, withShareKey, withUrlKey } from "../../../site/browser/device/shares.ts";
import { isSentElsewhere, whenNotSent } from "../../../site/browser/device/upload-lock.ts";

export interface SentShareState {
  readonly sent: SentShare;
  /** The settings; undefined until the server has responded. */
  readonly settings: ShareSettings | undefined;
  readonly end: ShareEnd | undefined;
  /** Whether another tab sends its files. */
  readonly isSentElsewhere: boolean;
  /** Requests the settings again. */
  reload(): Promise<void>;
  /** Changes the settings. Rejects with an error whose message is a sentence. */
  change(change: SettingsChange): Promise<void>;
  /** Changes the remembered data of this device; `pending` are files to send. */
  remember(change: Partial<SentShare>, pending?: readonly PendingFile[]): Promise<void>;
  forget(): Promise<void>;
}

export function useSentShare(initial: SentShare): SentShareState {
  const [sent, setSent] = useState(initial);
  const [settings, setSettings] = useState<ShareSettings>();
  const [end, setEnd] = useState<ShareEnd>();
  const [isElsewhere, setElsewhere] = useState(false);

  const remember = useCallback(async (change: Partial<SentShare>, pending?: readonly PendingFile[]): Promise<void> => {
    setSent((sent) => ({ ...sent, ...change }));
    // The share of an account is remembered here once the device has something that only it knows.
    const isOwnWork =
      pending !== undefined || change.deletesAtMs !== undefined || change.unlockCode !== undefined || change.handoffUrl !== undefined;
    const unknown = initial.isGrowable !== undefined && isOwnWork ? withUrlKey(initial, initial, "") : undefined;
    await updateShare(initial.shortId, withUrlKey(change, initial, ""), { pending, unknown }).catch(() => undefined);
  }, []);

  const change = useCallback(async (change: SettingsChange): Promise<void> => {
    try {
      const settings = await changeSentShare(initial, change);
      setSettings(settings);
      const { title, alias, unlockRequired, unlockCode, handoffUrl } = settings;
      const shareUrl = initial.shareUrl.replace(/\/d\/[^/#?]+/, `/d/${alias ?? initial.shortId}`);
      const links = { handoffUrl: handoffUrl === undefined ? undefined : withShareKey(initial, handoffUrl) };
      const credentials = change.protect === undefined && change.password === undefined && unlockRequired ? {} : { unlockCode, ...links };
      await remember({ title: title ?? undefined, shareUrl, ...credentials });
    } catch (error) {
      if (error instanceof EndedError) setEnd(error.end);
      throw error;
    }
  }, []);

  const reload = useCallback(() => change({}).catch(() => undefined), []);

  useEffect(() => {
    void reload();
    const onVisible = () => void (document.hidden || reload());
    document.addEventListener("visibilitychange", onVisible);
    return () => document.removeEventListener("visibilitychange", onVisible);
  }, []);

  useEffect(() => {
    if (initial.isComplete) return;
    const follow = async (): Promise<void> => {
      if (!(await isSentElsewhere(initial.shortId))) return;
      setElsewhere(true);
      await whenNotSent(initial.shortId);
      const current = await findSentShare(initial.shortId).catch(() => undefined);
      setSent(current ? withUrlKey(current, current, new URL(initial.shareUrl).hash) : initial);
      // This is set last, because files that were sent meanwhile would briefly be shown as missing.
      setElsewhere(false);
      await reload();
    };
    void follow().catch(() => undefined);
  }, []);

  return {
    sent,
    settings,
    end,
    isSentElsewhere: isElsewhere,
    reload,
    change,
    remember,
    forget: () => removeShare(initial.shortId).catch(() => undefined),
  };
}
