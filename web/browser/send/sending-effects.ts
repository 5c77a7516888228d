import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Upload } from "../upload/engine.ts";
import { copyLater } from "./copy-button.tsx";

/** Copies the link as soon as it is known: the press that asked for it allows that. */
export function useCopiedLink(): { readonly isCopied: boolean; onLink(url: string): void } {
  const [isCopied, setCopied] = useState(false);
  const resolve = useRef<(url: string) => void>(() => undefined);
  useLayoutEffect(() => {
    const link = new Promise<string>((resolveLink) => {
      resolve.current = resolveLink;
    });
    void copyLater(link).then(setCopied);
  }, []);
  return { isCopied, onLink: (url) => resolve.current(url) };
}

/** Shows the percentage in the tab's title. */
export function useTabTitle(shown: { readonly upload: Upload } | undefined): void {
  const original = useRef(document.title).current;
  const percent = shown ? toPercent(shown.upload) : undefined;
  useEffect(() => {
    document.title = percent === undefined ? original : `${percent} % – ${original}`;
    return () => {
      document.title = original;
    };
  }, [percent]);
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
