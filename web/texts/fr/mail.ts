import type { MailTexts } from "../en/mail.ts";

export const mail: MailTexts = {
  test: {
    subject: (site) => `Message d’essai de ${site}`,
    text: "Le courriel fonctionne : ce message vient de votre serveur.",
  },
  invite: {
    subject: (site) => `Votre invitation sur ${site}`,
    text: (site) => `Vous êtes invité sur ${site}. Créez votre compte avec ce lien.`,
    link: "Créer votre compte",
    note: (date) => `Il fonctionne une fois, jusqu’au ${date}. Si vous n’attendiez pas ce message, ignorez-le.`,
  },
};
