/** Texts with sizes and times in the page's language. */
import { formatSize } from "../../../../src/lib/text/format-size.ts";
import type { Language } from "../../../texts/languages.ts";
import { formatDuration } from "../../format.ts";

export const language = document.documentElement.lang as Language;

export const size = (bytes: number): string => formatSize(bytes, language);

export const span = (durationMs: number): string => formatDuration(Math.max(1000, durationMs), language);

/** Formats a time: `26 November at 14:00`. */
export const date = (time: string): string =>
  new Date(time).toLocaleString(language === "en" ? "en-GB" : language, {
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
  });
