import type { LayoutTexts } from "../en/layout.ts";

export const layout: LayoutTexts = {
  skip: "Aller au contenu",
  shareYourOwn: "Partager vos fichiers",
  terms: "Conditions",
  privacy: "Confidentialité",
  imprint: "Mentions légales",
  abuse: "Signaler un abus",
  language: "Langue",
};
