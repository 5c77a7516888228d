import { counted } from "../../site/format.ts";

/** What the script of a shipment's list says. */
export const selection = {
  loading: "Loading…",
  failed: "Loading failed. Try again.",
  loaded: (count: number) => `${counted(count, "en", "more entry", "more entries")} shown.`,
  download: (count: number) => `Download ${counted(count, "en", "file", "files")}`,
  zip: (size: string) => `(ZIP, ${size})`,
};

export type SelectionTexts = typeof selection;
