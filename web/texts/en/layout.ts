/** Texts round every page. */
export const layout = {
  skip: "Skip to content",
  shareYourOwn: "Share your own files",
};

export type LayoutTexts = typeof layout;
