import type { DeletionTexts } from "../en/deletion.ts";

export const deletion: DeletionTexts = {
  question: { file: "Diese Datei löschen?", shipment: "Diese Sendung mit allen Dateien löschen?" },
  consequence: "Der Link funktioniert dann für niemanden mehr. Das lässt sich nicht rückgängig machen.",
  submit: "Endgültig löschen",
};
