import type { ExpiryTexts } from "../en/expiry.ts";

export const expiry: ExpiryTexts = {
  never: "Jamais",
  latest: (time) => `Le plus tard possible : ${time}`,
  other: "Un autre moment…",
  otherLabel: "Date et heure",
  set: "Fixer",
};
