import { docs as docsDe } from "./de/docs.ts";
import { layout as layoutDe } from "./de/layout.ts";
import { preview as previewDe } from "./de/preview.ts";
import { report as reportDe } from "./de/report.ts";
import { send as sendDe } from "./de/send.ts";
import { uploaded as uploadedDe } from "./de/uploaded.ts";
import { docs as docsEn } from "./en/docs.ts";
import { layout as layoutEn } from "./en/layout.ts";
import { preview as previewEn } from "./en/preview.ts";
import { report as reportEn } from "./en/report.ts";
import { send as sendEn } from "./en/send.ts";
import { uploaded as uploadedEn } from "./en/uploaded.ts";
import { docs as docsFr } from "./fr/docs.ts";
import { layout as layoutFr } from "./fr/layout.ts";
import { preview as previewFr } from "./fr/preview.ts";
import { report as reportFr } from "./fr/report.ts";
import { send as sendFr } from "./fr/send.ts";
import { uploaded as uploadedFr } from "./fr/uploaded.ts";
import type { Language } from "./languages.ts";

const en = { docs: docsEn, layout: layoutEn, preview: previewEn, report: reportEn, send: sendEn, uploaded: uploadedEn };

/** The texts of the pages by area. An area is a file in each language's folder; scripts import theirs from `#texts/`. */
export type Texts = typeof en;

/** The texts in each language. The compiler reports a text that a language lacks. */
export const catalogue: Readonly<Record<Language, Texts>> = { en, de: { docs: docsDe, layout: layoutDe, preview: previewDe, report: reportDe, send: sendDe, uploaded: uploadedDe }, fr: { docs: docsFr, layout: layoutFr, preview: previewFr, report: reportFr, send: sendFr, uploaded: uploadedFr } };
