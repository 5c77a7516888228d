import type { AllStatusTexts } from "../en/status.ts";

export const status: AllStatusTexts = {
  uploading: {
    headline: "Wird noch hochgeladen",
    detail: "Danach können Sie die Datei herunterladen. Diese Seite aktualisiert sich von selbst.",
    word: "Wird hochgeladen …",
  },
  scanning: {
    headline: "Die Datei wird geprüft …",
    detail: "Danach können Sie die Datei herunterladen. Diese Seite aktualisiert sich von selbst.",
    word: "Wird geprüft …",
  },
  scanned: { headline: "Geprüft: keine Schadsoftware gefunden", detail: "", word: "Geprüft" },
  scannedInParts: {
    headline: "In Teilen geprüft: keine Schadsoftware gefunden",
    detail: "Die Datei ist zu groß, um sie in einem Stück zu prüfen.",
    word: "In Teilen geprüft",
  },
  unscanned: {
    headline: "Nicht auf Schadsoftware geprüft",
    detail: "Öffnen Sie die Datei nur, wenn Sie dem Absender vertrauen.",
    word: "Nicht geprüft",
  },
  encrypted: {
    headline: "Der Absender hat diese Datei verschlüsselt",
    detail: "Der Server konnte sie nicht prüfen. Öffnen Sie sie nur, wenn Sie dem Absender vertrauen.",
    word: "Verschlüsselt, nicht geprüft",
  },
  infected: {
    headline: "Gesperrt: Schadsoftware gefunden",
    detail: "Sie können diese Datei nicht herunterladen. Informieren Sie den Absender.",
    word: "Gesperrt: Schadsoftware",
  },
  damaged: {
    headline: "Gesperrt: Die Datei kam beschädigt an",
    detail: "Sie können sie nicht herunterladen. Bitten Sie den Absender, sie erneut hochzuladen.",
    word: "Gesperrt: beschädigt",
  },
  blocklisted: {
    headline: "Vom Administrator gesperrt",
    detail: "Diese Website erlaubt diese Datei nicht. Wenn das ein Irrtum ist, fragen Sie den Administrator.",
    word: "Vom Administrator gesperrt",
  },
  scanFailed: {
    headline: "Gesperrt: Prüfung fehlgeschlagen",
    detail: "Versuchen Sie es später erneut, oder bitten Sie den Absender, die Datei erneut hochzuladen.",
    word: "Gesperrt: Prüfung fehlgeschlagen",
  },
};
