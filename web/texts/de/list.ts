import { counted } from "../../site/format.ts";
import type { ListTexts } from "../en/list.ts";

export const list: ListTexts = {
  allFiles: "Alle Dateien",
  path: "Ordner",
  search: "Alle Dateien durchsuchen",
  find: "Suchen",
  clear: "Suche beenden",
  found: (count) => (count === 0 ? "Nichts gefunden." : `${counted(count, "de", "Datei", "Dateien")} gefunden.`),
  sort: "Sortieren nach",
  sorts: { name: "Name", size: "Größe", newest: "Neueste" },
  view: "Ansicht",
  views: { list: "Liste", grid: "Kacheln" },
  select: "Auswählen:",
  openFolder: "Ordner öffnen",
  page: (page, pages) => `Seite ${page} von ${pages}`,
  previous: "Vorherige Seite",
  next: "Nächste Seite",
  showMore: (count) => `${count} weitere anzeigen`,
  downloadSelected: "Auswahl als ZIP herunterladen",
  clearSelection: "Auswahl aufheben",
};
