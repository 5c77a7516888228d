/** The frame below shares. */
export const sponsor = { label: "From this server’s sponsor" };

export type SponsorTexts = typeof sponsor;
