import type { PreviewTexts } from "./en.ts";

export const preview: PreviewTexts = {
  label: (name) => `Aperçu de ${name}`,
  close: "Fermer",
  previous: "Précédent",
  next: "Suivant",
  enlarge: (name) => `Agrandir ${name}`,
  zoomIn: "Agrandir",
  zoomOut: "Réduire",
  download: "Télécharger",
  copy: "Copier le texte",
  position: (number, count) => `${number} sur ${count}`,
  isCut: "Ceci est le début. Téléchargez le fichier pour tout voir.",
  entries: (count, shown) =>
    `${count.toLocaleString("fr")} ${count === 1 ? "entrée" : "entrées"}${shown < count ? `, voici les ${shown.toLocaleString("fr")} premières` : ""}`,
  noEntries: "La liste des fichiers est illisible.",
  encrypted: "Chiffré",
  loading: "Chargement…",
  needsScript: "Cet aperçu nécessite JavaScript. Téléchargez le fichier pour le voir.",
  pdfFailed: "Ce PDF ne peut pas être affiché. Téléchargez-le pour l’ouvrir.",
  imageFailed: "Cette image ne peut pas être affichée. Téléchargez-la pour l’ouvrir.",
  original: "Afficher l’image d’origine",
  playerFailed: "Cet enregistrement ne peut pas être lu ici. Téléchargez-le pour l’ouvrir.",
  pdfPage: (number, count) => `Page ${number} sur ${count}`,
  pdfCut: (shown, count) => `Les ${shown} premières pages sur ${count}`,
};
