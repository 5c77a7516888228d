import type { PageTexts } from "../en/page.ts";

export const page: PageTexts = {
  copied: "Copié",
  selected: "Sélectionné",
  selectedHint: "Sélectionné. Appuyez sur Ctrl et C pour copier.",
  checking: "Vérification…",
  starting: "Votre téléchargement commence.",
  started: (left) => `Votre téléchargement a commencé. ${left}`,
  noneLeft: "Plus aucun téléchargement possible.",
};
