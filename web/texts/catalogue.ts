import { layout as layoutDe } from "./de/layout.ts";
import { send as sendDe } from "./de/send.ts";
import { uploaded as uploadedDe } from "./de/uploaded.ts";
import { layout as layoutEn } from "./en/layout.ts";
import { send as sendEn } from "./en/send.ts";
import { uploaded as uploadedEn } from "./en/uploaded.ts";
import { layout as layoutFr } from "./fr/layout.ts";
import { send as sendFr } from "./fr/send.ts";
import { uploaded as uploadedFr } from "./fr/uploaded.ts";
import type { Language } from "./languages.ts";

const en = { layout: layoutEn, send: sendEn, uploaded: uploadedEn };

/** The texts of the pages by area. An area is a file in each language's folder; scripts import theirs from `#texts/`. */
export type Texts = typeof en;

/** The texts in each language. The compiler reports a text that a language lacks. */
export const catalogue: Readonly<Record<Language, Texts>> = {
  en,
  de: { layout: layoutDe, send: sendDe, uploaded: uploadedDe },
  fr: { layout: layoutFr, send: sendFr, uploaded: uploadedFr },
};
