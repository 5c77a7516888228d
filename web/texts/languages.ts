/** The languages of the pages; the first is the default. */
export const LANGUAGES = ["en", "de", "fr"] as const;

export type Language = (typeof LANGUAGES)[number];
