import type { ProviderTexts } from "../en/provider.ts";

export const provider: ProviderTexts = {
  or: "ou",
  continueWith: (provider) => `Continuer avec ${provider}`,
  leaving: (provider) => `Redirection vers ${provider}`,
  leavingText: "Vous reviendrez ici une fois connecté là-bas.",
  connections: "Se connecter avec un autre service",
  connectionsText: "Associez-le pour vous connecter ici sans mot de passe.",
  notConnected: "Non associé",
  connectedSince: (date) => `Associé depuis le ${date}`,
  unusable: "Ce serveur ne l’utilise plus.",
  connect: (provider) => `Associer ${provider}`,
  disconnect: "Dissocier",
  lastWay: "Vous n’avez pas d’autre moyen de vous connecter. Définissez d’abord un mot de passe.",
  problems: {
    unavailable: {
      title: (provider) => `${provider} ne répond pas`,
      text: (provider) => `Ce serveur ne peut pas joindre ${provider}, ou n’est pas configuré pour lui.`,
      next: () => "Réessayez dans une minute, ou connectez-vous avec votre mot de passe.",
      action: "Aller à la page de connexion",
    },
    cancelled: {
      title: () => "Vous ne vous êtes pas connecté",
      text: (provider) => `Vous avez arrêté chez ${provider}. Rien n’a changé ici.`,
      next: () => "Réessayez, ou connectez-vous avec votre mot de passe.",
      action: "Aller à la page de connexion",
    },
    invalid: {
      title: () => "Cela n’a pas fonctionné",
      text: () => "C’était trop long, déjà utilisé, ou commencé dans un autre navigateur.",
      next: () => "Recommencez depuis la page de connexion.",
      action: "Aller à la page de connexion",
    },
    noAddress: {
      title: () => "Votre adresse e-mail manque",
      text: (provider) => `${provider} ne nous a pas donné votre adresse e-mail.`,
      next: (provider) => `Autorisez ${provider} à la donner, ou créez un compte avec un mot de passe.`,
      action: "Aller à la page de connexion",
    },
    taken: {
      title: () => "Votre adresse a déjà un compte",
      text: (provider) => `Ce compte n’est pas encore associé à ${provider}.`,
      next: (provider) => `Connectez-vous à ce compte, et associez ${provider} dans les réglages.`,
      action: "Se connecter",
    },
    elsewhere: {
      title: () => "Ce n’est pas le bon compte",
      text: (provider) => `Le compte chez ${provider} n’est pas associé au vôtre ici.`,
      next: (provider) => `Connectez-vous à un autre compte chez ${provider}, puis réessayez.`,
      action: "Aller aux réglages",
    },
    closed: {
      title: () => "Ce serveur ne propose pas de créer un compte",
      text: (provider) => `Aucun compte ici n’est associé au vôtre chez ${provider}.`,
      next: () => "Demandez un compte ou une invitation à l’administrateur.",
      action: "Aller à la page de connexion",
    },
    invite: {
      title: () => "Cette invitation ne fonctionne pas",
      text: () => "Elle a été utilisée, a expiré ou est destinée à une autre adresse.",
      next: () => "Demandez-en une nouvelle.",
      action: "Aller à la page de connexion",
    },
    disabled: {
      title: () => "Votre compte est désactivé",
      text: () => "L’administrateur de ce serveur l’a désactivé.",
      next: () => "Demandez-lui pourquoi.",
      action: "Aller à la page d’accueil",
    },
    notProved: {
      title: (provider) => `${provider} n’a pas demandé votre mot de passe`,
      text: (provider) => `Ce serveur demande que ${provider} le redemande et le confirme.`,
      next: () => "Définissez un mot de passe ici, et confirmez avec lui que c’est vous.",
      action: "Aller aux réglages",
    },
  },
};
