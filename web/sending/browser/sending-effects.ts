import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { sending as texts } from "#texts/sending";
import { copyLater } from "../../site/browser/components/copy-button.tsx";
import type { Upload } from "../../site/browser/upload/engine.ts";

/** Copies the link, if it is wanted, as soon as it is known: the press that asked for it allows that. */
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

/** What the tab's title says of an upload. */
export interface TabState {
  readonly upload: Upload;
  /** Why it waits; empty if it does not. */
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

/** Whole percents of the bytes sent. */
export function toPercent({ sentBytes, totalBytes, isRunning }: Upload): number {
  if (totalBytes === 0) return isRunning ? 0 : 100;
  return Math.min(isRunning ? 99 : 100, Math.floor((sentBytes / totalBytes) * 100));
}

/** Asks before the page is left. */
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
