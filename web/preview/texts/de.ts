import type { PreviewTexts } from "./en.ts";

export const preview: PreviewTexts = {
  label: (name) => `Vorschau von ${name}`,
  close: "Schließen",
  previous: "Zurück",
  next: "Weiter",
  enlarge: (name) => `${name} vergrößern`,
  zoomIn: "Vergrößern",
  zoomOut: "Verkleinern",
  download: "Herunterladen",
  copy: "Text kopieren",
  position: (number, count) => `${number} von ${count}`,
  isCut: "Das ist der Anfang. Laden Sie die Datei herunter, um alles zu sehen.",
  entries: (count, shown) =>
    `${count.toLocaleString("de")} ${count === 1 ? "Eintrag" : "Einträge"}${shown < count ? `, hier die ersten ${shown.toLocaleString("de")}` : ""}`,
  noEntries: "Die Liste der Dateien ist nicht lesbar.",
  encrypted: "Verschlüsselt",
  loading: "Wird geladen …",
  needsScript: "Diese Vorschau braucht JavaScript. Laden Sie die Datei herunter, um sie zu sehen.",
  pdfFailed: "Diese PDF-Datei kann nicht angezeigt werden. Laden Sie sie herunter, um sie zu öffnen.",
  imageFailed: "Dieses Bild lässt sich nicht anzeigen. Laden Sie es herunter, um es zu öffnen.",
  original: "Originalbild anzeigen",
  playerFailed: "Diese Aufnahme lässt sich hier nicht abspielen. Laden Sie sie herunter, um sie zu öffnen.",
  pdfPage: (number, count) => `Seite ${number} von ${count}`,
  pdfCut: (shown, count) => `Die ersten ${shown} von ${count} Seiten`,
};
