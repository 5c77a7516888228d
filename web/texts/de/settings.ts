import type { SettingsTexts } from "../en/settings.ts";

export const settings: SettingsTexts = {
  settings: "Einstellungen",
  profile: "Profil",
  security: "Sicherheit",
  applications: "Verbundene Anwendungen",
  noApplications: "Hier stehen Anwendungen mit Zugriff auf Ihr Konto. Es gibt keine.",
};
