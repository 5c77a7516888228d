import { counted } from "../../site/format.ts";
import type { MailTexts } from "./en.ts";

export const mail: MailTexts = {
  test: {
    subject: (site) => `Message d’essai de ${site}`,
    text: "Le courriel fonctionne : ce message vient de votre serveur.",
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
  prove: {
    subject: (site) => `Confirmez votre adresse sur ${site}`,
    text: (site) => `Vous avez demandé un lien qui confirme l’adresse de votre compte sur ${site}.`,
    link: "Confirmer l’adresse",
    note: (date) => `Le lien fonctionne une fois, jusqu’au ${date}. Si ce n’est pas vous, ignorez ce message.`,
  },
  reset: {
    subject: (site) => `Un nouveau mot de passe pour ${site}`,
    text: (site) => `Choisissez un nouveau mot de passe pour votre compte sur ${site}.`,
    link: "Choisir un nouveau mot de passe",
    note: (date) => `Le lien fonctionne une fois, jusqu’au ${date}. Si vous ne l’avez pas demandé, ignorez ce message : rien ne change.`,
  },
  email: {
    subject: (site) => `Confirmez votre nouvelle adresse pour ${site}`,
    text: (site) => `Quelqu’un veut utiliser cette adresse pour son compte sur ${site}. Si c’est vous, confirmez-la.`,
    link: "Confirmer l’adresse",
    note: (date) => `Le lien fonctionne une fois, jusqu’au ${date}, dans un navigateur connecté. Si ce n’est pas vous, ignorez ce message.`,
  },
  addressTaken: {
    subject: (site) => `Votre adresse a un compte sur ${site}`,
    text: (site) => `Quelqu’un veut utiliser cette adresse pour un autre compte sur ${site}. Elle en a déjà un : rien n’a changé.`,
    link: "Se connecter",
    note: "Si c’est vous, connectez-vous avec cette adresse, ou choisissez un nouveau mot de passe. Sinon, ignorez ce message.",
  },
  addressChanged: {
    subject: (site) => `Votre compte sur ${site} a une autre adresse`,
    text: (site) => `L’adresse de votre compte sur ${site} a été changée. Cette adresse ne permet plus de s’y connecter.`,
    link: (site) => `Aller sur ${site}`,
    note: (date) => `C’était le ${date}. Si ce n’est pas vous, prévenez tout de suite l’administrateur du site.`,
  },
  bought: {
    subject: (site: string) => `Votre achat sur ${site}`,
    text: (title: string, price: string) => `Vous avez acheté « ${title} » pour ${price}. Ce lien vous permet de le télécharger.`,
    link: "Ouvrir votre achat",
    until: (date: string) => `Vous pouvez le télécharger jusqu’au ${date}. Quiconque a ce lien le peut aussi : gardez-le pour vous.`,
    forever: "Quiconque a ce lien peut le télécharger : gardez-le pour vous.",
  },
  security: {
    subject: (site) => `Votre compte sur ${site} a changé`,
    changes: {
      password: "Le mot de passe de votre compte a été changé.",
      factorOn: "La connexion à votre compte demande maintenant un second facteur.",
      factorOff: "La connexion à votre compte ne demande plus de second facteur.",
      passkeyAdded: "Une clé d’accès a été ajoutée à votre compte.",
      passkeyRemoved: "Une clé d’accès de votre compte a été retirée.",
      passkeyCopied: "Une clé d’accès de votre compte a été refusée : quelqu’un en utilise peut-être une copie. Retirez-la.",
      provider: "Une autre façon de se connecter a été ajoutée à votre compte.",
      addressAsked: "Une nouvelle adresse a été demandée dans votre compte. Rien ne change tant qu’elle n’est pas confirmée.",
      applicationConnected: "Une application a été connectée à votre compte. Elle peut agir pour vous jusqu’à ce que vous la déconnectiez.",
      applicationReplayed:
        "Une application a été déconnectée de votre compte : son accès a été utilisé deux fois, quelqu’un en a peut-être une copie.",
    },
    link: "Vérifier votre compte",
    passkeys: (names) => `Ces clés d’accès restent valables : ${names}. Retirez celles que vous ne connaissez pas.`,
    providers: (names) => `La connexion reste possible avec : ${names}. Déconnectez ce que vous ne connaissez pas.`,
    application: (name) => `L’application : ${name}. Les applications choisissent leur nom elles-mêmes.`,
    note: (date) => `C’était le ${date}. Si ce n’est pas vous, choisissez un nouveau mot de passe et fermez les autres sessions.`,
  },
  share: {
    files: (count) => counted(count, "fr", "fichier", "fichiers"),
    titled: (title) => `« ${title} »`,
    first: (name, others) => `« ${name} » et ${counted(others, "fr", "autre fichier", "autres fichiers")}`,
    subject: (sender, what) => `${sender} vous a envoyé ${what}`,
    lead: (sender, what) => `${sender} vous a envoyé ${what}.`,
    reminder: {
      subject: (sender, what) => `Expire bientôt : ${what} de ${sender}`,
      lead: (sender, what) => `${sender} vous a envoyé ${what}. Vous ne l’avez pas encore téléchargé.`,
    },
    message: "Message :",
    link: "Ouvrir et télécharger",
    until: (date) => `Vous pouvez télécharger jusqu’au ${date}.`,
    tracked: (sender) =>
      `Ce lien est pour vous seul : ${sender} voit quand il est ouvert et sert à télécharger. Votre réponse va à cette adresse.`,
    unknown: "Si vous ne connaissez pas l’expéditeur, n’ouvrez pas le lien.",
    block: "Bloquer tous les messages de ce genre",
  },
  notices: {
    titled: (title) => `« ${title} »`,
    andOthers: (sentence, count) => `${sentence}, et ${counted(count, "fr", "autre notification", "autres notifications")}`,
    text: (site) => `Voici ce qui est arrivé à vos partages et demandes sur ${site} :`,
    link: "Tout afficher",
    more: (count) => `Et ${count} de plus.`,
    settings: "Choisissez ce que nous vous signalons",
    unsubscribe: "Ne plus recevoir ces messages",
  },
};
