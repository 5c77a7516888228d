import type { DeletionTexts } from "../en/deletion.ts";

export const deletion: DeletionTexts = {
  question: { file: "Supprimer ce fichier ?", shipment: "Supprimer cet envoi et tous ses fichiers ?" },
  consequence: "Le lien ne fonctionnera plus pour personne. Cette action est irréversible.",
  submit: "Supprimer définitivement",
};
