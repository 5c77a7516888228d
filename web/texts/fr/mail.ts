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
  verify: {
    subject: (site) => `Confirmez votre adresse pour ${site}`,
    text: (site) => `Quelqu’un a créé un compte sur ${site} avec cette adresse. Si c’est vous, confirmez-la.`,
    link: "Confirmer l’adresse",
    note: (date) => `Le lien fonctionne une fois, jusqu’au ${date}. Si ce n’est pas vous, ignorez ce message.`,
  },
  reset: {
    subject: (site) => `Un nouveau mot de passe pour ${site}`,
    text: (site) => `Choisissez un nouveau mot de passe pour votre compte sur ${site}.`,
    link: "Choisir un nouveau mot de passe",
    note: (date) => `Le lien fonctionne une fois, jusqu’au ${date}. Si vous ne l’avez pas demandé, ignorez ce message : rien ne change.`,
  },
  security: {
    subject: (site) => `Votre compte sur ${site} a changé`,
    changes: {
      password: "Le mot de passe de votre compte a été changé.",
      factorOn: "La connexion à votre compte demande maintenant un second facteur.",
      factorOff: "La connexion à votre compte ne demande plus de second facteur.",
      passkeyAdded: "Une clé d’accès a été ajoutée à votre compte.",
      passkeyRemoved: "Une clé d’accès de votre compte a été retirée.",
      provider: "Une autre façon de se connecter a été ajoutée à votre compte.",
    },
    link: "Vérifier votre compte",
    note: (date) => `C’était le ${date}. Si ce n’est pas vous, choisissez un nouveau mot de passe et fermez les autres sessions.`,
  },
  notices: {
    subject: (site) => `Du nouveau sur ${site}`,
    text: "Depuis notre dernier message :",
    link: "Tout afficher",
    more: (count) => `Et ${count} de plus.`,
    settings: "Choisissez ce que nous vous signalons",
    unsubscribe: "Ne plus recevoir ces messages",
  },
};
