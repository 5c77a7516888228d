import { layout as layoutDe } from "./de/layout.ts";
import { preview as previewDe } from "./de/preview.ts";
import { layout as layoutEn } from "./en/layout.ts";
import { preview as previewEn } from "./en/preview.ts";
import { layout as layoutFr } from "./fr/layout.ts";
import { preview as previewFr } from "./fr/preview.ts";
import type { Language } from "./languages.ts";

const en = { layout: layoutEn, preview: previewEn };

/** The texts of the pages by area. An area is a file in each language's folder; scripts import theirs from `#texts/`. */
export type Texts = typeof en;

/** The texts in each language. The compiler reports a text that a language lacks. */
export const catalogue: Readonly<Record<Language, Texts>> = {
  en,
  de: { layout: layoutDe, preview: previewDe },
  fr: { layout: layoutFr, preview: previewFr },
};
