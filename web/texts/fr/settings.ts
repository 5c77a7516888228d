import type { SettingsTexts } from "../en/settings.ts";

export const settings: SettingsTexts = {
  settings: "Réglages",
  profile: "Profil",
  security: "Sécurité",
};
