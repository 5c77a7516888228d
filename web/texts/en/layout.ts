/** Texts round every page. */
export const layout = {
  skip: "Skip to content",
  shareYourOwn: "Share your own files",
  terms: "Terms",
  privacy: "Privacy",
  imprint: "Imprint",
  abuse: "Report abuse",
  language: "Language",
};

export type LayoutTexts = typeof layout;
