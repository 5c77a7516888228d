/** @jsxImportSource preact */
import { senderBar as texts } from "#texts/share";
import { SendByMail } from "../../../recipients/browser/send-by-mail.tsx";
import { useRecipients } from "../../../recipients/browser/use-recipients.ts";
import type { ShareSettings } from "../../../sending/browser/sender-calls.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { QrCode } from "../../../site/qr-code.tsx";

export interface SharePanelProps {
  readonly sent: SentShare;
  readonly settings: ShareSettings | undefined;
}

/** Renders the link as QR code, and for the share sheet and email. The server sends the mails of an account, whose shares have no token. */
export function SharePanel({ sent: { shortId, shareUrl, title, claimToken, isComplete }, settings }: SharePanelProps) {
  const mail = `mailto:?subject=${encodeURIComponent(title ?? "")}&body=${encodeURIComponent(texts.mailBody(shareUrl))}`;
  const recipients = useRecipients(shortId, { isOwners: claimToken === undefined });
  // The mails of an unfinished share would wait for files that this device may never send.
  const isSendable = isComplete && settings !== undefined;
  // Phones have a share sheet, which needs HTTPS.
  const canShare = typeof navigator.share === "function";
  return (
    <div class="sender-panel sender-share" id="sender-share">
      <QrCode text={shareUrl} label={texts.qrLabel} />
      <div class="sender-tools">
        <p class="quiet">{texts.qrHint}</p>
        {canShare ? (
          <button class="button small" type="button" onClick={() => void navigator.share({ url: shareUrl, title }).catch(() => undefined)}>
            {texts.shareSheet}
          </button>
        ) : null}
        {isSendable && recipients.listed?.obstacle === null ? null : (
          <a class="button small" href={mail}>
            {texts.mail}
          </a>
        )}
      </div>
      {isSendable ? <SendByMail state={recipients} expires={settings.expiresAt !== null} message={settings.message ?? ""} /> : null}
    </div>
  );
}
