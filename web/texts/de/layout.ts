import type { LayoutTexts } from "../en/layout.ts";

export const layout: LayoutTexts = {
  skip: "Zum Inhalt springen",
  shareYourOwn: "Eigene Dateien teilen",
  terms: "Nutzungsbedingungen",
  privacy: "Datenschutz",
  imprint: "Impressum",
  abuse: "Missbrauch melden",
  language: "Sprache",
};
