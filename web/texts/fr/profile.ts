import type { ProfileTexts } from "../en/profile.ts";

export const profile: ProfileTexts = {
  nameHint: "Les destinataires de vos fichiers le voient.",
  save: "Enregistrer",
  saved: "Enregistré.",
  username: "Nom d’utilisateur public",
  usernameLabel: "Nom d’utilisateur",
  usernameText: "Vos partages publics ont besoin d’un nom d’utilisateur. Il sert aussi à vous connecter.",
  usernameHint: (max) => `3 à 30 lettres a–z, chiffres, - et _. Vous pouvez le changer ${max} fois en 30 jours.`,
  toPublicPage: "Voir votre page publique",
  claim: "Choisir ce nom",
  change: "Changer de nom",
  remove: "Supprimer le nom d’utilisateur",
  removeText: (name) =>
    `Vos partages publics ne sont plus listés : leurs liens fonctionnent toujours. N’importe qui peut alors choisir ${name}.`,
  claimed: (name) => `Votre nom d’utilisateur est désormais ${name}.`,
  removed: "Votre nom d’utilisateur est supprimé. Vos partages publics ne sont plus listés.",
  problems: {
    invalid: "Utilisez 3 à 30 caractères parmi a–z, 0–9, - et _.",
    taken: "Ce nom est déjà pris ou réservé. Choisissez-en un autre.",
    tooMany: (date) => `Vous l’avez changé trop souvent. Réessayez après le ${date}.`,
  },
};
