import { counted } from "../../site/format.ts";
import type { ListTexts } from "../en/list.ts";

export const list: ListTexts = {
  allFiles: "Tous les fichiers",
  path: "Dossier",
  search: "Rechercher dans tous les fichiers",
  find: "Rechercher",
  clear: "Effacer la recherche",
  found: (count) => (count === 0 ? "Aucun résultat." : `${counted(count, "fr", "fichier trouvé", "fichiers trouvés")}.`),
  sort: "Trier par",
  sorts: { name: "Nom", size: "Taille", newest: "Plus récents" },
  view: "Affichage",
  views: { list: "Liste", grid: "Grille" },
  select: "Sélectionner",
  openFolder: "Ouvrir le dossier",
  page: (page, pages) => `Page ${page} sur ${pages}`,
  previous: "Page précédente",
  next: "Page suivante",
  showMore: (count) => `Afficher ${count} de plus`,
  downloadSelected: "Télécharger la sélection en ZIP",
  clearSelection: "Effacer la sélection",
};
