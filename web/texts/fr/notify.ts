import type { NotifyTexts } from "../en/notify.ts";

export const notify: NotifyTexts = {
  label: "Notifications pour ce lien",
  choices: { "": "Selon vos paramètres", true: "Toujours", false: "Jamais" },
  effect: "Une notification à chaque téléchargement et un jour avant l’expiration.",
};
