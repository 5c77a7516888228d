/** @jsxImportSource preact */
/** The finished link: copying, a QR code, the share sheet and email. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sending as texts } from "#texts/sending";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { TickIcon } from "../../site/icons.tsx";
import { LabelledSecret } from "../../site/labelled-secret.tsx";
import { LinkText } from "../../site/link-text.tsx";
import { QrCode } from "../../site/qr-code.tsx";

interface LinkBoxProps {
  readonly url: string;
  /** Whether the link was copied when it was created. */
  readonly isCopied?: boolean;
}

/** Renders the link with the button that copies it. The button gets the focus. */
export function LinkBox({ url, isCopied }: LinkBoxProps) {
  const copy = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => copy.current?.focus({ preventScroll: true }), []);
  return (
    <div class="copyable big">
      <a id="link" href={url} data-link="" target="_blank" rel="noreferrer">
        <LinkText url={url} />
      </a>
      <CopyButton buttonRef={copy} source="link" isPrimary isCopied={isCopied} label={texts.copyLink} copiedLabel={texts.linkCopied} />
    </div>
  );
}

export interface LinkCardProps extends LinkBoxProps {
  readonly title?: string;
}

export function LinkCard({ url, title, isCopied }: LinkCardProps) {
  const [hasQr, setHasQr] = useState(false);
  const mail = `mailto:?subject=${encodeURIComponent(title ?? "")}&body=${encodeURIComponent(texts.mailBody(url))}`;
  // Phones have a share sheet, which needs HTTPS.
  const canShare = typeof navigator.share === "function";
  return (
    <div class="link-card">
      <LinkBox url={url} isCopied={isCopied} />
      <div class="link-ways">
        {canShare ? (
          <button class="button small" type="button" onClick={() => void navigator.share({ url, title }).catch(() => undefined)}>
            {texts.share}
          </button>
        ) : null}
        <button class="button small" type="button" aria-expanded={hasQr} aria-controls="qr" onClick={() => setHasQr(!hasQr)}>
          {texts.showQr}
        </button>
        <a class="button small" href={mail}>
          {texts.mail}
        </a>
      </div>
      <div id="qr" hidden={!hasQr}>
        {hasQr ? <QrCode text={url} label={texts.qrLabel} /> : null}
      </div>
    </div>
  );
}

export interface SecretProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  onCopied?(): void;
}

/** Renders a secret with its label and a copy button. */
export const CopyableSecret = ({ id, label, value, onCopied }: SecretProps) => (
  <LabelledSecret id={id} label={label} value={value}>
    <CopyButton source={id} label={texts.copy} copiedLabel={texts.copied} describes={label} onCopied={onCopied} />
  </LabelledSecret>
);

/** Renders a tick that draws itself when the link is ready. */
export const Tick = () => (
  <span class="tick" aria-hidden="true">
    <TickIcon />
  </span>
);
