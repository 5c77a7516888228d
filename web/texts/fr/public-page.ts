import type { PublicPageTexts } from "../en/public-page.ts";

export const publicPage: PublicPageTexts = {
  title: (username) => `Fichiers de ${username}`,
  description: (username) => `Ce que ${username} partage avec tout le monde.`,
  empty: "Il n’y a pas de fichiers publics ici pour le moment.",
  noMore: "Il n’y a pas de fichiers plus anciens.",
};
