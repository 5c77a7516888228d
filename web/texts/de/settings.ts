import type { SettingsTexts } from "../en/settings.ts";

export const settings: SettingsTexts = {
  settings: "Einstellungen",
  profile: "Profil",
  security: "Sicherheit",
};
