import type { ExpiryTexts } from "../en/expiry.ts";

export const expiry: ExpiryTexts = {
  never: "Nie",
  latest: (time) => `So spät wie möglich: ${time}`,
  other: "Anderer Zeitpunkt…",
  otherLabel: "Datum und Uhrzeit",
  set: "Festlegen",
};
