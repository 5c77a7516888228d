import { counted } from "../../site/format.ts";
import type { RemovalTexts } from "../en/removal.ts";

export const removal: RemovalTexts = {
  title: "Supprimer le compte",
  teaser: "Supprime votre compte et tout ce qu’il contient. C’est irréversible.",
  open: "Supprimer le compte…",
  heading: "Ce qui est supprimé",
  now: "Immédiatement, pour tout le monde :",
  links: (files, size) => `${counted(files, "fr", "fichier", "fichiers")} (${size}), avec tous leurs liens et aperçus`,
  noFiles: "tous les liens que vous avez partagés",
  programs: (keys, webhooks) => `${counted(keys, "fr", "clé d’API", "clés d’API")} et ${counted(webhooks, "fr", "webhook", "webhooks")}`,
  signIn: "votre nom, votre adresse et votre mot de passe ; vous êtes déconnecté partout",
  subscription: "votre abonnement : plus aucun paiement n’est prélevé, et le reste de la période payée prend fin",
  buyers: (buyers) =>
    `ce que ${counted(buyers, "fr", "acheteur a payé et peut encore télécharger", "acheteurs ont payé et peuvent encore télécharger")} : remboursez d’abord`,
  soldMeanwhile: "Quelqu’un vient de vous acheter quelque chose. Lisez ci-dessus ce qu’il perd, puis confirmez de nouveau.",
  later: "Les octets des fichiers sont effacés en quelques minutes.",
  stays: "Ce qui reste",
  staysText: "Les signalements de vos fichiers et le journal de l’administrateur. Les sauvegardes du serveur suivent leur calendrier.",
  uploads: "Les envois en cours sont annulés.",
  label: "Saisissez votre adresse e-mail pour confirmer",
  confirm: "Supprimer mon compte",
  problem: "Ce n’est pas votre adresse e-mail. Saisissez-la comme indiqué ci-dessus.",
  lastAdministrator: "Vous êtes le seul administrateur. Créez-en d’abord un autre.",
  yours: (email) => `Votre adresse : ${email}`,
  done: "Votre compte est supprimé",
  doneText: "Vos liens ne fonctionnent plus. Merci d’être passé par ici.",
};
