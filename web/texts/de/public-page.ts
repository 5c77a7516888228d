import type { PublicPageTexts } from "../en/public-page.ts";

export const publicPage: PublicPageTexts = {
  title: (username) => `Dateien von ${username}`,
  description: (username) => `Was ${username} mit allen teilt.`,
  empty: "Hier sind zurzeit keine öffentlichen Dateien.",
  noMore: "Es gibt keine älteren Dateien.",
};
