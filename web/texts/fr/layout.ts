import type { LayoutTexts } from "../en/layout.ts";

export const layout: LayoutTexts = {
  send: "Envoyer",
  skip: "Aller au contenu",
  shareYourOwn: "Partager vos fichiers",
  terms: "Conditions",
  privacy: "Confidentialité",
  imprint: "Mentions légales",
  abuse: "Signaler un abus",
  language: "Langue",
  otherName: "Ce site a une autre adresse. Les liens utilisent :",
  noUrl:
    "Les liens ne fonctionneront que sur le serveur lui-même. Demandez à l’administrateur de définir FILEHOST_URL. Les liens utilisent :",
};
