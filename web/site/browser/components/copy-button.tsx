/** @jsxImportSource preact */
import type { ComponentChildren, Ref } from "preact";
import { useEffect, useState } from "preact/hooks";
import { sending as texts } from "#texts/sending";
import { TickIcon } from "../../icons.tsx";
import { announce } from "./announce.ts";
import { holdClipboard } from "./clipboard-holder.ts";

/** How long a button says that copying has failed. */
const FAILED_MS = 2500;

export interface CopyButtonProps {
  readonly buttonRef?: Ref<HTMLButtonElement>;
  /** The ID of the element whose text is copied. The URL of a link is copied. */
  readonly source: string;
  readonly label: string;
  readonly copiedLabel: string;
  /** The name of the copied text, for screen readers. */
  readonly describes?: string;
  readonly isPrimary?: boolean;
  /** The icon in place of the label. A tick replaces it after copying. */
  readonly icon?: ComponentChildren;
  readonly isCopied?: boolean;
  onCopied?(): void;
}

export function CopyButton({
  buttonRef,
  source,
  label,
  copiedLabel,
  describes,
  isPrimary,
  icon,
  isCopied = false,
  onCopied,
}: CopyButtonProps) {
  const [shown, setShown] = useState(isCopied ? copiedLabel : "");
  useEffect(() => {
    if (isCopied) setShown(copiedLabel);
  }, [isCopied]);
  useEffect(() => {
    if (!shown) return;
    if (shown === copiedLabel) return holdClipboard(source, () => setShown(""));
    const timer = setTimeout(() => setShown(""), FAILED_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  const copy = async (): Promise<void> => {
    const element = document.getElementById(source);
    if (!element) return;
    const copied = await copyTextOf(element);
    setShown(copied ? copiedLabel : texts.copyFailed);
    announce(copied ? copiedLabel : texts.copyFailed);
    onCopied?.();
  };
  return (
    <button ref={buttonRef} class={isPrimary ? "button" : "button small"} type="button" onClick={() => void copy()}>
      {icon === undefined ? (
        shown || label
      ) : (
        <>
          {shown === copiedLabel ? <TickIcon /> : icon}
          <span class="unseen">{label}</span>
        </>
      )}
      {describes ? <span class="unseen"> {describes}</span> : null}
    </button>
  );
}

/** Copies an element's text, or the URL of a link. */
async function copyTextOf(element: HTMLElement): Promise<boolean> {
  const copied = await copyText(element instanceof HTMLAnchorElement ? element.href : (element.textContent ?? "").trim());
  if (!copied) getSelection()?.selectAllChildren(element);
  return copied;
}

/** Copies a text. Must be called by a press; resolves to whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard interface needs HTTPS.
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = Object.assign(document.createElement("textarea"), { value: text, className: "unseen", readOnly: true });
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}

/** Copies a text that is not known yet. Must be called by a press; resolves to whether the text was copied. */
export async function copyLater(text: Promise<string>): Promise<boolean> {
  try {
    const blob = text.then((text) => new Blob([text], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    return true;
  } catch {
    return false;
  }
}
