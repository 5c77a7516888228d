import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { sending as texts } from "#texts/sending";
import { isInClipboard } from "../../site/browser/components/clipboard-holder.ts";
import { copyLater } from "../../site/browser/components/copy-button.tsx";
import type { Upload } from "../../site/browser/upload/engine.ts";
import { toPercent } from "./percent.ts";

/** Copies the link, if requested, as soon as it is known. The browser allows this because of the earlier press. */
export function useCopiedLink(isWanted: boolean): { readonly isCopied: boolean; onLink(url: string): void } {
  const [isCopied, setCopied] = useState(false);
  const resolve = useRef<(url: string) => void>(() => undefined);
  useLayoutEffect(() => {
    if (!isWanted) return;
    const link = new Promise<string>((resolveLink) => {
      resolve.current = resolveLink;
    });
    void copyLater(link).then(setCopied);
  }, []);
  return { isCopied, onLink: (url) => resolve.current(url) };
}

/** The entry of the tab's storage with the short ID of the share whose link the clipboard has. */
const COPIED = "copied-link";

/** Tells the page of the share, which opens next in this tab, if the clipboard still has the link. */
export function passCopiedLink(shortId: string): void {
  try {
    if (isInClipboard("link")) sessionStorage.setItem(COPIED, shortId);
  } catch {
    // Without storage, the page offers to copy the link again.
  }
}

/** Whether the page before this one has told that the clipboard has the link of the share. */
export function takeCopiedLink(shortId: string): boolean {
  try {
    const isCopied = sessionStorage.getItem(COPIED) === shortId;
    sessionStorage.removeItem(COPIED);
    return isCopied;
  } catch {
    return false;
  }
}

/** The state of an upload in the tab's title. */
export interface TabState {
  readonly upload: Upload;
  /** The reason of a wait; empty if the upload does not wait. */
  readonly wait: string;
}

/** Shows the percentage in the tab's title, and whether the upload is paused or waits. */
export function useTabTitle(shown: TabState | undefined): void {
  const original = useRef(document.title).current;
  const title = shown ? [...describeTab(shown), original].join(" – ") : original;
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = original;
    };
  }, [title]);
}

function describeTab({ upload, wait }: TabState): readonly string[] {
  const percent = texts.progressLabel(toPercent(upload));
  if (upload.isPaused) return [percent, texts.paused];
  if (wait === "") return [percent];
  return [percent, navigator.onLine ? texts.waiting : texts.offline];
}

/** Asks for confirmation before the page is left. */
export function useLeaveQuestion(isAsked: boolean): void {
  const asked = useRef(isAsked);
  asked.current = isAsked;
  useEffect(() => {
    const ask = (event: Event) => {
      if (asked.current) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
}
