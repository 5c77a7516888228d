/** @jsxImportSource preact */
/** The finished link: copying, a QR code, the share sheet and email. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sending as texts } from "#texts/sending";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { TickIcon } from "../../site/icons.tsx";
import { LinkText } from "../../site/link-text.tsx";
import { QrCode } from "../../site/qr-code.tsx";

interface LinkBoxProps {
  readonly url: string;
  /** Whether the clipboard has the link. */
  readonly isCopied?: boolean;
  /** Whether the button gets the focus when it appears. */
  readonly takesFocus?: boolean;
  /** Whether the link alone opens nothing, so that another button is the main one. */
  readonly isSecondary?: boolean;
}

/** Renders the link with the button that copies it. */
export function LinkBox({ url, isCopied, takesFocus, isSecondary }: LinkBoxProps) {
  const copy = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) copy.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="copyable big">
      <a id="link" href={url} data-link="" target="_blank" rel="noreferrer">
        <LinkText url={url} />
      </a>
      <CopyButton
        buttonRef={copy}
        source="link"
        isPrimary={!isSecondary}
        isCopied={isCopied}
        label={texts.copyLink}
        copiedLabel={isSecondary ? texts.linkCopiedWithoutCode : texts.linkCopied}
      />
    </div>
  );
}

export interface LinkCardProps extends LinkBoxProps {
  readonly title?: string;
  /** Further actions. */
  readonly children?: ComponentChildren;
}

export function LinkCard({ url, title, children, ...box }: LinkCardProps) {
  const [hasQr, setHasQr] = useState(false);
  const mail = `mailto:?subject=${encodeURIComponent(title ?? "")}&body=${encodeURIComponent(texts.mailBody(url))}`;
  // Phones have a share sheet, which needs HTTPS.
  const canShare = typeof navigator.share === "function";
  return (
    <div class="link-card">
      <LinkBox {...box} url={url} takesFocus />
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
        {children}
      </div>
      <div id="qr" hidden={!hasQr}>
        {hasQr ? <QrCode text={url} label={texts.qrLabel} /> : null}
      </div>
    </div>
  );
}

/** Renders a tick that draws itself when the link is ready. */
export const Tick = () => (
  <span class="tick" aria-hidden="true">
    <TickIcon />
  </span>
);
