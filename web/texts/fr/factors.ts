import type { FactorTexts } from "../en/factors.ts";

export const factors: FactorTexts = {
  prove: "Saisissez de nouveau votre mot de passe",
  proveWhy: "La suite est protégée. Nous demandons votre mot de passe toutes les 15 minutes.",
  goOn: "Continuer",
};
