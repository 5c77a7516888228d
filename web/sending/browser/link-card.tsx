/** @jsxImportSource preact */
/** The finished link, with the button that copies it. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { sending as texts } from "#texts/sending";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { TickIcon } from "../../site/icons.tsx";
import { LinkText } from "../../site/link-text.tsx";

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

/** Renders a tick that draws itself when the link is ready. */
export const Tick = () => (
  <span class="tick" aria-hidden="true">
    <TickIcon />
  </span>
);
