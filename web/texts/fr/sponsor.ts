import type { SponsorTexts } from "../en/sponsor.ts";

export const sponsor: SponsorTexts = { label: "De la part du sponsor de ce serveur" };
