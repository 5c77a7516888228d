import { deletion as deletionDe } from "./de/deletion.ts";
import { errors as errorsDe } from "./de/errors.ts";
import { layout as layoutDe } from "./de/layout.ts";
import { sponsor as sponsorDe } from "./de/sponsor.ts";
import { deletion as deletionEn } from "./en/deletion.ts";
import { errors as errorsEn } from "./en/errors.ts";
import { layout as layoutEn } from "./en/layout.ts";
import { sponsor as sponsorEn } from "./en/sponsor.ts";
import { deletion as deletionFr } from "./fr/deletion.ts";
import { errors as errorsFr } from "./fr/errors.ts";
import { layout as layoutFr } from "./fr/layout.ts";
import { sponsor as sponsorFr } from "./fr/sponsor.ts";
import type { Language } from "./languages.ts";

const en = { deletion: deletionEn, errors: errorsEn, layout: layoutEn, sponsor: sponsorEn };

/** The texts of the pages by area. An area is a file in each language's folder; scripts import theirs from `#texts/`. */
export type Texts = typeof en;

/** The texts in each language. The compiler reports a text that a language lacks. */
export const catalogue: Readonly<Record<Language, Texts>> = {
  en,
  de: { deletion: deletionDe, errors: errorsDe, layout: layoutDe, sponsor: sponsorDe },
  fr: { deletion: deletionFr, errors: errorsFr, layout: layoutFr, sponsor: sponsorFr },
};
