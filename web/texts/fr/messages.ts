import type { MessageTexts } from "../en/messages.ts";

export const messages: MessageTexts = {
  kinds: {
    missing: {
      title: "Lien introuvable",
      text: "Rien n’est partagé à cette adresse.",
      next: "Vérifiez le lien, ou demandez-en un nouveau à l’expéditeur.",
    },
    expired: {
      title: "Ce lien a expiré",
      text: "Plus rien n’est partagé à cette adresse.",
      next: "Demandez à l’expéditeur de partager à nouveau le fichier.",
    },
    usedUp: {
      title: "Ce lien ne permet plus de téléchargement",
      text: "Le fichier a été téléchargé autant de fois que l’expéditeur l’a permis.",
      next: "Si ce n’était pas vous, demandez à l’expéditeur de le partager à nouveau.",
    },
    blocked: {
      title: "Ce fichier est bloqué",
      text: "L’analyse a trouvé un logiciel malveillant ou a échoué : personne ne peut le télécharger.",
      next: "Prévenez l’expéditeur. Il peut envoyer le fichier à nouveau.",
    },
    blocklisted: {
      title: "Bloqué par l’administrateur",
      text: "Ce site n’autorise pas ce fichier : personne ne peut le télécharger.",
      next: "Si c’est une erreur, demandez à l’administrateur.",
    },
    damaged: {
      title: "Ce fichier est arrivé endommagé",
      text: "Il ne correspond pas au fichier de l’expéditeur : personne ne peut le télécharger.",
      next: "Demandez à l’expéditeur de l’envoyer à nouveau.",
    },
    takenDown: {
      title: "Ce fichier a été retiré",
      text: "L’administrateur l’a retiré à la suite d’une plainte légale.",
      next: "Est-ce une erreur ? Demandez à l’expéditeur de contacter l’administrateur.",
    },
    notAvailable: {
      title: "Ce lien n’est pas disponible",
      text: "Les fichiers de l’expéditeur ne sont pas disponibles pour le moment.",
      next: "Demandez à l’expéditeur, ou réessayez plus tard.",
    },
    notReady: {
      title: "Pas encore prêt",
      text: "Le fichier est encore en cours d’envoi ou d’analyse.",
      next: "Revenez en arrière et attendez : la page indique quand le fichier est prêt.",
    },
    badSignedUrl: {
      title: "Ce lien de téléchargement ne fonctionne pas",
      text: "Il a expiré ou est incomplet.",
      next: "Ouvrez à nouveau le lien du partage et appuyez sur Télécharger.",
    },
    noHandoff: {
      title: "Ce lien privé ne fonctionne pas",
      text: "Il a expiré, est incomplet ou a été remplacé par l’expéditeur.",
      next: "Vérifiez le lien, ou demandez-en un nouveau à l’expéditeur.",
    },
    noDeletion: {
      title: "Rien à supprimer",
      text: "Le fichier est déjà supprimé, ou le lien est incomplet.",
      next: "Vérifiez qu’il ne manque pas de caractère au lien et qu’il n’y en a pas de trop.",
    },
    deleted: {
      title: "Fichier supprimé",
      text: "Son lien ne fonctionne plus pour personne.",
      next: "Les téléchargements déjà commencés peuvent encore se terminer.",
    },
    reported: {
      title: "Signalement envoyé",
      text: "L’administrateur de ce serveur peut maintenant le lire.",
      next: "Si vous avez indiqué une adresse e-mail, il pourra vous écrire.",
    },
    noRequest: {
      title: "Demande introuvable",
      text: "Personne ne demande de fichiers à cette adresse, ou le lien a été remplacé.",
      next: "Vérifiez le lien, ou demandez-en un nouveau.",
    },
    noPublicPage: {
      title: "Il n’y a pas de page publique ici",
      text: "Personne ne montre de fichiers publics sous ce nom.",
      next: "Vérifiez le nom, ou demandez sa nouvelle adresse à la personne.",
    },
    unknownApplication: {
      title: "Cette demande d’une application ne fonctionne pas",
      text: "L’application est inconnue ici, ou veut vous envoyer à une adresse qu’elle n’a pas déclarée.",
      next: "Retournez à l’application et connectez-la à nouveau.",
    },
    requestUnavailable: {
      title: "Cette demande n’est pas disponible",
      text: "Le compte qui demandait des fichiers n’en accepte pas actuellement.",
      next: "Demandez à la personne qui vous a envoyé le lien.",
    },
    requestClosed: {
      title: "Cette demande est close",
      text: "Plus aucun fichier n’est attendu ici. Votre envoi est bien arrivé.",
      next: "Demandez à la personne qui vous a envoyé le lien.",
    },
    requestExpired: {
      title: "Cette demande a expiré",
      text: "Le délai pour envoyer des fichiers ici est passé.",
      next: "Demandez un nouveau lien.",
    },
    requestUsedUp: {
      title: "Cette demande a tout reçu",
      text: "Elle n’accepte plus de fichiers.",
      next: "S’il manque les vôtres, demandez un nouveau lien.",
    },
    requestFull: {
      title: "Il n’y a pas de place en ce moment",
      text: "L’espace de la personne qui demande est plein.",
      next: "Prévenez-la, et réessayez plus tard.",
    },
    locked: {
      title: "Ce lien demande un code",
      text: "L’expéditeur a le code, ou un lien privé qui n’en demande pas.",
      next: "Ouvrez le lien et saisissez le code, ou demandez à l’expéditeur.",
    },
    payment: {
      title: "Ce fichier est payant",
      text: "Seuls les acheteurs peuvent le télécharger.",
      next: "Demandez à l’expéditeur comment l’acheter.",
    },
    crossSite: {
      title: "Ouvrez cette page à sa propre adresse",
      text: "Un autre site a envoyé cette demande : rien n’a été fait.",
      next: "Ouvrez le lien à cette adresse et réessayez.",
    },
    refused: {
      title: "Cela n’a pas fonctionné",
      text: "Le serveur n’a pas pu accepter votre demande.",
      next: "Revenez en arrière, corrigez et réessayez.",
    },
    tooManyRequests: {
      title: "Trop de demandes",
      text: "De nombreuses demandes sont venues de votre réseau en peu de temps.",
      next: "Attendez une minute, puis réessayez.",
    },
    busy: {
      title: "Le serveur est occupé",
      text: "Il ne peut pas répondre pour l’instant. Votre lien est bon.",
      next: "Réessayez dans une minute.",
    },
    error: {
      title: "Une erreur est survenue",
      text: "Le problème vient de chez nous, pas de vous.",
      next: "Réessayez. Si l’erreur persiste, envoyez l’identifiant de la demande à l’administrateur.",
    },
  },
  requestId: "Identifiant de la demande :",
  retry: "Réessayer",
  start: "Aller à l’accueil",
  contact: "Contacter l’administrateur",
};
