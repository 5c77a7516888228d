import type { AllStatusTexts } from "../en/status.ts";

export const status: AllStatusTexts = {
  uploading: {
    headline: "Envoi en cours",
    detail: "Vous pourrez télécharger le fichier ensuite. Cette page s’actualise automatiquement.",
    word: "Envoi en cours…",
  },
  scanning: {
    headline: "Vérification du fichier…",
    detail: "Vous pourrez télécharger le fichier ensuite. Cette page s’actualise automatiquement.",
    word: "Vérification…",
  },
  scanned: { headline: "Analysé : aucun logiciel malveillant trouvé", detail: "", word: "Analysé" },
  scannedInParts: {
    headline: "Analysé en plusieurs parties : aucun logiciel malveillant trouvé",
    detail: "Le fichier est trop volumineux pour être analysé en une seule fois.",
    word: "Analysé en plusieurs parties",
  },
  unscanned: {
    headline: "Non analysé",
    detail: "N’ouvrez ce fichier que si vous faites confiance à l’expéditeur.",
    word: "Non analysé",
  },
  encrypted: {
    headline: "L’expéditeur a chiffré ce fichier",
    detail: "Le serveur n’a pas pu le vérifier. Ne l’ouvrez que si vous faites confiance à l’expéditeur.",
    word: "Chiffré, non vérifié",
  },
  infected: {
    headline: "Bloqué : logiciel malveillant trouvé",
    detail: "Vous ne pouvez pas télécharger ce fichier. Prévenez l’expéditeur.",
    word: "Bloqué : logiciel malveillant",
  },
  damaged: {
    headline: "Bloqué : le fichier est arrivé endommagé",
    detail: "Vous ne pouvez pas le télécharger. Demandez à l’expéditeur de l’envoyer à nouveau.",
    word: "Bloqué : endommagé",
  },
  blocklisted: {
    headline: "Bloqué par l’administrateur",
    detail: "Ce site n’autorise pas ce fichier. Si c’est une erreur, demandez à l’administrateur.",
    word: "Bloqué par l’administrateur",
  },
  scanFailed: {
    headline: "Bloqué : échec de l’analyse",
    detail: "Réessayez plus tard, ou demandez à l’expéditeur de l’envoyer à nouveau.",
    word: "Bloqué : échec de l’analyse",
  },
};
