import { counted } from "../../site/format.ts";
import type { SelectionTexts } from "../en/selection.ts";

export const selection: SelectionTexts = {
  loading: "Wird geladen …",
  failed: "Das Laden ist fehlgeschlagen. Versuchen Sie es erneut.",
  loaded: (count) => `${counted(count, "de", "weiterer Eintrag", "weitere Einträge")}.`,
  download: (count) => `${counted(count, "de", "Datei", "Dateien")} herunterladen`,
  zip: (size) => `(ZIP, ${size})`,
};
