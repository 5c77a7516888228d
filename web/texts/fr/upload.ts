import type { UploadTexts } from "../en/upload.ts";

export const upload: UploadTexts = {
  interrupted: "L’envoi a été interrompu. Vérifiez votre connexion et réessayez.",
  refused: "Le serveur n’a pas pu accepter l’envoi. Réessayez.",
  changed: "Le fichier a changé ou ne peut pas être lu. Choisissez-le à nouveau.",
  proxy: (status) =>
    `Un proxy devant le serveur a refusé l’envoi${status === undefined ? "" : ` (statut ${status})`}. Prévenez l’administrateur.`,
  unreachable: "Ce navigateur ne peut pas joindre le stockage des fichiers.",
  notLoaded: "Une partie de cette page n’a pas été chargée. Vérifiez votre connexion et rechargez la page.",
  cancelled: "Annulé",
  continues: "L’envoi reprendra automatiquement.",
  waits: {
    lost: "Connexion perdue.",
    busy: "Le serveur est occupé.",
    many: "Trop de requêtes ; en attente.",
    full: "Le serveur n’a plus de place.",
    broken: "Le serveur a un problème.",
  },
  finals: {
    many: "Trop de requêtes sont venues de votre réseau. Réessayez plus tard.",
    busy: "Le serveur est occupé. Réessayez dans quelques minutes.",
    full: "Le serveur n’a plus de place. Réessayez plus tard ou prévenez l’administrateur.",
  },
};
