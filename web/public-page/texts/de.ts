import type { PublicPageTexts } from "./en.ts";

export const publicPage: PublicPageTexts = {
  title: (username) => `Dateien von ${username}`,
  description: (username) => `Was ${username} mit allen teilt.`,
  share: "öffentliche Freigabe",
  shareMany: "öffentliche Freigaben",
  own: "So sehen alle Ihre öffentliche Seite.",
  manage: "Freigaben verwalten",
  profile: "Benutzernamen ändern",
  empty: "Hier sind zurzeit keine öffentlichen Dateien.",
  noMore: "Es gibt keine älteren Dateien.",
};
