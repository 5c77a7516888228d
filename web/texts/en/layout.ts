/** Texts round every page. */
export const layout = {
  send: "Send",
  skip: "Skip to content",
  shareYourOwn: "Share your own files",
  terms: "Terms",
  privacy: "Privacy",
  imprint: "Imprint",
  abuse: "Report abuse",
  language: "Language",
  otherName: "This site has another address. Links use:",
  noUrl: "Links will only work on the server itself. Ask the administrator to set FILEHOST_URL. Links use:",
};

export type LayoutTexts = typeof layout;
