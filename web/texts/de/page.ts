import type { PageTexts } from "../en/page.ts";

export const page: PageTexts = {
  copied: "Kopiert",
  selected: "Markiert",
  selectedHint: "Markiert. Drücken Sie Strg und C, um zu kopieren.",
  checking: "Wird geprüft …",
  starting: "Ihr Download beginnt.",
  started: (left) => `Ihr Download hat begonnen. ${left}`,
  noneLeft: "Keine Downloads mehr übrig.",
};
