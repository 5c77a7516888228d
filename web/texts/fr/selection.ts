import { counted } from "../../site/format.ts";
import type { SelectionTexts } from "../en/selection.ts";

export const selection: SelectionTexts = {
  loading: "Chargement…",
  failed: "Échec du chargement. Réessayez.",
  loaded: (count) => `${counted(count, "fr", "élément de plus", "éléments de plus")}.`,
  download: (count) => `Télécharger ${counted(count, "fr", "fichier", "fichiers")}`,
  zip: (size) => `(ZIP, ${size})`,
};
