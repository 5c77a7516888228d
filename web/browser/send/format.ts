/** Texts with sizes and times in the page's language. */
import { send as texts } from "#texts/send.ts";
import { formatBytes, formatSpan } from "../../send-format.ts";

export const language: string = document.documentElement.lang;

export const size = (bytes: number): string => formatBytes(bytes, texts, language);

export const span = (durationMs: number): string => formatSpan(durationMs, language);

/** For screen readers. */
export function announce(text: string): void {
  const announcer = document.getElementById("announcer");
  if (announcer) announcer.textContent = text;
}
