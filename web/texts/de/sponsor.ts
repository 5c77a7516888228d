import type { SponsorTexts } from "../en/sponsor.ts";

export const sponsor: SponsorTexts = { label: "Vom Sponsor dieses Servers" };
