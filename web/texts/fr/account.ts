import type { AccountTexts } from "../en/account.ts";

export const account: AccountTexts = {
  account: "Compte",
  signIn: "Se connecter",
  signUp: "Créer un compte",
  signOut: "Se déconnecter",
  login: "Adresse e-mail ou nom d’utilisateur",
  email: "Adresse e-mail",
  name: "Votre nom",
  password: "Mot de passe",
  newPasswordHint: (minLength) => `Au moins ${minLength} caractères. Quelques mots se retiennent facilement.`,
  noAccount: "Pas encore de compte ?",
  haveAccount: "Déjà un compte ?",
  invited: "Vous êtes invité",
  invitedText: "Créez votre compte avec cette invitation à usage unique.",
  invitedAdmin: "Configurer ce serveur",
  invitedAdminText: "Créez le compte de l’administrateur. Ce lien fonctionne une seule fois.",
  signUpIntro: "Tous vos fichiers au même endroit, plus longtemps et plus gros que sans compte.",
  problems: {
    wrong: "L’adresse et le mot de passe ne correspondent pas. Vérifiez les deux.",
    wrongOrNew: "L’adresse et le mot de passe ne correspondent pas. Si votre compte est nouveau, ouvrez d’abord le lien de notre e-mail.",
    taken: "Cette adresse a déjà un compte. Connectez-vous.",
    email: "Saisissez une adresse e-mail, par exemple ada@example.org.",
    name: "Saisissez un nom de 1 à 100 caractères.",
    password: (minLength, maxLength) => `Saisissez un mot de passe de ${minLength} à ${maxLength} caractères.`,
    invite: "Cette invitation a été utilisée, a expiré ou concerne une autre adresse. Demandez-en une nouvelle.",
    currentPassword: "Le mot de passe actuel est faux. Saisissez-le de nouveau.",
    tooMany: (minutes) => `Trop d’essais. Réessayez dans ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
  },
  closed: {
    closed: {
      title: "Les inscriptions sont fermées",
      text: "Ce serveur ne permet pas de créer un compte. Demandez-en un à l’administrateur.",
    },
    inviteOnly: {
      title: "Il vous faut une invitation",
      text: "Demandez-en une à l’administrateur de ce serveur.",
    },
    inviteEnded: {
      title: "Cette invitation ne fonctionne plus",
      text: "Elle a été utilisée, retirée ou a expiré. Demandez-en une nouvelle.",
    },
  },
  signedInAs: (name) => `Connecté en tant que ${name}`,
  sessions: "Où vous êtes connecté",
  thisSession: "Ce navigateur",
  lastUsed: "Dernière utilisation",
  end: "Déconnecter",
  sessionEnded: "Déconnecté.",
  endOthers: "Déconnecter partout ailleurs",
  othersEnded: (count) => (count === 1 ? "Déconnecté à 1 autre endroit." : `Déconnecté à ${count} autres endroits.`),
  changePassword: "Changer le mot de passe",
  setPassword: "Définir un mot de passe",
  setPasswordText: "Votre compte n’en a pas : vous vous connectez sans. Avec un, vous pouvez vous connecter partout.",
  currentPassword: "Mot de passe actuel",
  newPassword: "Nouveau mot de passe",
  passwordChanged: (others) =>
    others === 0
      ? "Mot de passe changé."
      : `Mot de passe changé. Déconnecté à ${others} ${others === 1 ? "autre endroit" : "autres endroits"}.`,
};
