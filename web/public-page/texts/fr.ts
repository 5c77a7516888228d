import type { PublicPageTexts } from "./en.ts";

export const publicPage: PublicPageTexts = {
  title: (username) => `Fichiers de ${username}`,
  description: (username) => `Ce que ${username} partage avec tout le monde.`,
  share: "partage public",
  shareMany: "partages publics",
  own: "Voici votre page publique, telle que chacun la voit.",
  manage: "Gérer vos partages",
  profile: "Changer de nom d’utilisateur",
  empty: "Il n’y a pas de fichiers publics ici pour le moment.",
  noMore: "Il n’y a pas de fichiers plus anciens.",
};
