import type { LayoutTexts } from "../en/layout.ts";

export const layout: LayoutTexts = {
  send: "Senden",
  skip: "Zum Inhalt springen",
  shareYourOwn: "Eigene Dateien teilen",
  terms: "Nutzungsbedingungen",
  privacy: "Datenschutz",
  imprint: "Impressum",
  abuse: "Missbrauch melden",
  language: "Sprache",
  otherName: "Diese Seite hat eine andere Adresse. Links verwenden:",
  noUrl: "Links funktionieren nur auf dem Server selbst. Bitten Sie den Administrator, FILEHOST_URL zu setzen. Links verwenden:",
};
