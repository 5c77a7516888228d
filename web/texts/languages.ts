/** The languages of the pages; the first is the default. */
export const LANGUAGES = ["en", "de", "fr"] as const;

/** Each language's own name. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch", fr: "Français" };

/** The query parameter that chooses a language. */
export const LANGUAGE_PARAMETER = "lang";

export type Language = (typeof LANGUAGES)[number];
