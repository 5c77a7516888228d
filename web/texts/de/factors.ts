import type { FactorTexts } from "../en/factors.ts";

export const factors: FactorTexts = {
  prove: "Geben Sie Ihr Passwort noch einmal ein",
  proveWhy: "Was jetzt kommt, ist geschützt. Wir fragen alle 15 Minuten nach Ihrem Passwort.",
  goOn: "Weiter",
};
