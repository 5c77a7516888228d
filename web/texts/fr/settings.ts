import type { SettingsTexts } from "../en/settings.ts";

export const settings: SettingsTexts = {
  settings: "Réglages",
  profile: "Profil",
  security: "Sécurité",
  applications: "Applications connectées",
  noApplications: "Les applications qui ont accès à votre compte figurent ici. Il n’y en a aucune.",
};
