import type { Texts } from "./texts/catalogue.ts";
import type { Language } from "./texts/languages.ts";

/** What every page is rendered with. */
export interface PageContext {
  readonly language: Language;
  readonly texts: Texts;
}
